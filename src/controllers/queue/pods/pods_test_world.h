// For tests: a group of pods and its Workload, and what a plan does to them. Time stands still unless a test moves it.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "api/kinds/kueue/kueue_names.h"
#include "controllers/queue/pods/decide.h"
#include "controllers/queue/pods/group/compose.h"
#include "controllers/queue/pods/group/gate.h"
#include "controllers/queue/pods/steps/standing.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers::podqueue {

using Strings = std::vector<std::string>;

class PodsTestWorld {
public:
    explicit PodsTestWorld(Text group_name = Text("g")) : group(std::move(group_name)) {}

    // A pod as it comes out of admission.
    api::core::Pod& add(const std::string& name, int total = 0, const char* cpu = "1") {
        api::core::Pod pod;
        pod.metadata.name = name;
        pod.metadata.namespace_ = "default";
        pod.metadata.uid = "uid-" + name + "-" + std::to_string(++version_);
        pod.metadata.resource_version = std::to_string(version_);
        pod.metadata.creation_timestamp = api::Time::from_instant(now);
        pod.metadata.labels.set(api::kueue::kQueueNameLabel, "q");
        if (!group.empty()) pod.metadata.labels.set(api::kueue::kPodGroupName, group);
        if (total > 0) pod.metadata.annotations.set(api::kueue::kPodGroupTotalCountAnnotation, std::to_string(total));
        api::core::Container container;
        container.name = "c";
        container.resources.requests.set("cpu", api::Quantity::parse(cpu).value());
        pod.spec.containers.edit().push_back(std::move(container));
        pod.status.phase = "Pending";
        admit_pod(pod, PodSurroundings());
        return pods[name] = std::move(pod);
    }
    void add_many(int count, int total) {
        for (int i = 0; i < count; ++i) add("p" + std::to_string(i), total);
    }

    GroupPlan decide() { return decide_group(look()); }
    // The facts for one step of a decision, of a group with a Workload. Valid until the next call.
    Standing survey() {
        const GroupView& view = look();
        return survey_group(view, sort_members(view.pods, view.workload));
    }

    // Does what the shell and the server do.
    void carry_out(const GroupPlan& plan) {
        for (const GroupNote& note : plan.notes) told.push_back(std::string(note.reason) + ": " + note.message);
        if (plan.create) workload = *plan.create;
        if (workload) workload->metadata.uid = "wl";
        if (plan.spec) workload->spec = *plan.spec;
        if (workload && !fits()) misfits.push_back("spec");
        for (const Text& uid : plan.remove_owners) drop_owner(uid);
        for (const auto& owner : plan.add_owners) workload->metadata.owner_references.edit().push_back(owner);
        if (plan.adopt) workload->metadata.finalizers.edit().emplace_back(api::kueue::kResourceInUseFinalizer);
        if (plan.adopt && !group.empty())
            workload->metadata.annotations.set(api::kueue::kIsGroupWorkloadAnnotation, api::kueue::kTrue);
        if (plan.gates && plan.gates->empty())
            workload->metadata.annotations.erase(api::kueue::kAdmissionGatedByAnnotation);
        else if (plan.gates)
            workload->metadata.annotations.set(api::kueue::kAdmissionGatedByAnnotation, *plan.gates);
        if (plan.status) workload->status = *plan.status;
        if (workload && !fits()) misfits.push_back("status");
        for (const PodRemoval& removal : plan.remove) {
            if (removal.why == WhyRemoved::kRejected) rejected.push_back(removal.pod->metadata.name.str());
            if (removal.why == WhyRemoved::kStopped) mark_stopped(removal);
            remove(removal.pod->metadata.name.str());
        }
        for (const PodRef& pod : plan.release) release(pod->metadata.name.str());
        for (const PodStart& start : plan.start) pods[start.pod->metadata.name.str()] = *start.draft;
        if (plan.release_workload) workload->metadata.finalizers = {};
        if (plan.remove_workload || (plan.release_workload && workload->metadata.deletion_timestamp)) workload.reset();
    }
    void mark_stopped(const PodRemoval& removal) {
        const auto found = pods.find(removal.pod->metadata.name.str());
        if (found == pods.end() || is_gated(found->second)) return;
        api::core::PodCondition condition;
        condition.type = api::kueue::kPodTerminationTargetCondition;
        condition.status = "True";
        condition.reason = api::kueue::kPodEvictedReasonPrefix + removal.reason;
        found->second.status.conditions.edit().push_back(std::move(condition));
    }
    void drop_owner(const Text& uid) {
        List<api::meta::OwnerReference> kept;
        for (const auto& owner : workload->metadata.owner_references)
            if (!(owner.uid == uid)) kept.edit().push_back(owner);
        workload->metadata.owner_references = kept;
    }
    // Until nothing is left to do, which must be soon; gives how many steps it took.
    int settle() {
        for (int step = 0; step < 10; ++step) {
            const GroupPlan plan = decide();
            carry_out(plan);
            if (plan.does_nothing()) return step;
        }
        return -1;
    }

    // As users, nodes and the queue do.
    void remove(const std::string& name) {
        const auto found = pods.find(name);
        if (found == pods.end()) return;
        found->second.metadata.deletion_timestamp = api::Time::from_instant(now);
        drop_if_free(name);
    }
    void remove_by_force(const std::string& name) {
        pods.at(name).metadata.deletion_grace_period_seconds = 0;
        remove(name);
    }
    void run(const std::string& name) {
        pods.at(name).spec.node_name = "n";
        pods.at(name).status.phase = "Running";
    }
    void end(const std::string& name, const char* phase) {
        api::core::Pod& pod = pods.at(name);
        pod.status.phase = phase;
        api::core::ContainerStateTerminated terminated;
        terminated.finished_at = api::Time::from_instant(now);
        api::core::ContainerStatus status;
        status.state.terminated = std::move(terminated);
        pod.status.container_statuses.edit().push_back(std::move(status));
        drop_if_free(name);
    }
    void admit() {
        api::kueue::Admission admission;
        admission.cluster_queue = "cq";
        for (const api::kueue::PodSet& set : workload->spec.pod_sets) {
            api::kueue::PodSetAssignment assignment;
            assignment.name = set.name;
            assignment.count = set.count;
            assignment.flavors.set("cpu", "f");
            admission.pod_set_assignments.edit().push_back(std::move(assignment));
        }
        workload->status.admission = std::move(admission);
        set_condition(workload->status, "QuotaReserved", true, "QuotaReserved", "", 1, now);
        set_condition(workload->status, "Admitted", true, "Admitted", "", 1, now);
        if (find_condition(workload->status, "Evicted"))
            set_condition(workload->status, "Evicted", false, "QuotaReserved", "", 1, now);
    }
    void evict(const char* reason = "Preempted") {
        set_condition(workload->status, "Evicted", true, reason, "made room for others", 1, now);
    }
    void run_all() {
        for (auto& [name, pod] : pods)
            if (!is_gated(pod) && pod.status.phase == "Pending") run(name);
    }
    // A group of that many that runs.
    void make_running(int count) {
        add_many(count, count);
        settle();
        admit();
        settle();
        run_all();
    }

    std::vector<std::string> names() const {
        std::vector<std::string> out;
        for (const auto& [name, pod] : pods) out.push_back(name);
        return out;
    }
    std::vector<std::string> started() const {
        std::vector<std::string> out;
        for (const auto& [name, pod] : pods)
            if (!is_gated(pod)) out.push_back(name);
        return out;
    }
    std::vector<std::string> held() const {
        std::vector<std::string> out;
        for (const auto& [name, pod] : pods)
            if (!pod.metadata.finalizers.empty()) out.push_back(name);
        return out;
    }

    Text group;
    std::map<std::string, api::core::Pod> pods;
    std::optional<api::kueue::Workload> workload;
    std::map<Text, api::kueue::ResourceFlavor> flavors{{Text("f"), {}}};
    bool watch_readiness = false;
    Instant now = Instant::from_unix_seconds(1'000'000);
    std::vector<std::string> told;
    std::vector<std::string> rejected;
    std::vector<std::string> misfits;  // what was written so that the server would refuse it

private:
    // What the decision sees now.
    const GroupView& look() {
        refs_.clear();
        for (const auto& [name, pod] : pods) refs_.push_back(std::make_shared<const api::core::Pod>(pod));
        find_flavor_ = [this](const Text& name) -> const api::kueue::ResourceFlavor* {
            const auto found = flavors.find(name);
            return found == flavors.end() ? nullptr : &found->second;
        };
        find_priority_ = [](const Text& name) -> std::optional<std::int32_t> {
            return name == "high" ? std::optional<std::int32_t>(1000) : std::nullopt;
        };
        view_.emplace(GroupView{group, refs_, workload ? &*workload : nullptr, find_flavor_, find_priority_,
                                watch_readiness, nullptr, now});
        return *view_;
    }
    // What is given back is of sets that there are.
    bool fits() const {
        const auto& sets = workload->spec.pod_sets;
        const auto& given = workload->status.reclaimable_pods;
        return std::all_of(given.begin(), given.end(), [&](const api::kueue::ReclaimablePod& one) {
            return std::any_of(sets.begin(), sets.end(), [&](const api::kueue::PodSet& set) {
                return set.name == one.name && one.count <= set.count;
            });
        });
    }
    void release(const std::string& name) {
        const auto found = pods.find(name);
        if (found == pods.end()) return;
        found->second.metadata.finalizers.reset();
        drop_if_free(name);
    }
    // The server lets an unplaced or ended pod go at once, and one that is deleted by force; a node confirms the end of
    // the others.
    void drop_if_free(const std::string& name) {
        const api::core::Pod& pod = pods.at(name);
        const bool over = pod.spec.node_name.empty() || pod.status.phase == "Failed" ||
                          pod.status.phase == "Succeeded" || pod.metadata.deletion_grace_period_seconds == 0;
        if (pod.metadata.deletion_timestamp && pod.metadata.finalizers.empty() && over) pods.erase(name);
    }

    std::vector<PodRef> refs_;
    FindFlavor find_flavor_;
    FindPriority find_priority_;
    std::optional<GroupView> view_;
    int version_ = 0;
};

// The names of pods of a part of a plan, in its order.
inline Strings names_of(const std::vector<PodRef>& pods) {
    Strings out;
    for (const PodRef& pod : pods) out.push_back(pod->metadata.name.str());
    return out;
}
inline Strings names_of(const std::vector<PodRemoval>& removals) {
    Strings out;
    for (const PodRemoval& removal : removals) out.push_back(removal.pod->metadata.name.str());
    return out;
}
inline Strings names_of(const std::vector<PodStart>& starts) {
    Strings out;
    for (const PodStart& start : starts) out.push_back(start.pod->metadata.name.str());
    return out;
}

inline bool holds(const PodsTestWorld& world, const char* condition) {
    return is_true(world.workload->status, condition);
}

}  // namespace muster::controllers::podqueue
