#include "controllers/queue/pods/admitted.h"

#include <algorithm>
#include <unordered_set>

#include "api/defaults/pod.h"
#include "api/kinds/kueue/kueue_names.h"
#include "base/saturate.h"
#include "controllers/queue/pods/gate.h"
#include "controllers/queue/pods/roles.h"
#include "controllers/queue/pods/shape.h"
#include "controllers/queue/workload/queued_metadata.h"
#include "controllers/queue/workload/words.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers::podqueue {
namespace {

namespace names = api::kueue;
using api::core::Pod;
using api::kueue::Workload;
using api::kueue::WorkloadStatus;

constexpr Duration kLookAgain = 5s;

bool says(const Pod& pod, const char* annotation) {
    return value_under(pod.metadata.annotations, annotation) == names::kTrue;
}

bool is_pod_ready(const Pod& pod) {
    for (const api::core::PodCondition& condition : pod.status.conditions)
        if (condition.type == "Ready") return condition.status == "True";
    return false;
}

// Drops pods that have succeeded and have no finalizer: they belong to a former Workload of this name.
std::vector<Member> without_former(std::vector<Member> members, bool grouped) {
    if (grouped) std::erase_if(members, [](const Member& member) { return member.succeeded && !member.held; });
    return members;
}

// One decision about one group; its methods are its steps.
class WithWorkload {
public:
    WithWorkload(const GroupView& view, std::vector<Member> members)
        : view_(view),
          workload_(*view.workload),
          members_(without_former(std::move(members), !view.group.empty())),
          roles_(survey_roles(members_, workload_)),
          status_(workload_.status),
          driven_(is_driven(workload_)),
          serving_(!view.group.empty() && is_serving(workload_)) {
        if (view.group.empty()) roles_alone();
        for (const Member& member : members_) {
            serving_ |= serves(*member.pod) && !view.group.empty();
            fast_ |= says(*member.pod, names::kPodGroupFastAdmissionAnnotation);
            unended_ += member.ended() || member.is_lost() ? 0 : 1;
        }
    }

    GroupPlan decide() {
        if (members_.empty()) return decide_empty();
        if (finish()) return close();
        const bool holds_on = has_reservation(status_) || some_run();
        if ((is_evicted(status_) && holds_on) || (!is_admitted(status_) && some_run())) {
            stop();
        } else {
            reject();
            replace();
            mend_spec();
            mend_gates();
            start();
        }
        release();
        report();
        return close();
    }

private:
    std::int64_t generation() const { return workload_.metadata.generation; }
    bool some_run() const {
        return std::any_of(members_.begin(), members_.end(), [](const Member& member) { return member.runs(); });
    }
    const api::kueue::PodSet& set(std::size_t role) const { return workload_.spec.pod_sets[role]; }

    // A single pod is its Workload's only set, whatever its spec has become.
    void roles_alone() {
        roles_.assign(1, Role());
        roles_[0].count = 1;
        for (std::size_t i = 0; i < members_.size(); ++i) {
            Member& member = members_[i];
            member.role = 0;
            if (member.succeeded)
                ++roles_[0].succeeded;
            else if (member.failed)
                roles_[0].failed.push_back(i);
            else if (!member.deleting)
                roles_[0].live.push_back(i);
            else if (member.runs())
                ++roles_[0].ending;
        }
    }

    void set_finished(const char* reason, std::string message) {
        changed_ |= set_condition(status_, names::kWorkloadFinished, true, reason, message, generation(), view_.now);
        plan_.notes.push_back({{},
                               false,
                               "FinishedWorkload",
                               "Workload '" + view_.workload->metadata.namespace_.str() + "/" +
                                   workload_.metadata.name.str() + "' is declared finished"});
        for (const Member& member : members_)
            if (member.held) let_go(member.pod);
    }

    // Without pods. One that was made before them waits for them, and one that was evicted for others in their place:
    // it has no owners then, see release.
    GroupPlan decide_empty() {
        const bool evicted = !view_.group.empty() && is_evicted(status_) && workload_.metadata.owner_references.empty();
        if (!is_in_use(workload_)) return close();
        if (!evicted) {
            set_finished(reason_of(Word::kOwnerNotFound), say(Word::kOwnerNotFound));
            return close();
        }
        if (has_reservation(status_)) stop();
        report();
        return close();
    }

    // Whether the group is over; then nothing else is to be done.
    bool finish() {
        if (serving_) return false;
        reclaim();
        return view_.group.empty() ? finish_single() : finish_group();
    }

    bool finish_single() {
        const Member& member = members_.front();
        // On its way out it needs no quota that it does not have, though its node may not have answered yet.
        const bool leaves = member.deleting && !has_reservation(status_);
        if (!member.ended() && !member.is_lost() && !leaves) return false;
        if (!member.ended())
            set_finished(reason_of(Word::kOwnerNotFound), say(Word::kOwnerNotFound));
        else if (member.succeeded)
            set_finished(names::kFinishedSucceeded, message_or(*member.pod, "The pod succeeded"));
        else
            set_finished(names::kFinishedFailed, message_or(*member.pod, "The pod failed"));
        return true;
    }
    static std::string message_or(const Pod& pod, const char* otherwise) {
        return pod.status.message.empty() ? otherwise : pod.status.message.str();
    }

    bool finish_group() {
        std::int64_t total = 0;
        std::int64_t succeeded = 0;
        for (const Role& role : roles_) {
            total += role.count;
            succeeded += std::min(role.count, role.succeeded);
        }
        const bool given_up = std::any_of(members_.begin(), members_.end(), [](const Member& member) {
            return member.ended() && is_unretriable(*member.pod);
        });
        if (succeeded < total && unended_ == 0 && !given_up && !drivers_done() && all_leave()) {
            set_finished(reason_of(Word::kOwnerNotFound), say(Word::kOwnerNotFound));
            return true;
        }
        if (succeeded < total && (unended_ > 0 || !(given_up || drivers_done()))) return false;
        set_finished(succeeded == total || (driven_ && !given_up) ? names::kFinishedSucceeded : names::kFinishedFailed,
                     "Pods succeeded: " + std::to_string(succeeded) + "/" + std::to_string(total) + ".");
        return true;
    }

    // All pods were deleted by their owner, and those that have succeeded would wait for others that never come. What
    // was stopped is to be replaced.
    bool all_leave() const {
        return std::any_of(members_.begin(), members_.end(), [](const Member& member) { return member.succeeded; }) &&
               std::all_of(members_.begin(), members_.end(),
                           [](const Member& member) { return member.deleting && !member.stopped; });
    }

    // A driver that has succeeded makes no more workers.
    bool drivers_done() const {
        if (!driven_) return false;
        std::vector<std::int32_t> done(roles_.size(), 0);
        std::vector<bool> driving(roles_.size(), false);
        for (const Member& member : members_) {
            if (member.role < 0 || !drives(*member.pod)) continue;
            driving[static_cast<std::size_t>(member.role)] = true;
            done[static_cast<std::size_t>(member.role)] += member.succeeded ? 1 : 0;
        }
        bool some = false;
        for (std::size_t i = 0; i < roles_.size(); ++i) {
            if (!driving[i]) continue;
            some = true;
            if (done[i] < 1) return false;
        }
        return some;
    }

    // Gives back the quota of succeeded pods. While the Workload holds quota, reclaimablePods only grows; without quota
    // it is computed from the pods.
    void reclaim() {
        if (view_.group.empty()) return;
        const bool holds = has_reservation(status_);
        List<api::kueue::ReclaimablePod> given;
        for (std::size_t i = 0; i < roles_.size(); ++i) {
            api::kueue::ReclaimablePod one;
            one.name = set(i).name;
            one.count = std::min(roles_[i].succeeded, roles_[i].count);
            const api::kueue::ReclaimablePod* before = holds ? given_before(one.name) : nullptr;
            if (before) one.count = std::max(one.count, before->count);
            if (before || one.count > 0) given.edit().push_back(std::move(one));
        }
        if (given == status_.reclaimable_pods) return;
        status_.reclaimable_pods = std::move(given);
        changed_ = true;
        recounted_ = !holds;
    }
    const api::kueue::ReclaimablePod* given_before(const Text& name) const {
        for (const api::kueue::ReclaimablePod& one : workload_.status.reclaimable_pods)
            if (one.name == name) return &one;
        return nullptr;
    }

    // Evicted, or started without leave: what runs goes; its quota is free when it has gone.
    void stop() {
        const api::meta::Condition* evicted = find_condition(status_, names::kWorkloadEvicted);
        const bool is_eviction = evicted && evicted->status == names::kConditionTrue;
        bool quiet = true;
        for (const Member& member : members_) {
            if (!member.runs()) continue;
            if (!member.deleting) {
                plan_.remove.push_back({member.pod, WhyRemoved::kStopped,
                                        is_eviction ? evicted->message.str() : "The workload is not admitted",
                                        is_eviction ? evicted->reason.str() : "NotAdmitted"});
                quiet = false;
                continue;
            }
            if (!is_awaited(member, view_.now)) continue;
            quiet = false;
            wake_by(plan_, given_up_at(*member.pod));
        }
        if (!quiet || !has_reservation(status_)) return;
        give_back_quota(status_, generation(), view_.now);
        changed_ = true;
        // Nothing comes back of a pod alone that ran, which would only take quota again.
        if (view_.group.empty() && !members_.empty() && members_.front().deleting)
            set_finished(reason_of(Word::kOwnerNotFound), say(Word::kOwnerNotFound));
    }

    // Pods beyond the count of their role, and pods of no role.
    void reject() {
        // Without quota the Workload still follows its pods, a driven one its driver: see mend_spec.
        if (!has_reservation(status_) && !driven_) return;
        for (std::size_t i = 0; i < roles_.size(); ++i) {
            Role& role = roles_[i];
            for (std::size_t excess = role.excess(); excess > 0; --excess) {
                const Member& member = members_[role.live.back()];
                role.live.pop_back();
                reject_one(
                    member, kExcess,
                    "The group has more pods" + (driven_ ? " of the set \"" + set(i).name.str() + "\" than it announced"
                                                         : std::string(" than its total count says")));
            }
        }
        for (const Member& member : members_)
            if (member.role < 0 && member.waits() && !(drives(*member.pod) && !has_reservation(status_)))
                reject_one(member, kUnknownShape, explain_no_role(*member.pod, workload_));
    }
    void reject_one(const Member& member, const char* reason, std::string why) {
        plan_.remove.push_back({member.pod, WhyRemoved::kRejected, std::move(why), reason});
        rejected_.insert(member.pod.get());
        if (member.held) let_go(member.pod);
    }
    bool is_rejected(const Member& member) const { return rejected_.contains(member.pod.get()); }
    void let_go(const PodRef& pod) {
        if (released_.insert(pod.get()).second) plan_.release.push_back(pod);
    }

    // New members own the Workload, too; only then may those go whose place they take, those first that failed first.
    void replace() {
        if (view_.group.empty()) return;
        const OwnerUids owners(workload_);
        for (const Member& member : members_) {
            if (member.role < 0 || member.deleting || member.is_lost() || is_rejected(member)) continue;
            if (!owners.contain(*member.pod)) plan_.add_owners.push_back(owner_reference(*member.pod, false));
        }
        for (const Role& role : roles_)
            for (std::size_t i = 0; i < role.replaced(); ++i) {
                const Member& member = members_[role.failed[i]];
                if (member.held && !is_unretriable(*member.pod)) let_go(member.pod);
            }
    }

    // While no quota is reserved, the Workload follows its pods: another queue, another shape, other sets.
    void mend_spec() {
        const bool beforehand = !prebuilt_of(members_.front().pod->metadata).empty();
        if (has_reservation(status_) && !beforehand) return mend_reserved();
        if (serving_) return;
        std::vector<Member> waiting;
        for (const Member& member : members_) {
            if (member.succeeded || member.runs()) return tell_strangers();
            if (member.waits() && !is_rejected(member)) waiting.push_back(member);
        }
        if (waiting.empty()) return;
        // Workers alone say nothing of their group.
        if (driven_ &&
            std::none_of(waiting.begin(), waiting.end(), [](const Member& member) { return drives(*member.pod); }))
            return;
        // A class that is gone was worth something when the Workload got it.
        const FindPriority find_priority = [this](const Text& name) {
            const auto& reference = workload_.spec.priority_class_ref;
            const bool has_it =
                reference && reference->kind == names::kWorkloadPriorityClassKind && reference->name == name;
            const auto value = view_.find_priority(name);
            return value || !has_it ? value : workload_.spec.priority;
        };
        Composed composed = compose_workload(view_.group, waiting, find_priority);
        if (!composed.complaint.empty()) {
            plan_.notes.push_back({composed.about, true, composed.reason, composed.complaint});
            wake_by(plan_, view_.now + kLookAgain);
        }
        // No Workload would be created for the pods as they are now, so the Workload gets no quota.
        if (!has_reservation(status_)) missing_ = composed.complaint + composed.missing;
        if (!composed.missing.empty() && !missing_.empty() && absent() == 0)
            plan_.notes.push_back({composed.about, false, "WaitingForPods", missing_});
        if (!composed.draft) return;
        if (beforehand) {
            if (!driven_ && !agrees(*composed.draft))
                set_finished(names::kFinishedOutOfSync, "The Workload was made for other pods than these");
            return;
        }
        for (const PodRef& pod : composed.excess) {
            plan_.remove.push_back(
                {pod, WhyRemoved::kRejected, "The group has more pods than its total count says", kExcess});
            rejected_.insert(pod.get());
            let_go(pod);
        }
        api::kueue::WorkloadSpec spec = workload_.spec;
        spec.queue_name = composed.draft->spec.queue_name;
        // A class that means another value now means it for those that come later.
        if (!(spec.priority_class_ref == composed.draft->spec.priority_class_ref)) {
            spec.priority = composed.draft->spec.priority;
            spec.priority_class_ref = composed.draft->spec.priority_class_ref;
        }
        spec.maximum_execution_time_seconds = composed.draft->spec.maximum_execution_time_seconds;
        if (driven_ == is_driven(*composed.draft) && shapes_changed(*composed.draft))
            spec.pod_sets = composed.draft->spec.pod_sets;
        // First the status, which fits both: with a set in it that is no more every later one would be invalid.
        if (!(spec == workload_.spec) && !recounted_) plan_.spec = std::move(spec);
    }
    // With quota: the class of its priority, and until it is admitted how long it may run.
    void mend_reserved() {
        api::kueue::WorkloadSpec spec = workload_.spec;
        mend_priority(spec);
        if (!is_admitted(status_) && members_.front().waits())
            spec.maximum_execution_time_seconds = max_execution_seconds(members_.front().pod->metadata);
        if (!(spec == workload_.spec)) plan_.spec = std::move(spec);
    }
    // Another class moves the workload among those that may be preempted; one cannot be added now. The class is asked
    // for its value only then: later it may mean another, and those that are there keep what they have.
    void mend_priority(api::kueue::WorkloadSpec& spec) const {
        const auto& reference = workload_.spec.priority_class_ref;
        if (!reference || !(reference->kind == names::kWorkloadPriorityClassKind)) return;
        const Text named = value_under(members_.front().pod->metadata.labels, names::kPriorityClassLabel);
        if (named.empty() || named == reference->name) return;
        const std::optional<std::int32_t> value = view_.find_priority(named);
        if (!value) return;
        spec.priority = *value;
        spec.priority_class_ref.edit().name = named;
    }
    // A part of the group is done, so its sets stay as they are, and those of no set will not be let through.
    void tell_strangers() {
        for (const Member& member : members_)
            if (member.role < 0 && member.waits() && !is_rejected(member))
                plan_.notes.push_back({member.pod, true, kNoSet, explain_no_role(*member.pod, workload_)});
    }
    // Who holds the oldest of those that wait back holds the group back.
    void mend_gates() {
        if (has_reservation(status_)) return;
        for (const Member& member : members_) {
            if (!member.waits() || is_rejected(member)) continue;
            const Text gates = gates_of(member.pod->metadata);
            if (prebuilt_of(member.pod->metadata).empty() && !(gates == gates_of(workload_.metadata)))
                plan_.gates = gates;
            return;
        }
    }
    // Whether what was made beforehand is for these pods, whatever its sets are called.
    bool agrees(const Workload& draft) const {
        const auto& made = workload_.spec.pod_sets;
        const auto& asked = draft.spec.pod_sets;
        return made.size() == asked.size() && std::all_of(asked.begin(), asked.end(), [&](const auto& wanted) {
                   return std::any_of(made.begin(), made.end(), [&](const auto& set) {
                       return set.count == wanted.count && (same_shape(wanted.template_.spec, set.template_.spec) ||
                                                            is_described_by(wanted.template_.spec, set.template_.spec));
                   });
               });
    }
    bool shapes_changed(const Workload& draft) const {
        const auto& old = workload_.spec.pod_sets;
        const auto& now = draft.spec.pod_sets;
        return !std::equal(old.begin(), old.end(), now.begin(), now.end(),
                           [this](const api::kueue::PodSet& a, const api::kueue::PodSet& b) {
                               return a.name == b.name && a.count == b.count && same_template(a, b);
                           });
    }
    // What a driver announces is written by hand, and a server may have filled it in since.
    bool same_template(const api::kueue::PodSet& a, const api::kueue::PodSet& b) const {
        if (!driven_) return same_shape(a.template_.spec, b.template_.spec);
        api::core::PodTemplateSpec left = a.template_;
        api::core::PodTemplateSpec right = b.template_;
        api::default_pod_template(left);
        api::default_pod_template(right);
        return same_shape(left.spec, right.spec);
    }

    // Those that are admitted and wait are let through, as many as there is quota for.
    void start() {
        if (!is_admitted(status_) || is_finished(status_)) return;
        const bool some_wait = std::any_of(members_.begin(), members_.end(),
                                           [](const Member& member) { return member.waits() && member.role >= 0; });
        if (!some_wait || waits_for_first_pods()) return;
        auto starts = starts_of(workload_, view_.find_flavor);
        if (!starts.ok()) {
            plan_.notes.push_back({{}, true, names::kFinishedFailedToStart, starts.error().message});
            plan_.wake_at = view_.now + kLookAgain;
            return;
        }
        for (std::size_t i = 0; i < roles_.size(); ++i)
            for (const PodSetStart& one : *starts)
                if (one.name == set(i).name) start_role(roles_[i], one);
        if (is_finished(status_)) plan_.start.clear();  // one of them cannot start, and so none does
    }
    // A Workload that was made before its pods may have quota before they are all there; they start together.
    bool waits_for_first_pods() const {
        const bool beforehand = !prebuilt_of(members_.front().pod->metadata).empty();
        return beforehand && !driven_ && absent() > 0 &&
               std::all_of(members_.begin(), members_.end(),
                           [](const Member& member) { return member.waits() || (member.gated && member.deleting); });
    }
    void start_role(const Role& role, const PodSetStart& start) {
        std::int32_t room = role.room(members_);
        for (const std::size_t at : role.live) {
            if (room == 0) return;
            const Member& member = members_[at];
            if (!member.waits()) continue;
            --room;
            Pod draft = *member.pod;
            const Result<> injected = inject_start(start, draft.metadata, draft.spec);
            if (!injected.ok()) {
                refuse_start(member, injected.error().message);
                continue;
            }
            auto& gates = draft.spec.scheduling_gates.edit();
            gates.erase(std::remove_if(gates.begin(), gates.end(),
                                       [](const api::core::PodSchedulingGate& gate) {
                                           return gate.name == names::kAdmissionGate ||
                                                  gate.name == names::kTopologyGate;
                                       }),
                        gates.end());
            if (gates.empty()) draft.spec.scheduling_gates.reset();
            // A former Workload of this name may have let go of it: its end has to be counted for this one.
            if (!member.held && !is_suspended_by_parent(draft))
                draft.metadata.finalizers.edit().emplace_back(names::kPodFinalizer);
            plan_.start.push_back({member.pod, std::make_shared<const Pod>(std::move(draft))});
        }
    }
    // A worker is one of many, and so is a replacement among those that run with the group's quota; what was there
    // beforehand cannot run without it.
    void refuse_start(const Member& member, const std::string& why) {
        const bool some_run =
            std::any_of(members_.begin(), members_.end(), [](const Member& other) { return other.runs(); });
        if (driven_ || some_run) return reject_one(member, names::kFinishedFailedToStart, why);
        plan_.notes.push_back({member.pod, true, names::kFinishedFailedToStart, why});
        set_finished(names::kFinishedFailedToStart, why);
    }

    // Removes the finalizer from deleted pods that can no longer run, so that their deletion does not wait. Succeeded
    // pods are kept until the group has finished, also those that succeeded while they were being stopped. A driven
    // group restarts instead, see survey_roles.
    void release() {
        const bool evicted = is_evicted(workload_.status);
        const bool restarts = driven_ && evicted && !has_reservation(workload_.status);
        const OwnerUids owners(workload_);
        for (const Member& member : members_) {
            if (!member.held) continue;
            const bool over = member.deleting && (member.is_lost() || (member.ended() && (restarts || serving_)));
            const bool remains = evicted && member.failed;
            // A serving group never finishes, so its unretriable pods need not be remembered.
            const bool gives_up = is_unretriable(*member.pod) && member.ended() && !serving_;
            if ((!over && !remains) || gives_up) continue;
            let_go(member.pod);
            // The Workload stays for those that take the place of what was evicted.
            if (evicted && member.stopped && !view_.group.empty() && owners.contain(*member.pod))
                plan_.remove_owners.push_back(member.pod->metadata.uid);
        }
    }

    // Pods that are missing, and whether all are ready.
    void report() {
        report_absent();
        if (view_.watch_readiness && is_admitted(status_)) {
            bool ready = absent() == 0;
            for (const Member& member : members_)
                if (member.role >= 0 && !member.ended() && !member.is_lost()) ready &= is_pod_ready(*member.pod);
            changed_ |= keep_pods_ready(status_, ready, generation(), view_.now);
        }
    }
    std::int32_t absent() const {
        if (driven_) return has_driver() ? 0 : 1;
        std::int32_t sum = 0;
        bool some = false;
        for (const Role& role : roles_) {
            sum = add_sat(sum, role.absent());
            some |= role.absent() < role.count;
        }
        // Of a group that grows, one is enough.
        return fast_ && some ? 0 : sum;
    }
    // The driver creates workers when it needs them and ends the group, so only the driver must be present.
    bool has_driver() const {
        const bool restarts = is_evicted(workload_.status) && !has_reservation(workload_.status);
        return std::any_of(members_.begin(), members_.end(), [&](const Member& member) {
            if (!drives(*member.pod) || is_rejected(member)) return false;
            if (member.succeeded) return !(restarts && member.deleting);
            return !member.failed && (!member.deleting || member.runs());
        });
    }
    void report_absent() {
        if (view_.group.empty()) return;
        const char* type = names::kWorkloadWaitingForReplacementPods;
        const bool whole = absent() == 0;
        if (whole && missing_.empty()) {
            if (is_true(status_, type))
                changed_ |= set_condition(status_, type, false, reason_of(Word::kReplacementsReady),
                                          say(Word::kReplacementsReady), generation(), view_.now);
            return;
        }
        const api::meta::Condition* evicted = find_condition(status_, names::kWorkloadEvicted);
        const bool is_eviction = evicted && evicted->status == names::kConditionTrue;
        changed_ |=
            set_condition(status_, type, true,
                          is_eviction ? evicted->reason.view() : std::string_view(reason_of(Word::kReplacementsNeeded)),
                          whole         ? missing_
                          : is_eviction ? evicted->message.str()
                                        : say(Word::kReplacementsNeeded),
                          generation(), view_.now);
    }

    GroupPlan close() {
        if (changed_) plan_.status = std::move(status_);
        return std::move(plan_);
    }

    const GroupView& view_;
    const Workload& workload_;
    std::vector<Member> members_;
    std::vector<Role> roles_;
    WorkloadStatus status_;
    bool driven_;
    bool serving_;
    bool fast_ = false;
    int unended_ = 0;
    bool changed_ = false;
    bool recounted_ = false;                   // reclaimablePods were computed without quota
    std::string missing_;                      // what its pods, as they are now, wait for
    std::unordered_set<const Pod*> rejected_;  // in plan_.remove
    std::unordered_set<const Pod*> released_;  // in plan_.release
    GroupPlan plan_;
};

}  // namespace

GroupPlan decide_with_workload(const GroupView& view, std::vector<Member> members) {
    return WithWorkload(view, std::move(members)).decide();
}

}  // namespace muster::controllers::podqueue
