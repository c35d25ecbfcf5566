// The part of the admission controller that deals with queues: what they are to the engine, and their status.
#include <algorithm>
#include <utility>

#include "api/kinds/kueue/kueue_names.h"
#include "controllers/queue/admission/controller.h"
#include "controllers/queue/admission/translate.h"
#include "os/loop/breath.h"
#include "os/loop/gather.h"

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
        if (!now) {
            stale_cluster_queues_.erase(before->metadata.name);
            metrics_.forget_cluster_queue(before->metadata.name);
        }
        if (changed_in_meaning(before, now)) on_queues_changed();
    });
    local_queues_.on_change([this](const auto& before, const auto& now) {
        if (!now) {
            stale_local_queues_.erase(client::name_of(*before));
            metrics_.forget_local_queue(client::name_of(*before));
        }
        if (!changed_in_meaning(before, now)) return;
        const Name name = client::name_of(now ? *now : *before);
        concerned_.local_queues.insert(name);
        if (now) stale_local_queues_.insert(name);
        on_queues_changed();
    });
    flavors_.on_change([this](const auto& before, const auto& now) {
        if (changed_in_meaning(before, now)) on_queues_changed();
    });
    cohorts_.on_change([this](const auto& before, const auto& now) {
        if (changed_in_meaning(before, now)) on_queues_changed();
    });
    checks_.on_change([this](const auto&, const auto&) { on_queues_changed(); });
    namespaces_.on_change([this](const auto& before, const auto& now) {
        if (before && now && before->metadata.labels == now->metadata.labels) return;
        concerned_.namespaces.insert((now ? now : before)->metadata.name);
        on_queues_changed();
    });
    limit_ranges_.on_change([this](const auto& before, const auto& now) {
        concerned_.namespaces.insert((now ? now : before)->metadata.namespace_);
        on_queues_changed();
    });
    runtime_classes_.on_change([this](const auto& before, const auto& now) {
        concerned_.runtime_classes.insert((now ? now : before)->metadata.name);
        on_queues_changed();
    });
}

void AdmissionController::refresh_flavors() {
    std::map<Text, Meaning> before = std::exchange(known_flavors_, {});
    for (const auto& flavor : flavors_.all()) {
        const Text& name = flavor->metadata.name;
        const auto old = before.find(name);
        if (old == before.end() || !(old->second == meaning_of(*flavor)))
            engine_.set_flavor(name, queue::flavor_of(*flavor));
        known_flavors_.emplace(name, meaning_of(*flavor));
        before.erase(name);
    }
    for (const auto& [name, meaning] : before) engine_.remove_flavor(name);
}

void AdmissionController::refresh_cohorts() {
    std::map<Text, Meaning> before = std::exchange(known_cohorts_, {});
    for (const auto& cohort : cohorts_.all()) {
        const Text& name = cohort->metadata.name;
        const auto old = before.find(name);
        if (old == before.end() || !(old->second == meaning_of(*cohort)))
            engine_.set_cohort(queue::cohort_of(*cohort, engine_.names()));
        known_cohorts_.emplace(name, meaning_of(*cohort));
        before.erase(name);
    }
    for (const auto& [name, meaning] : before) engine_.remove_cohort(name);
}

// Passes changed queues to the engine and marks their Workloads to be settled again.
void AdmissionController::refresh_queues() {
    queues_stale_ = false;
    refresh_flavors();
    refresh_cohorts();
    std::map<Text, QueueInfo> before = std::exchange(infos_, {});
    const std::vector<client::Ref<ClusterQueue>> all = cluster_queues_.all();
    std::set<Text> gone;
    for (const auto& [name, info] : before) gone.insert(name);
    for (const auto& one : all) {
        gone.erase(one->metadata.name);
        const auto old = before.find(one->metadata.name);
        // Those that were inactive may not be any more.
        if (old == before.end() || !(old->second.meaning == meaning_of(*one)) || !old->second.activity.active)
            engine_.set_queue(queue::queue_of(*one, engine_.names()));
    }
    for (const Text& name : gone) {
        concerned_.cluster_queues.insert(name);
        engine_.remove_queue(name);
        if (cluster_counts_[name].nothing()) cluster_counts_.erase(name);
    }
    // Circles show only when all queues and cohorts are there.
    std::vector<bool> cyclic;
    cyclic.reserve(all.size());
    for (const auto& one : all) cyclic.push_back(engine_.in_cycle(one->metadata.name));
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto old = before.find(all[i]->metadata.name);
        note_activity(*all[i], cyclic[i], old == before.end() ? nullptr : &old->second);
    }
    for (const auto& local : local_queues_.all())
        if (concerned_.cluster_queues.contains(local->spec.cluster_queue))
            stale_local_queues_.insert(client::name_of(*local));
    cohorts_stale_ = true;
    status_wake_.notify();
}

void AdmissionController::note_activity(const ClusterQueue& one, bool in_cycle, QueueInfo* before) {
    queue::QueueNeeds needs;
    needs.has_flavor = [this](const Text& name) { return known_flavors_.contains(name); };
    needs.check_active = [this](const Text& name) -> std::optional<bool> {
        const auto check = checks_.get({"", name});
        return check ? std::optional(is_check_active(*check)) : std::nullopt;
    };
    needs.in_cycle = in_cycle;
    const Text& name = one.metadata.name;
    QueueInfo& info = infos_[name];
    info.meaning = meaning_of(one);
    info.activity = queue::find_activity(one, needs);
    if (before && before->meaning == info.meaning) {
        info.namespaces = std::move(before->namespaces);
    } else {
        auto selector = api::LabelSelector::from(one.spec.namespace_selector ? &*one.spec.namespace_selector : nullptr);
        if (selector.ok()) info.namespaces = std::move(*selector);
    }
    if (!info.activity.active) {
        queue::QueueSpec spec = queue::queue_of(one, engine_.names());
        spec.admits = false;
        engine_.set_queue(std::move(spec));
    }
    if (before && before->meaning == info.meaning && before->activity == info.activity) return;
    concerned_.cluster_queues.insert(name);
    stale_cluster_queues_.insert(name);
}

bool AdmissionController::is_concerned(const Concerned& by, const Tracked& tracked) const {
    if (by.all || by.cluster_queues.contains(tracked.cluster_queue) || by.namespaces.contains(tracked.name.namespace_))
        return true;
    if (by.local_queues.contains({tracked.name.namespace_, tracked.local_queue})) return true;
    if (by.runtime_classes.empty()) return false;
    const WorkloadRef workload = workloads_.get(tracked.name);
    return workload && std::any_of(workload->spec.pod_sets.begin(), workload->spec.pod_sets.end(), [&](const auto& it) {
               const auto& name = it.template_.spec.runtime_class_name;
               return name && by.runtime_classes.contains(*name);
           });
}

os::Task<void> AdmissionController::settle_concerned() {
    const Concerned by = std::exchange(concerned_, {});
    os::Breath breath(loop_);
    // By number: others come and go meanwhile, and those that come are settled by what is known then.
    for (ItemId item = 0; item < tracked_.size(); ++item) {
        co_await breath.take();
        const Tracked& tracked = tracked_[item];
        if (tracked.name.name.empty() || tracked.gone || (tracked.over && !by.all) || !is_concerned(by, tracked))
            continue;
        const WorkloadRef workload = workloads_.get(tracked.name);
        if (!workload || workload->metadata.uid != tracked.uid) continue;
        const bool known = !tracked.busy && workloads_.reached(tracked.awaited);
        // Who merely waits comes to the queue with the others, whatever is being written about it, or those that came
        // later would overtake it.
        if (known || engine_.item(item).state != queue::ItemState::kHolding) settle(item, *workload);
    }
}

os::Task<void> AdmissionController::run_statuses() {
    constexpr std::size_t kAtOnce = 200;
    for (;;) {
        while (stale_cluster_queues_.empty() && stale_local_queues_.empty() && !cohorts_stale_)
            co_await status_wake_.wait();
        co_await os::sleep_for(loop_, options_.status_every);
        report_cohorts();
        std::vector<os::Task<bool>> writes;
        for (const Text& name : std::exchange(stale_cluster_queues_, {})) writes.push_back(write_cluster_queue(name));
        for (const Name& name : std::exchange(stale_local_queues_, {})) writes.push_back(write_local_queue(name));
        if (std::exchange(cohorts_stale_, false) || options_.fair_sharing)
            for (const auto& cohort : cohorts_.all()) writes.push_back(write_cohort(cohort->metadata.name));
        co_await os::gather(loop_, std::move(writes), kAtOnce);
    }
}

// The cohorts above a cohort, from the nearest to the root; of a circle each once.
std::vector<Text> AdmissionController::cohorts_over(const Text& cohort) const {
    std::vector<Text> above;
    for (Text at = cohort;;) {
        const auto found = cohorts_.get({"", at});
        at = found ? found->spec.parent_name : Text();
        if (at.empty() || at == cohort || std::find(above.begin(), above.end(), at) != above.end()) return above;
        above.push_back(at);
    }
}

void AdmissionController::report_cohorts() {
    std::map<Text, queue::QueueCounts> cohorts;
    for (const auto& [name, meaning] : known_cohorts_) cohorts[name];
    for (const auto& [name, info] : infos_) {
        const auto counts = cluster_counts_.find(name);
        // In a cycle of cohorts a cohort is its own ancestor; it counts once.
        std::set<Text> met;
        for (const Text& cohort : engine_.cohorts_above(name)) {
            if (!met.insert(cohort).second) break;
            queue::QueueCounts& below = cohorts[cohort];
            if (counts != cluster_counts_.end()) below.add(counts->second);
        }
    }
    for (const auto& [name, counts] : cohorts)
        metrics_.stands(name, engine_.cohort_quota(name), counts, engine_.cohort_share(name), cohorts_over(name),
                        engine_.names());
    metrics_.forget_cohorts(cohorts);
}

os::Task<bool> AdmissionController::write_cluster_queue(Text name) {
    const auto one = cluster_queues_.get({"", name});
    const auto info = infos_.find(name);
    if (!one) {
        // Workloads may wait for a queue that is gone, or never was; without them nothing is remembered of it.
        const auto counts = cluster_counts_.find(name);
        if (counts != cluster_counts_.end()) counts->second.told = true;
        if (counts != cluster_counts_.end() && counts->second.nothing()) cluster_counts_.erase(counts);
    }
    if (!one || info == infos_.end()) co_return false;
    // A deleted queue is reported as Terminating only when no admission to it is being written. QueueObjects relies on
    // that when it removes the finalizer.
    if (one->metadata.deletion_timestamp && (info->second.activity.active || is_being_written(name))) {
        stale_cluster_queues_.insert(name);
        status_wake_.notify();
        co_return false;
    }
    queue::QueueCounts& counts = cluster_counts_[name];
    counts.told = true;
    const queue::Share share = engine_.share(name);
    metrics_.stands(*one, info->second.activity.active, counts, share, engine_.cohorts_above(name), engine_.names());
    ClusterQueue draft = *one;
    draft.status =
        queue::make_status(*one, info->second.activity, counts,
                           options_.fair_sharing ? std::optional(share) : std::nullopt, engine_.names(), loop_.now());
    if (draft.status == one->status) co_return true;
    const auto written = co_await client_.change_status<ClusterQueue>(one, std::move(draft));
    if (!written.ok() && written.error().code != Code::kNotFound) {
        stale_cluster_queues_.insert(name);
        status_wake_.notify();
    }
    co_return written.ok();
}

bool AdmissionController::is_being_written(const Text& cluster_queue) const {
    return std::any_of(tracked_.begin(), tracked_.end(),
                       [&](const Tracked& it) { return it.busy && it.cluster_queue == cluster_queue; });
}

os::Task<bool> AdmissionController::write_cohort(Text name) {
    const auto one = cohorts_.get({"", name});
    if (!one || one->metadata.deletion_timestamp) co_return false;
    api::kueue::Cohort draft = *one;
    draft.status =
        queue::make_status(*one, options_.fair_sharing ? std::optional(engine_.cohort_share(name)) : std::nullopt);
    if (draft.status == one->status) co_return true;
    const auto written = co_await client_.change_status<api::kueue::Cohort>(one, std::move(draft));
    if (!written.ok() && written.error().code != Code::kNotFound) {
        cohorts_stale_ = true;
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
    metrics_.stands(*local, activity.active, counts, engine_.names());
    draft.status = queue::make_status(*local, activity, known ? cluster_queue.get() : nullptr, counts, engine_.names(),
                                      loop_.now());
    if (draft.status == local->status) co_return true;
    const auto written = co_await client_.change_status<LocalQueue>(local, std::move(draft));
    if (!written.ok() && written.error().code != Code::kNotFound) {
        stale_local_queues_.insert(name);
        status_wake_.notify();
    }
    co_return written.ok();
}

}  // namespace muster::controllers
