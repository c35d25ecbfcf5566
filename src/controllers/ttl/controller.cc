#include "controllers/ttl/controller.h"

#include "os/log/log.h"

namespace muster::controllers {
namespace {

using api::batch::Job;
using api::core::Pod;

template <class K>
struct TtlNames;
template <>
struct TtlNames<Job> {
    static constexpr const char* kQueue = "ttl_jobs_to_delete";
    static constexpr const char* kMetric = "ttl_after_finished_controller_job_deletion_duration_seconds";
    static constexpr const char* kHelp = "Seconds from when a Job was due to go until it was deleted.";
};
template <>
struct TtlNames<Pod> {
    static constexpr const char* kQueue = "ttl_pods_to_delete";
    static constexpr const char* kMetric = "ttl_after_finished_controller_pod_deletion_duration_seconds";
    static constexpr const char* kHelp = "Seconds from when a Pod was due to go until it was deleted.";
};

template <class K>
const client::MetricInfo& deletion_seconds() {
    static const client::MetricInfo info{TtlNames<K>::kMetric, TtlNames<K>::kHelp,
                                         client::exponential_buckets(0.1, 2, 14)};
    return info;
}

std::string describe(const UnreadableTtl& ttl) {
    return std::string("The ") + (ttl.label ? "label " : "annotation ") + kPodTtlName +
           " is no number of seconds, so the pod is kept: \"" + ttl.value.str() + '"';
}

}  // namespace

template <class K>
TtlOfKind<K>::TtlOfKind(os::Loop& loop, client::Client& client, client::Metrics& metrics, client::Recorder& recorder,
                        std::size_t at_once_max, const std::vector<std::string>& labels)
    : loop_(loop),
      client_(client),
      metrics_(metrics),
      recorder_(recorder),
      reconciler_(loop, client::QueueMetrics(metrics, TtlNames<K>::kQueue), at_once_max,
                  [this](client::ObjectName name) { return sync(std::move(name)); }) {
    if (labels.empty()) mirrors_.push_back(std::make_unique<client::Mirror<K>>(loop, client));
    for (const std::string& some : labels) mirrors_.push_back(std::make_unique<client::Mirror<K>>(loop, client, some));
}

template <class K>
void TtlOfKind<K>::start() {
    for (const auto& mirror : mirrors_) {
        mirror->on_change([this](const client::Ref<K>&, const client::Ref<K>& now) { on_change(now); });
        mirror->start();
    }
    reconciler_.start();
}

template <class K>
client::Ref<K> TtlOfKind<K>::find(const client::ObjectName& name) const {
    for (const auto& mirror : mirrors_)
        if (client::Ref<K> found = mirror->get(name)) return found;
    return nullptr;
}

template <class K>
void TtlOfKind<K>::on_change(const client::Ref<K>& now) {
    if (!now) return;
    const TtlPlan plan = decide_ttl(*now, loop_.now());
    if (plan.remove || plan.finished_in_future || plan.unreadable)
        reconciler_.add(client::name_of(*now));
    else if (plan.wake_at)
        reconciler_.add_after(client::name_of(*now), *plan.wake_at - loop_.now());
}

template <class K>
bool TtlOfKind<K>::is_due(const K& object, const TtlPlan& plan) {
    if (plan.finished_in_future)
        recorder_.note(
            object, client::Note::warning("FinishTimeInFuture",
                                          "It finished in the future, so some clock is wrong; it is kept until then"));
    if (plan.unreadable) recorder_.note(object, client::Note::warning("InvalidTTL", describe(*plan.unreadable)));
    if (plan.wake_at) reconciler_.add_after(client::name_of(object), *plan.wake_at - loop_.now());
    return plan.remove;
}

// What woke us may be old: only a fresh read may condemn an object, and only the very state that was read goes.
template <class K>
os::Task<Worked> TtlOfKind<K>::sync(client::ObjectName name) {
    const client::Ref<K> seen = find(name);
    if (!seen || !is_due(*seen, decide_ttl(*seen, loop_.now()))) co_return Worked::kLater;
    for (;;) {
        const auto fresh = co_await client_.template get<K>(name);
        if (!fresh.ok()) co_return fresh.error().code == Code::kNotFound ? Worked::kDone : Worked::kRetry;
        const TtlPlan plan = decide_ttl(**fresh, loop_.now());
        if (!is_due(**fresh, plan)) co_return Worked::kLater;
        client::Removal removal((*fresh)->metadata.uid, (*fresh)->metadata.resource_version);
        if constexpr (std::is_same_v<K, Job>) removal.propagation = client::Propagation::kForeground;
        const auto removed = co_await client_.template remove<K>(name, std::move(removal));
        if (removed.ok()) {
            LOG_INFO(2, "Removed what has expired", {"kind", api::kind_info<K>().options.plural}, {"object", name});
            const Duration late = loop_.now() - *plan.expired_at;
            metrics_.observe(deletion_seconds<K>(), {}, std::chrono::duration<double>(late).count());
        }
        if (removed.ok() || removed.error().code == Code::kNotFound) co_return Worked::kDone;
        if (removed.error().code != Code::kConflict) co_return Worked::kRetry;
    }
}

template class TtlOfKind<Job>;
template class TtlOfKind<Pod>;

}  // namespace muster::controllers
