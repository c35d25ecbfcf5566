// What the Job controller does to pods: it adopts and disowns them, creates and deletes them, and removes finalizers.
#include "api/kinds/batch_names.h"
#include "base/reached.h"
#include "controllers/job/controller.h"
#include "controllers/job/pods/claim.h"
#include "controllers/job/pods/pod_state.h"
#include "controllers/owners.h"
#include "controllers/unanswered.h"
#include "os/log/log.h"
#include "os/loop/gather.h"

namespace muster::controllers {

using api::batch::Job;
using api::core::Pod;
using client::MetadataPatch;
using client::ObjectName;
using jobs::PodRef;

namespace {

constexpr int kNameTriesMax = 8;
constexpr std::size_t kBurstMax = 64;

bool is_of_job(const Pod& pod, const Text& job_uid) {
    const api::meta::OwnerReference* owner = controller_of(pod.metadata, kJobOwner);
    return owner && owner->uid == job_uid;
}

bool is_namespace_ending(const Error& error) {
    for (const Cause& cause : error.causes)
        if (cause.reason == "NamespaceTerminating") return true;
    return false;
}

}  // namespace

os::Task<Result<bool>> JobController::claim(JobRef job, MemoryRef memory) {
    CO_TRY_ASSIGN(const api::LabelSelector selector, api::LabelSelector::from(job->spec.selector.get()));
    std::vector<PodRef> candidates = pods_of(*job, pending_by_owner_);
    for (PodRef& pod : pods_.indexed(unowned_by_namespace_, job->metadata.namespace_))
        candidates.push_back(std::move(pod));
    const jobs::ClaimPlan plan = jobs::decide_claims(*job, options_.gates, selector, candidates);
    if (plan.adopt.empty() && plan.release.empty()) co_return false;
    // None of them may be about to be counted.
    if (!plan.release.empty() && !memory->lanes.begin_alone()) co_return Error{Code::kConflict, "it is being counted"};
    if (!plan.adopt.empty()) CO_TRY(co_await adopt(job, memory, plan.adopt, plan.adopt_with_finalizer));
    if (!plan.release.empty()) {
        MetadataPatch patch = jobs::release_finalizer();
        patch.remove_owners.push_back(job->metadata.uid);
        CO_TRY(co_await patch_pods(UnseenPods(memory, &memory->pods), plan.release, std::move(patch)));
    }
    co_return true;
}

os::Task<Result<void>> JobController::adopt(JobRef job, MemoryRef memory, std::vector<PodRef> pods,
                                            bool with_finalizer) {
    // The mirror may show a Job that is gone: its pods must not get an owner that no longer exists.
    CO_TRY_ASSIGN(const JobRef fresh, co_await client_.get<Job>(client::name_of(*job)));
    if (!(fresh->metadata.uid == job->metadata.uid) || fresh->metadata.deletion_timestamp)
        co_return Error{Code::kConflict, "the Job is being deleted or was recreated"};
    MetadataPatch patch;
    patch.flow = job->metadata.uid;
    patch.add_owners.push_back(controller_reference(kJobOwner, job->metadata));
    if (with_finalizer) patch.add_finalizers.emplace_back(api::batch::kTrackingFinalizer);
    co_return co_await patch_pods(UnseenPods(memory, &memory->pods), std::move(pods), std::move(patch));
}

os::Task<jobs::PodsOutcome> JobController::change_pods(JobRef job, MemoryRef memory, const jobs::PodsPlan& plan) {
    jobs::PodsOutcome outcome;
    std::vector<os::Task<Result<void>>> removals;
    removals.reserve(plan.remove.size());
    for (const jobs::Removal& removal : plan.remove) removals.push_back(remove_pod(memory, removal));
    const std::vector<Result<void>> removed = co_await os::gather(loop_, std::move(removals));
    std::vector<client::Note> notes;
    for (std::size_t i = 0; i < removed.size(); ++i) {
        outcome.removed.push_back(removed[i].ok());
        const jobs::PodRef& pod = plan.remove[i].pod;
        if (removed[i].ok())
            notes.push_back(client::Note::normal("SuccessfulDelete", "Deleted pod: " + pod->metadata.name.str()));
        else if (removed[i].error().code == Code::kConflict)  // it has changed since, and is looked at again
            REACHED("a pod that is to be removed has changed since");
        else
            notes.push_back(client::Note::warning("FailedDelete", "Error deleting: " + removed[i].error().message));
    }
    if (!removed.empty()) LOG_INFO(2, "Removed pods", {"job", client::name_of(*job)}, {"count", removed.size()});
    tell(*job, notes);
    if (!plan.create.empty()) co_await create_pods(job, memory, plan, outcome);
    co_return outcome;
}

os::Task<void> JobController::create_pods(JobRef job, MemoryRef memory, const jobs::PodsPlan& plan,
                                          jobs::PodsOutcome& outcome) {
    const std::int64_t generation = job->metadata.generation;
    if (!memory->mold || memory->mold_generation != generation) {
        const bool with_finalizer = !jobs::needs_all_pods(*job, options_.gates);
        memory->mold = std::make_unique<jobs::PodMold>(*job, with_finalizer);
        memory->mold_generation = generation;
    }
    // One first, then eight times as many each time, as long as all succeed: a quota that refuses them is not asked
    // 500 times. The next sync goes on with what has worked.
    std::size_t next = 0;
    std::size_t failed = 0;
    memory->under_way = plan.create.size();
    for (std::size_t batch = memory->burst; next < plan.create.size() && failed == 0; batch *= 8) {
        if (memory->lanes.count_waits()) {
            outcome.interrupted = true;
            break;
        }
        if (batch <= kBurstMax) memory->burst = batch;
        std::vector<os::Task<Result<PodRef>>> creations;
        for (std::size_t i = 0; i < batch && next < plan.create.size(); ++i, ++next)
            creations.push_back(create_pod(job, memory, plan.create[next]));
        std::vector<client::Note> notes;
        for (const Result<PodRef>& created : co_await os::gather(loop_, std::move(creations))) {
            --memory->under_way;
            if (created.ok()) {
                ++outcome.created;
                memory->pods.created(**created);
                notes.push_back(
                    client::Note::normal("SuccessfulCreate", "Created pod: " + (*created)->metadata.name.str()));
                continue;
            }
            ++failed;
            // Nothing can be made there any more, and the Job goes with the namespace.
            if (!is_namespace_ending(created.error()))
                notes.push_back(client::Note::warning("FailedCreate", "Error creating: " + created.error().message));
        }
        tell(*job, notes);
    }
    if (failed > 0) memory->burst = 1;
    memory->under_way = 0;
    LOG_INFO(2, "Created pods", {"job", client::name_of(*job)}, {"count", outcome.created}, {"failed", failed});
    jobs::count_creations(metrics_, plan.creation_reason, outcome.created, failed);
}

os::Task<Result<PodRef>> JobController::create_pod(JobRef job, MemoryRef memory, jobs::PodDraft plan) {
    const auto is_known = [&](const Text& name) {
        return pods_.get(ObjectName(job->metadata.namespace_, name)) != nullptr;
    };
    Pod draft = memory->mold->make(plan);
    for (int tries = 1;; ++tries) {
        const jobs::PodName name = memory->names.next(draft.metadata.generate_name, plan.index, is_known);
        draft.metadata.name = name.text;
        Result<PodRef> created = co_await client_.create<Pod>(draft);
        if (created.ok()) co_return created;
        if (may_have_happened(created.error())) memory->names.unanswered(plan.index, name.text);
        if (created.error().code != Code::kAlreadyExists) co_return created;
        // The answer to an earlier creation was lost, or the request came twice: then the pod is ours.
        const Result<PodRef> there = co_await client_.get<Pod>(client::name_of(draft));
        if (!there.ok()) co_return created;
        if (name.repeated) REACHED("a pod was made by a creation whose answer was lost");
        if (is_of_job(**there, job->metadata.uid)) co_return there;
        if (tries == kNameTriesMax) co_return created;
    }
}

os::Task<Result<void>> JobController::remove_pod(MemoryRef memory, jobs::Removal removal) {
    const ObjectName name = client::name_of(*removal.pod);
    if (removal.release_first && jobs::has_tracking_finalizer(*removal.pod)) {
        // Only as it was seen: if it has ended since, it is to be counted after all.
        MetadataPatch patch = jobs::release_finalizer();
        patch.resource_version = removal.pod->metadata.resource_version;
        const auto released = co_await patch_pod(removal.pod, std::move(patch));
        if (!released.ok()) co_return is_gone(released.error()) ? Result<void>() : released.error();
    }
    client::Removal remove(removal.pod->metadata.uid);
    remove.flow = client::flow_of(removal.pod->metadata);
    // The same where the Job's end takes it: what is told of it then, it must not have ended otherwise before.
    if (!removal.release_first) remove.resource_version = removal.pod->metadata.resource_version;
    const auto removed = co_await client_.remove<Pod>(name, std::move(remove));
    if (!removed.ok() && !is_gone(removed.error())) co_return removed.error();
    memory->pods.removed(*removal.pod);
    co_return Result<void>();
}

os::Task<Result<PodRef>> JobController::patch_pod(PodRef pod, MetadataPatch patch) {
    patch.uid = pod->metadata.uid;
    if (patch.flow.empty()) patch.flow = client::flow_of(pod->metadata);
    return client_.patch_metadata<Pod>(client::name_of(*pod), std::move(patch));
}

// All of them, whatever becomes of some; then the first error, if there was one. A pod that is gone needs no patch.
os::Task<Result<void>> JobController::patch_pods(UnseenPods unseen, std::vector<PodRef> pods, MetadataPatch patch) {
    std::vector<os::Task<Result<PodRef>>> patches;
    patches.reserve(pods.size());
    for (const PodRef& pod : pods) patches.push_back(patch_pod(pod, patch));
    const std::vector<Result<PodRef>> patched = co_await os::gather(loop_, std::move(patches));
    Result<void> first_error;
    for (std::size_t i = 0; i < patched.size(); ++i) {
        if (patched[i].ok()) {
            unseen->wrote(**patched[i]);
        } else if (is_gone(patched[i].error())) {
            REACHED("a pod is gone before its finalizer is released");
            unseen->released(*pods[i]);
        } else if (first_error.ok()) {
            first_error = patched[i].error();
        }
    }
    co_return first_error;
}

}  // namespace muster::controllers
