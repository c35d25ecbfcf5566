#include "controllers/queue/admission/queues/environment.h"

#include <algorithm>
#include <utility>

#include "api/kinds/kueue/kueue_names.h"

namespace muster::controllers::queue {
namespace {

namespace kueue = api::kueue;

// What changes an object's meaning, and not only its status.
template <class K>
bool changed_in_meaning(const client::Ref<K>& before, const client::Ref<K>& now) {
    if (!before || !now) return true;
    return before->metadata.uid != now->metadata.uid || before->metadata.generation != now->metadata.generation ||
           before->metadata.deletion_timestamp != now->metadata.deletion_timestamp;
}

}  // namespace

bool Concerned::concern(const client::ObjectName& workload, const Text& cluster_queue, const Text& local_queue) const {
    return all || cluster_queues.contains(cluster_queue) || namespaces.contains(workload.namespace_) ||
           local_queues.contains({workload.namespace_, local_queue});
}

bool Concerned::concern_pods_of(const kueue::Workload& workload) const {
    return std::any_of(workload.spec.pod_sets.begin(), workload.spec.pod_sets.end(), [&](const kueue::PodSet& set) {
        const auto& name = set.template_.spec.runtime_class_name;
        return name && runtime_classes.contains(*name);
    });
}

Environment::Environment(os::Loop& loop, client::Client& client)
    : cluster_queues_(loop, client),
      local_queues_(loop, client),
      flavors_(loop, client),
      cohorts_(loop, client),
      checks_(loop, client),
      namespaces_(loop, client),
      limit_ranges_(loop, client),
      runtime_classes_(loop, client) {
    limit_ranges_by_namespace_ =
        limit_ranges_.add_index([](const api::core::LimitRange& range) { return range.metadata.namespace_; });
    find_runtime_class_ = [this](const Text& name) { return runtime_classes_.get({Text(), name}); };
}

void Environment::start(Listener listener) {
    listener_ = std::move(listener);
    watch();
    cluster_queues_.start();
    local_queues_.start();
    flavors_.start();
    cohorts_.start();
    checks_.start();
    namespaces_.start();
    limit_ranges_.start();
    runtime_classes_.start();
}

void Environment::watch() {
    cluster_queues_.on_change([this](const auto& before, const auto& now) {
        if (!now) listener_.cluster_queue_gone(before->metadata.name);
        if (changed_in_meaning(before, now)) listener_.changed();
    });
    local_queues_.on_change([this](const auto& before, const auto& now) {
        const client::ObjectName name = client::name_of(now ? *now : *before);
        if (!now) listener_.local_queue_gone(name);
        if (!changed_in_meaning(before, now)) return;
        concerned_.local_queues.insert(name);
        if (now) listener_.local_queue_changed(name);
        listener_.changed();
    });
    flavors_.on_change([this](const auto& before, const auto& now) {
        if (changed_in_meaning(before, now)) listener_.changed();
    });
    cohorts_.on_change([this](const auto& before, const auto& now) {
        if (changed_in_meaning(before, now)) listener_.changed();
    });
    checks_.on_change([this](const auto&, const auto&) { listener_.changed(); });
    namespaces_.on_change([this](const auto& before, const auto& now) {
        if (before && now && before->metadata.labels == now->metadata.labels) return;
        concerned_.namespaces.insert((now ? now : before)->metadata.name);
        listener_.changed();
    });
    limit_ranges_.on_change([this](const auto& before, const auto& now) {
        concerned_.namespaces.insert((now ? now : before)->metadata.namespace_);
        listener_.changed();
    });
    runtime_classes_.on_change([this](const auto& before, const auto& now) {
        concerned_.runtime_classes.insert((now ? now : before)->metadata.name);
        listener_.changed();
    });
}

os::Task<void> Environment::wait_synced() {
    co_await cluster_queues_.wait_synced();
    co_await local_queues_.wait_synced();
    co_await flavors_.wait_synced();
    co_await cohorts_.wait_synced();
    co_await checks_.wait_synced();
    co_await namespaces_.wait_synced();
    co_await limit_ranges_.wait_synced();
    co_await runtime_classes_.wait_synced();
}

Concerned Environment::take_concerned() { return std::exchange(concerned_, {}); }

client::Ref<kueue::ClusterQueue> Environment::find_cluster_queue(const Text& name) const {
    return cluster_queues_.get({Text(), name});
}

client::Ref<kueue::LocalQueue> Environment::find_local_queue(const client::ObjectName& name) const {
    return local_queues_.get(name);
}

std::optional<bool> Environment::is_check_active(const Text& name) const {
    const auto check = checks_.get({Text(), name});
    if (!check) return std::nullopt;
    for (const auto& condition : check->status.conditions)
        if (condition.type == kueue::kActiveCondition) return condition.status == kueue::kConditionTrue;
    return false;
}

Map<Text> Environment::namespace_labels(const Text& namespace_) const {
    const auto found = namespaces_.get({Text(), namespace_});
    return found ? found->metadata.labels : Map<Text>();
}

PodRules Environment::pod_rules(const Text& namespace_) const {
    PodRules rules;
    if (limit_ranges_.size() > 0) rules.ranges = limit_ranges_.indexed(limit_ranges_by_namespace_, namespace_);
    rules.find_runtime_class = find_runtime_class_;
    return rules;
}

std::vector<Text> Environment::cohorts_over(const Text& cohort) const {
    std::vector<Text> above;
    for (Text at = cohort;;) {
        const auto found = cohorts_.get({Text(), at});
        at = found ? found->spec.parent_name : Text();
        if (at.empty() || at == cohort || std::find(above.begin(), above.end(), at) != above.end()) return above;
        above.push_back(at);
    }
}

}  // namespace muster::controllers::queue
