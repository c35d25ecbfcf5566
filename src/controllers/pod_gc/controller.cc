#include "controllers/pod_gc/controller.h"

#include "os/loop/gather.h"

namespace muster::controllers {
namespace {

using api::core::Node;
using api::core::Pod;

const client::MetricInfo kForcedDeletions{"pod_gc_collector_force_delete_pods_total",
                                          "Pods that were removed without grace, by namespace and reason."};
const client::MetricInfo kForcedDeletionErrors{"pod_gc_collector_force_delete_pod_errors_total",
                                               "Removals of pods without grace that failed."};

client::Removal without_grace(const Pod& pod) {
    // Both conditions, and then only one: GCC 12 warns of an empty one that is moved.
    client::Removal removal(pod.metadata.uid, pod.metadata.resource_version);
    removal.resource_version.reset();
    removal.grace_seconds = 0;
    return removal;
}

}  // namespace

PodGcController::PodGcController(os::Loop& loop, client::Client& client, client::Metrics& metrics, PodGcOptions options)
    : loop_(loop),
      client_(client),
      metrics_(metrics),
      options_(options),
      pods_(loop, client),
      nodes_(loop, client),
      tasks_(loop) {
    pods_.on_change([this](const PodPtr& before, const PodPtr& now) { census_.count(before, now); });
}

void PodGcController::start() {
    pods_.start();
    nodes_.start();
    tasks_.spawn(run());
}

os::Task<void> PodGcController::run() {
    co_await pods_.wait_synced();
    co_await nodes_.wait_synced();
    for (;;) {
        const bool more = co_await collect();
        if (!more) co_await os::sleep_for(loop_, options_.period);
    }
}

os::Task<bool> PodGcController::collect() {
    const std::vector<NodePtr> nodes = nodes_.all();
    missing_ = find_missing_nodes(census_, nodes, missing_, loop_.now());
    const std::vector<Text> confirmed =
        co_await confirm_missing(overdue_nodes(missing_, options_.quarantine, loop_.now()));
    std::vector<PodPtr> pods;
    if (needs_all_pods(census_, nodes, confirmed)) pods = pods_.all();
    const std::size_t ended = census_.ended.size();
    const PodGcView view{
        census_, pods, nodes, missing_, confirmed, options_.terminated_max, options_.ended_at_once_max};
    const std::vector<PodRemoval> plan = decide_pod_gc(view);
    std::vector<os::Task<bool>> removals;
    removals.reserve(plan.size());
    for (const PodRemoval& removal : plan) removals.push_back(remove(removal));
    (void)co_await os::gather(loop_, std::move(removals), options_.at_once_max);
    // Those that a finalizer holds are not looked at again before the next round.
    co_return plan.size() >= options_.ended_at_once_max&& census_.ended.size() < ended;
}

os::Task<std::vector<Text>> PodGcController::confirm_missing(std::vector<Text> nodes) {
    std::vector<Text> confirmed;
    for (const Text& node : nodes) {
        const auto live = co_await client_.get<Node>(client::ObjectName("", node));
        if (!live.ok() && live.error().code == Code::kNotFound) confirmed.push_back(node);
    }
    co_return confirmed;
}

os::Task<bool> PodGcController::remove(PodRemoval removal) {
    const Pod& pod = *removal.pod;
    const client::MetricLabels labels{{"namespace", pod.metadata.namespace_.str()},
                                      {"reason", std::string(name_of(removal.reason))}};
    metrics_.count(kForcedDeletions, labels);
    const auto fine = [&](const Error& error) {
        // Gone, or another by now: nothing to do. Changed: the next round sees how.
        if (error.code == Code::kNotFound) return true;
        metrics_.count(kForcedDeletionErrors, labels);
        return false;
    };
    if (auto status = failed_status(pod, removal.reason, loop_.now())) {
        Pod draft = pod;
        draft.status = *std::move(status);
        const auto failed = co_await client_.change_status<Pod>(removal.pod, std::move(draft));
        if (!failed.ok()) co_return fine(failed.error());
    }
    client::Removal removing = without_grace(pod);
    const auto removed = co_await client_.remove<Pod>(client::name_of(pod), std::move(removing));
    co_return removed.ok() || fine(removed.error());
}

}  // namespace muster::controllers
