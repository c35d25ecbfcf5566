// The part of the admission controller that deals with queues: what they are to the engine, and their status.
#include <algorithm>

#include "api/kinds/kueue_names.h"
#include "controllers/queue/admission/controller.h"
#include "controllers/queue/admission/translate.h"
#include "os/gather.h"

namespace muster::controllers {

namespace kueue = api::kueue;

namespace {

// What changes an object's meaning, and not only its status.
template <class K>
bool changed_in_meaning(const client::Ref<K>& before, const client::Ref<K>& now) {
    if (!before || !now) return true;
    return before->metadata.uid != now->metadata.uid || before->metadata.generation != now->metadata.generation ||
           before->metadata.deletion_timestamp != now->metadata.deletion_timestamp;
}

bool is_check_active(const kueue::AdmissionCheck& check) {
    for (const auto& condition : check.status.conditions)
        if (condition.type == kueue::kActiveCondition) return condition.status == kueue::kConditionTrue;
    return false;
}

}  // namespace

void AdmissionController::watch_queues() {
    cluster_queues_.on_change([this](const auto& before, const auto& now) {
        if (!now) stale_cluster_queues_.erase(before->metadata.name);
        if (changed_in_meaning(before, now)) on_queues_changed();
    });
    local_queues_.on_change([this](const auto& before, const auto& now) {
        if (!now) stale_local_queues_.erase(client::name_of(*before));
        if (changed_in_meaning(before, now)) on_queues_changed();
    });
    flavors_.on_change([this](const auto& before, const auto& now) {
        if (changed_in_meaning(before, now)) on_queues_changed();
    });
    cohorts_.on_change([this](const auto& before, const auto& now) {
        if (changed_in_meaning(before, now)) on_queues_changed();
    });
    checks_.on_change([this](const auto&, const auto&) { on_queues_changed(); });
    namespaces_.on_change([this](const auto& before, const auto& now) {
        if (!before || !now || !(before->metadata.labels == now->metadata.labels)) on_queues_changed();
    });
    limit_ranges_.on_change([this](const auto&, const auto&) { on_queues_changed(); });
}

// Everything anew: queues change seldom, and many at once.
void AdmissionController::refresh_queues() {
    queues_stale_ = false;
    std::set<Text> gone_flavors = std::move(known_flavors_);
    std::set<Text> gone_cohorts = std::move(known_cohorts_);
    known_flavors_.clear();
    known_cohorts_.clear();
    for (const auto& flavor : flavors_.all()) {
        engine_.set_flavor(flavor->metadata.name, queue::flavor_of(*flavor));
        known_flavors_.insert(flavor->metadata.name);
        gone_flavors.erase(flavor->metadata.name);
    }
    for (const auto& cohort : cohorts_.all()) {
        engine_.set_cohort(queue::cohort_of(*cohort, engine_.names()));
        known_cohorts_.insert(cohort->metadata.name);
        gone_cohorts.erase(cohort->metadata.name);
    }
    for (const Text& name : gone_flavors) engine_.remove_flavor(name);
    for (const Text& name : gone_cohorts) engine_.remove_cohort(name);

    std::map<Text, QueueInfo> before = std::move(infos_);
    infos_.clear();
    const std::vector<client::Ref<ClusterQueue>> all = cluster_queues_.all();
    for (const auto& one : all) {
        before.erase(one->metadata.name);
        engine_.set_queue(queue::queue_of(*one, engine_.names()));
    }
    for (const auto& [name, info] : before) {
        engine_.remove_queue(name);
        if (cluster_counts_[name].nothing()) cluster_counts_.erase(name);
    }
    queue::QueueNeeds needs;
    needs.has_flavor = [this](const Text& name) { return known_flavors_.contains(name); };
    needs.check_active = [this](const Text& name) -> std::optional<bool> {
        const auto check = checks_.get({"", name});
        return check ? std::optional(is_check_active(*check)) : std::nullopt;
    };
    // Circles show only when all queues and cohorts are there.
    std::vector<bool> cyclic;
    for (const auto& one : all) cyclic.push_back(in_cycle(*one));
    for (std::size_t i = 0; i < all.size(); ++i) {
        QueueInfo& info = infos_[all[i]->metadata.name];
        needs.in_cycle = cyclic[i];
        info.activity = queue::find_activity(*all[i], needs);
        auto selector =
            api::LabelSelector::from(all[i]->spec.namespace_selector ? &*all[i]->spec.namespace_selector : nullptr);
        if (selector.ok()) info.namespaces = std::move(*selector);
        if (!info.activity.active) {
            queue::QueueSpec spec = queue::queue_of(*all[i], engine_.names());
            spec.admits = false;
            engine_.set_queue(std::move(spec));
        }
        stale_cluster_queues_.insert(all[i]->metadata.name);
    }
    for (const auto& local : local_queues_.all()) stale_local_queues_.insert(client::name_of(*local));
    status_wake_.notify();
    for (const auto& [name, item] : items_) {
        const WorkloadRef workload = workloads_.get(name);
        const bool known = !tracked_[item].busy && workloads_.reached(tracked_[item].awaited);
        // Who merely waits comes to the queue with the others, whatever is being written about it, or those that came
        // later would overtake it.
        if (workload && (known || engine_.item(item).state != queue::ItemState::kHolding)) settle(item, *workload);
    }
}

bool AdmissionController::in_cycle(const ClusterQueue& cluster_queue) {
    return engine_.in_cycle(cluster_queue.metadata.name);
}

os::Task<void> AdmissionController::run_statuses() {
    constexpr std::size_t kAtOnce = 200;
    for (;;) {
        while (stale_cluster_queues_.empty() && stale_local_queues_.empty()) co_await status_wake_.wait();
        co_await os::sleep_for(loop_, options_.status_every);
        std::vector<os::Task<bool>> writes;
        for (const Text& name : std::exchange(stale_cluster_queues_, {})) writes.push_back(write_cluster_queue(name));
        for (const Name& name : std::exchange(stale_local_queues_, {})) writes.push_back(write_local_queue(name));
        co_await os::gather(loop_, std::move(writes), kAtOnce);
    }
}

os::Task<bool> AdmissionController::write_cluster_queue(Text name) {
    const auto one = cluster_queues_.get({"", name});
    const auto info = infos_.find(name);
    if (!one || info == infos_.end()) co_return false;
    queue::QueueCounts& counts = cluster_counts_[name];
    counts.told = true;
    const queue::Share share = engine_.share(name);
    metrics_.stands(*one, info->second.activity.active, counts, share, engine_.names());
    ClusterQueue draft = *one;
    draft.status =
        queue::make_status(*one, info->second.activity, counts,
                           options_.fair_sharing ? std::optional(share) : std::nullopt, engine_.names(), loop_.now());
    if (draft.status == one->status) co_return true;
    const auto written = co_await client_.update_status<ClusterQueue>(std::move(draft));
    if (!written.ok() && written.error().code != Code::kNotFound) {
        stale_cluster_queues_.insert(name);
        status_wake_.notify();
    }
    co_return written.ok();
}

os::Task<bool> AdmissionController::write_local_queue(Name name) {
    const auto local = local_queues_.get(name);
    queue::QueueCounts& counts = local_counts_[name];
    counts.told = true;
    if (!local) {
        if (counts.nothing()) local_counts_.erase(name);
        co_return false;
    }
    const auto cluster_queue = cluster_queues_.get({"", local->spec.cluster_queue});
    const auto info = infos_.find(local->spec.cluster_queue);
    const bool known = cluster_queue && info != infos_.end();
    LocalQueue draft = *local;
    const queue::Activity activity = queue::find_activity(*local, known ? &info->second.activity : nullptr);
    draft.status = queue::make_status(*local, activity, known ? cluster_queue.get() : nullptr, counts, engine_.names(),
                                      loop_.now());
    if (draft.status == local->status) co_return true;
    const auto written = co_await client_.update_status<LocalQueue>(std::move(draft));
    if (!written.ok() && written.error().code != Code::kNotFound) {
        stale_local_queues_.insert(name);
        status_wake_.notify();
    }
    co_return written.ok();
}

}  // namespace muster::controllers
