#include "controllers/queue/jobs/decide.h"

#include <algorithm>

#include "api/kinds/job_state.h"
#include "api/kinds/kueue/kueue_names.h"
#include "controllers/owners.h"
#include "controllers/queue/jobs/gate.h"
#include "controllers/queue/pods/group/shape.h"
#include "controllers/queue/workload/queued_metadata.h"
#include "controllers/queue/workload/words.h"
#include "controllers/queue/workload/workload_state.h"
#include "tally/index_set.h"

namespace muster::controllers::jobqueue {
namespace {

namespace names = api::kueue;
using api::batch::Job;
using api::batch::JobCondition;
using api::kueue::PodSet;
using api::kueue::Workload;
using api::kueue::WorkloadStatus;

constexpr Duration kLookAgain = 5s;

bool is_stopping(const Job& job) {
    return value_under(job.metadata.annotations, names::kStoppingAnnotation) == names::kTrue;
}

// The user interrupted `muster run`: the Job stays suspended until the same command resumes it.
bool is_interrupted(const Job& job) { return job.metadata.annotations.contains(api::batch::kInterruptedAnnotation); }

// Labels that the server gives the template; they are the Job's own affair.
bool is_job_label(std::string_view key) {
    return key == api::batch::kControllerUidLabel || key == api::batch::kLegacyControllerUidLabel ||
           key == api::batch::kLegacyJobNameLabel;
}

PodSet pod_set_of(const Job& job) {
    PodSet set;
    set.name = names::kDefaultPodSetName;
    set.count = pod_count(job.spec);
    set.min_count = min_pod_count(job);
    set.template_.spec = job.spec.template_.spec;
    podqueue::keep_last_variables(set.template_.spec);
    set.template_.metadata.annotations = job.spec.template_.metadata.annotations;
    for (const auto& [key, value] : job.spec.template_.metadata.labels)
        if (!is_job_label(key)) set.template_.metadata.labels.set(key, value);
    return set;
}

// Those that succeeded and those that failed for good.
tally::IndexSet indexes_done(const Job& job, std::int32_t completions) {
    tally::IndexSet indexes = tally::IndexSet::parse(job.status.completed_indexes, completions);
    if (job.status.failed_indexes) indexes.add(tally::IndexSet::parse(*job.status.failed_indexes, completions));
    return indexes;
}

// One decision about one Job; its methods are its steps.
class QueuedJob {
public:
    explicit QueuedJob(const QueuedJobView& view) : view_(view) {
        if (view.workload) status_ = view.workload->status;
    }

    QueuedJobPlan decide() {
        if (!view_.job && !view_.workload) return {};
        if (!view_.job)
            without_job();
        else if (!view_.workload)
            without_workload();
        else if (is_foreign())
            tell(true, "WorkloadNameConflict",
                 "There is a Workload " + workload().metadata.name.str() +
                     " of another owner; the Job waits until it is gone");
        else
            with_both();
        if (changed_) plan_.status = status_;
        return std::move(plan_);
    }

private:
    const Job& job() const { return *view_.job; }
    const Workload& workload() const { return *view_.workload; }
    std::int64_t generation() const { return workload().metadata.generation; }
    bool prebuilt() const { return !prebuilt_of(job().metadata).empty(); }

    void tell(bool warning, const char* reason, std::string message) {
        plan_.notes.push_back({false, warning, reason, std::move(message)});
    }
    void set_finished(const char* reason, std::string_view message) {
        changed_ |= set_condition(status_, names::kWorkloadFinished, true, reason, message, generation(), view_.now);
    }
    bool is_foreign() const {
        const api::meta::OwnerReference* owner = controller_of(workload().metadata);
        // One that has lost its owner reference is still the Job's.
        if (!owner)
            return !prebuilt() && !(value_under(workload().metadata.labels, names::kJobUidLabel) == job().metadata.uid);
        return !(owner->uid == job().metadata.uid);
    }
    // Whether pods of the Job still use its quota, though it may be gone itself. A node that does not answer is not
    // waited for for ever.
    bool pods_run() {
        bool some = false;
        for (const podqueue::Member& member : podqueue::sort_members(view_.pods)) {
            if (!podqueue::is_awaited(member, view_.now)) continue;
            some = true;
            if (!member.deleting) continue;
            const Instant given_up = podqueue::given_up_at(*member.pod);
            if (!plan_.wake_at || given_up < *plan_.wake_at) plan_.wake_at = given_up;
        }
        return some;
    }

    void without_job() {
        if (!is_finished(status_) && pods_run()) return;
        if (!is_finished(status_)) set_finished(reason_of(Word::kOwnerNotFound), say(Word::kOwnerNotFound));
        plan_.release_workload = is_in_use(workload());
    }

    void without_workload() {
        if (job().metadata.deletion_timestamp || api::batch::is_finished(job().status)) return;
        if (!api::batch::is_suspended(job().spec)) return suspend("There is no Workload for this Job");
        // What is left of a stop can no longer be put back: its Workload is gone.
        if (is_stopping(job())) {
            Job draft = job();
            draft.metadata.annotations.erase(names::kStoppingAnnotation);
            plan_.job = std::move(draft);
            return;
        }
        if (prebuilt()) {
            tell(true, "PrebuiltWorkloadNotFound",
                 "The Workload " + prebuilt_of(job().metadata).str() + " that the Job names is not there");
            return;
        }
        Workload draft;
        if (!compose(draft)) return;
        draft.metadata.name = workload_name_of(job());
        draft.metadata.namespace_ = job().metadata.namespace_;
        draft.metadata.labels.set(names::kJobUidLabel, job().metadata.uid);
        if (const Text gates = gates_of(job().metadata); !gates.empty())
            draft.metadata.annotations.set(names::kAdmissionGatedByAnnotation, gates);
        draft.metadata.finalizers.edit().push_back(names::kResourceInUseFinalizer);
        draft.metadata.owner_references.edit().push_back(controller_reference(kJobOwner, job().metadata));
        if (view_.labels_to_copy)
            for (const Text& key : *view_.labels_to_copy)
                if (const Text* value = job().metadata.labels.find(key)) draft.metadata.labels.set(key, *value);
        plan_.create = std::move(draft);
    }

    // What the Job asks for now. False, with the reason told, when that cannot be said.
    bool compose(Workload& draft) {
        draft.spec.pod_sets = {pod_set_of(job())};
        draft.spec.queue_name = queue_name_of(job().metadata);
        draft.spec.active = true;
        draft.spec.maximum_execution_time_seconds = max_execution_seconds(job().metadata);
        return set_priority(draft);
    }

    // Of the class that the Job names; else what its pods will have.
    bool set_priority(Workload& draft) {
        const Text named = value_under(job().metadata.labels, names::kPriorityClassLabel);
        api::kueue::PriorityClassRef reference;
        if (!named.empty()) {
            const std::optional<std::int32_t> value = view_.find_priority(named);
            if (!value) return miss_class("WorkloadPriorityClassNotFound", "WorkloadPriorityClass", named);
            reference.group = names::kWorkloadPriorityClassGroup;
            reference.kind = names::kWorkloadPriorityClassKind;
            reference.name = named;
            draft.spec.priority = *value;
        } else {
            const Text& of_pods = job().spec.template_.spec.priority_class_name;
            const std::optional<PodPriority> found = view_.find_pod_priority(of_pods);
            if (!found) return miss_class("PriorityClassNotFound", "PriorityClass", of_pods);
            draft.spec.priority = found->value;
            if (found->class_name.empty()) return true;
            reference.group = names::kPodPriorityClassGroup;
            reference.kind = names::kPodPriorityClassKind;
            reference.name = found->class_name;
        }
        draft.spec.priority_class_ref = std::move(reference);
        return true;
    }
    bool miss_class(const char* reason, const char* kind, const Text& name) {
        tell(true, reason, std::string("there is no ") + kind + " \"" + name.str() + '"');
        plan_.wake_at = view_.now + kLookAgain;
        return false;
    }

    // Whether the Job controller has written that the Job runs. Suspended before that, a Job could have pods of which
    // its status says nothing, and its status would look like that of a Job without pods.
    bool start_is_reported() const {
        const api::batch::JobStatus& status = job().status;
        const auto& manager = job().spec.managed_by;
        const bool reports = !manager || *manager == api::batch::kJobController ||
                             (!view_.job_manager.empty() && *manager == view_.job_manager);
        return !reports || (status.start_time && !status.start_time->is_null() &&
                            !api::batch::has_condition(status, api::batch::kConditionSuspended));
    }

    void with_both() {
        if (workload().metadata.deletion_timestamp) return tear_down();
        if (!controller_of(workload().metadata)) {
            // A Job that is being deleted leaves it behind: see orphans/.
            plan_.adopt = !job().metadata.deletion_timestamp;
            return;
        }
        if (is_finished(status_)) {
            plan_.release_workload = is_in_use(workload());
            return;
        }
        if (finish() || job().metadata.deletion_timestamp) return;
        reclaim();
        if (!prebuilt() && !(gates_of(job().metadata) == gates_of(workload().metadata)))
            plan_.gates = gates_of(job().metadata);
        if (is_stopping(job())) return restore();
        const bool runs = !api::batch::is_suspended(job().spec);
        const bool quiet = !runs && job().status.active == 0 && job().status.terminating.value_or(0) == 0;
        if (is_evicted(status_) && (runs || has_reservation(status_))) {
            const api::meta::Condition* evicted = find_condition(status_, names::kWorkloadEvicted);
            if (runs && start_is_reported()) return suspend(evicted->message.str());
            if (quiet && !pods_run()) {
                give_back_quota(status_, generation(), view_.now);
                changed_ = true;
            }
            return;
        }
        if (runs && !is_admitted(status_)) return suspend("The workload is not admitted");
        if (prebuilt() ? !runs && !shape_agrees() : has_drifted(runs)) return follow();
        if (!prebuilt() && priority_has_changed() && follow_priority()) return;
        if (runs)
            report_readiness();
        else if (is_admitted(status_) && quiet && !is_interrupted(job()))
            start();
    }

    // The Workload is being deleted: the Job stops, and only when nothing of it runs is it let go.
    void tear_down() {
        const bool over = api::batch::is_finished(job().status) || job().metadata.deletion_timestamp;
        if (!over && !api::batch::is_suspended(job().spec)) return suspend("The Workload was deleted");
        if (!over && is_stopping(job())) return restore();
        if (!over && (job().status.active != 0 || job().status.terminating.value_or(0) != 0)) return;
        if (!is_finished(status_) && pods_run()) return;
        plan_.release_workload = is_in_use(workload());
    }

    bool finish() {
        for (const JobCondition& condition : job().status.conditions) {
            const bool failed = condition.type == api::batch::kConditionFailed;
            if (!(condition.status == names::kConditionTrue) ||
                !(failed || condition.type == api::batch::kConditionComplete))
                continue;
            set_finished(failed ? names::kFinishedFailed : names::kFinishedSucceeded,
                         condition.message.empty() ? std::string_view(failed ? "The Job failed" : "The Job completed")
                                                   : condition.message.view());
            return true;
        }
        return false;
    }

    // While the Workload holds quota, reclaimablePods only grows. Without quota it is computed from the Job, whose size
    // may have changed.
    void reclaim() {
        if (workload().spec.pod_sets.empty()) return;
        const PodSet& set = workload().spec.pod_sets[0];
        const std::int32_t count = reclaimable_pods(job(), set.count);
        const std::int32_t known = status_.reclaimable_pods.empty() ? 0 : status_.reclaimable_pods[0].count;
        if (count == known || (count < known && has_reservation(status_))) return;
        api::kueue::ReclaimablePod reclaimable;
        reclaimable.name = set.name;
        reclaimable.count = count;
        status_.reclaimable_pods = {reclaimable};
        changed_ = true;
        takes_back_ = count < known;
    }

    void suspend(std::string why) {
        Job draft = job();
        draft.spec.suspend = true;
        // Until the template is as it was: see restore.
        if (view_.workload) draft.metadata.annotations.set(names::kStoppingAnnotation, names::kTrue);
        plan_.job = std::move(draft);
        tell(false, "Stopped", std::move(why));
    }

    // The template may change once nothing runs from it and the Job has no start any more.
    void restore() {
        if (!api::batch::is_suspended(job().spec) || job().status.active != 0) return;
        if (job().status.start_time && !job().status.start_time->is_null()) {
            // A Job controller that takes the start time away does so when it writes the condition.
            plan_.clear_start = api::batch::has_condition(job().status, api::batch::kConditionSuspended);
            return;
        }
        Job draft = job();
        draft.metadata.annotations.erase(names::kStoppingAnnotation);
        if (!workload().spec.pod_sets.empty()) {
            const PodSet& set = workload().spec.pod_sets[0];
            api::core::PodTemplateSpec& pod_template = draft.spec.template_;
            Map<Text> labels = set.template_.metadata.labels;
            for (const auto& [key, value] : pod_template.metadata.labels)
                if (is_job_label(key)) labels.set(key, value);
            pod_template.metadata.labels = std::move(labels);
            pod_template.metadata.annotations = set.template_.metadata.annotations;
            pod_template.spec.node_selector = set.template_.spec.node_selector;
            pod_template.spec.tolerations = set.template_.spec.tolerations;
            if (set.min_count) {
                draft.spec.parallelism = set.count;
                if (completions_follow_parallelism(job())) draft.spec.completions = set.count;
            }
        }
        plan_.job = std::move(draft);
    }

    // Whether the Job asks for other than its Workload does.
    bool has_drifted(bool runs) const {
        if (workload().spec.pod_sets.size() != 1) return true;
        const PodSet& set = workload().spec.pod_sets[0];
        const std::int32_t count = pod_count(job().spec);
        const api::core::PodSpec& pod = job().spec.template_.spec;
        if (runs) {
            std::int32_t admitted = set.count;
            if (set.min_count && status_.admission && !status_.admission->pod_set_assignments.empty())
                admitted = status_.admission->pod_set_assignments[0].count.value_or(set.count);
            // Indexes that were done at the start are completions, too: see completions_for.
            const std::int32_t most = completions_follow_parallelism(job()) ? std::int32_t{set.count} : admitted;
            return count < admitted || count > most || !podqueue::has_grown_from(pod, set.template_.spec);
        }
        return count != set.count || !(min_pod_count(job()) == set.min_count) ||
               !podqueue::same_shape(pod, set.template_.spec) ||
               !(queue_name_of(job().metadata) == workload().spec.queue_name) ||
               !(max_execution_seconds(job().metadata) == workload().spec.maximum_execution_time_seconds);
    }
    bool priority_has_changed() const {
        const Text named = value_under(job().metadata.labels, names::kPriorityClassLabel);
        const auto& reference = workload().spec.priority_class_ref;
        const bool of_class = reference && reference->kind == names::kWorkloadPriorityClassKind;
        return !named.empty() && (!of_class || !(reference->name == named));
    }

    // Another class moves the workload in the queue, or among those that may be preempted. With quota one can be
    // changed and not added. The class is asked for its value only now: later it may mean another, and those that are
    // there keep what they have.
    bool follow_priority() {
        const auto& reference = workload().spec.priority_class_ref;
        if (has_reservation(status_) && (!reference || !(reference->kind == names::kWorkloadPriorityClassKind)))
            return false;
        Workload draft;
        if (!compose(draft)) return false;
        api::kueue::WorkloadSpec spec = workload().spec;
        spec.priority = draft.spec.priority;
        spec.priority_class_ref = draft.spec.priority_class_ref;
        plan_.spec = std::move(spec);
        plan_.notes.push_back({true, false, "UpdatedWorkload", "Updated to the priority class that the Job names"});
        return true;
    }

    // Without quota the Workload is updated to match the Job. With quota it is deleted, and the Job queues again.
    void follow() {
        if (prebuilt())
            return set_finished(names::kFinishedOutOfSync, "The Workload was made for another Job than this");
        if (has_reservation(status_)) {
            tell(false, "DeletedWorkload", "The Job has changed and is queued again");
            plan_.remove_workload = true;
            return;
        }
        // First the status, which fits both: fewer pods than it says to be done would make it invalid.
        if (takes_back_) return;
        Workload draft;
        if (!compose(draft)) return;
        api::kueue::WorkloadSpec spec = workload().spec;
        spec.pod_sets = draft.spec.pod_sets;
        spec.queue_name = draft.spec.queue_name;
        spec.maximum_execution_time_seconds = draft.spec.maximum_execution_time_seconds;
        spec.priority = draft.spec.priority;
        spec.priority_class_ref = draft.spec.priority_class_ref;
        plan_.spec = std::move(spec);
        plan_.notes.push_back({true, false, "UpdatedWorkload", "Updated to what the Job says now"});
    }
    bool shape_agrees() const {
        if (workload().spec.pod_sets.size() != 1) return false;
        const PodSet& set = workload().spec.pod_sets[0];
        return pod_count(job().spec) == set.count &&
               (podqueue::same_shape(job().spec.template_.spec, set.template_.spec) ||
                podqueue::is_described_by(job().spec.template_.spec, set.template_.spec));
    }

    void report_readiness() {
        if (!view_.watch_readiness) return;
        std::int64_t ready = std::int64_t{job().status.succeeded} + job().status.ready.value_or(0);
        if (job().status.uncounted_terminated_pods)
            ready += static_cast<std::int64_t>(job().status.uncounted_terminated_pods->succeeded.size());
        changed_ |= keep_pods_ready(status_, ready >= pod_count(job().spec), generation(), view_.now);
    }

    void start() {
        const auto starts = starts_of(workload(), view_.find_flavor);
        if (!starts.ok() || starts->size() != 1) {
            tell(true, names::kFinishedFailedToStart,
                 starts.ok() ? "The admission has not exactly one set of pods" : starts.error().message);
            plan_.wake_at = view_.now + kLookAgain;
            return;
        }
        Job draft = job();
        const PodSetStart& one = starts->front();
        const Result<> injected = inject_start(one, draft.spec.template_.metadata, draft.spec.template_.spec);
        if (!injected.ok()) {
            tell(true, names::kFinishedFailedToStart, injected.error().message);
            return set_finished(names::kFinishedFailedToStart, injected.error().message);
        }
        draft.spec.suspend = false;
        if (workload().spec.pod_sets[0].min_count) {
            const bool follow = completions_follow_parallelism(job());
            draft.spec.parallelism =
                follow ? completions_for(job(), one.count, workload().spec.pod_sets[0].count) : one.count;
            if (follow) draft.spec.completions = draft.spec.parallelism;
        }
        plan_.job = std::move(draft);
        tell(false, "Started", "Admitted by clusterQueue " + status_.admission->cluster_queue.str());
    }

    const QueuedJobView& view_;
    WorkloadStatus status_;
    bool changed_ = false;
    bool takes_back_ = false;  // what it had given back
    QueuedJobPlan plan_;
};

}  // namespace

Text workload_name_of(const Job& job) {
    Text prebuilt = prebuilt_of(job.metadata);
    if (!prebuilt.empty()) return prebuilt;
    return podqueue::workload_name_for("Job", api::batch::kGroup, job.metadata.name.view(), job.metadata.uid.view());
}

std::int32_t completions_for(const Job& job, std::int32_t admitted, std::int32_t count) {
    return static_cast<std::int32_t>(
        std::min<std::int64_t>(count, indexes_done(job, count).missing_after(std::max(admitted, 0))));
}

std::int32_t reclaimable_pods(const Job& job, std::int32_t count) {
    const std::int32_t parallelism = job.spec.parallelism.value_or(1);
    const std::int32_t completions = job.spec.completions.value_or(parallelism);
    const std::int64_t done =
        api::batch::is_indexed(job.spec) ? indexes_done(job, completions).size() : job.status.succeeded;
    // No more run at once than have to complete, whatever the parallelism.
    const std::int32_t at_once = std::min(parallelism, completions);
    if (at_once <= 1 || done == 0) return 0;
    const std::int64_t left = std::max<std::int64_t>(completions - done, 0);
    return left < at_once ? static_cast<std::int32_t>(std::clamp<std::int64_t>(count - left, 0, count)) : 0;
}

QueuedJobPlan decide_queued_job(const QueuedJobView& view) { return QueuedJob(view).decide(); }

}  // namespace muster::controllers::jobqueue
