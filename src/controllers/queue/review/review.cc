#include "controllers/queue/review/review.h"

#include "api/kinds/all.h"
#include "api/kinds/core/namespace.h"
#include "api/kinds/kueue/kueue_names.h"
#include "api/kinds/kueue/local_queue.h"
#include "api/kinds/kueue/workload.h"
#include "api/kinds/kueue/workload_priority_class.h"
#include "client/remote/decode_answer.h"
#include "controllers/owners.h"
#include "controllers/queue/jobs/gate.h"
#include "controllers/queue/pods/group/compose.h"
#include "controllers/queue/pods/group/gate.h"
#include "controllers/queue/workload/queued_metadata.h"

namespace muster::controllers {
namespace {

using api::batch::Job;
using api::core::Pod;
using api::meta::ObjectMeta;
using api::meta::OwnerReference;

constexpr const char* kPodWebhook = "vpod.kb.io";
constexpr const char* kJobWebhook = "vjob.kb.io";

// The questions of the rules to the world, for one write.
class Surroundings {
public:
    explicit Surroundings(const QueueReview& review)
        : review_(review), space_(review.world.find<api::core::Namespace>("", review.namespace_)) {}

    const Map<Text>* namespace_labels() const { return space_ ? &space_->metadata.labels : nullptr; }
    bool covered() const { return covers_namespace(review_.configuration, review_.namespace_, namespace_labels()); }
    bool default_queue() const {
        return review_.world.find<api::kueue::LocalQueue>(review_.namespace_, api::kueue::kDefaultLocalQueueName);
    }
    bool default_class() const {
        return review_.world.find<api::kueue::WorkloadPriorityClass>("", kDefaultPriorityClass);
    }
    bool driven_group(const Text& group) const {
        const auto* found = review_.world.find<api::kueue::Workload>(review_.namespace_, group);
        return found && podqueue::is_driven(*found);
    }
    bool is_of_job(const ObjectMeta& metadata) const {
        const OwnerReference* owner = controller_of(metadata, kJobOwner);
        const Job* found = owner ? review_.world.find<Job>(review_.namespace_, owner->name, owner->uid) : nullptr;
        return found && found->metadata.uid == owner->uid;
    }
    bool is_queued(const Job& job) const {
        return jobqueue::is_managed_job(job.metadata, review_.configuration, namespace_labels());
    }
    bool managed_owner(const ObjectMeta& metadata) const {
        return has_managed_owner(metadata,
                                 [this](std::string_view, const OwnerReference& owner) { return find_owner(owner); });
    }

private:
    std::optional<Owner> find_owner(const OwnerReference& reference) const {
        const std::string_view version = reference.api_version;
        const std::size_t slash = version.find('/');
        const std::string_view group = slash == std::string_view::npos ? "" : version.substr(0, slash);
        const api::KindInfo* kind = api::find_kind(
            group, slash == std::string_view::npos ? version : version.substr(slash + 1), reference.kind);
        if (!kind || !kind->options.plural || reference.name.empty()) return std::nullopt;
        const void* found = review_.world.find_any(*kind, kind->options.namespaced ? review_.namespace_ : "",
                                                   reference.name, reference.uid);
        if (!found) return std::nullopt;
        Owner owner;
        owner.metadata = &client::metadata_of(*kind, found);
        owner.managed = kind == &api::kind_info<Job>() && is_queued(*static_cast<const Job*>(found));
        return owner;
    }

    const QueueReview& review_;
    const api::core::Namespace* space_;
};

// Owners are looked up last, and only for what would be queued without them.
podqueue::PodSurroundings around_new_pod(const Pod& pod, const QueueReview& review, const Surroundings& world) {
    podqueue::PodSurroundings around;
    around.namespace_labels = world.namespace_labels();
    // The default queue is not for pods whose Job went without it: they are the Job's, and made by its controller.
    const bool of_job = review.configuration.jobs && review.writer.makes_pods && world.is_of_job(pod.metadata);
    around.default_queue = podqueue::queue_of(pod).empty() && !of_job && world.default_queue();
    if (podqueue::is_subject(pod, review.configuration, around))
        around.managed_owner = world.managed_owner(pod.metadata);
    return around;
}

// Only then a rule asks whether the namespace has a default queue.
bool loses_queue(const ObjectMeta& now, const ObjectMeta& before) {
    return queue_name_of(now).empty() && !queue_name_of(before).empty();
}

// Why a client that is no Job controller may not make it in the name of a queued Job.
std::string refuse_owner(const ObjectMeta& metadata, bool is_pod, const QueueReview& review,
                         const Surroundings& world) {
    std::string refusal = refuse_ownership(metadata, is_pod, review.writer);
    return refusal.empty() || !world.managed_owner(metadata) ? std::string() : refusal;
}

constexpr const char* kLargerJob =
    "the Job has no quota for the pods that were added: it is suspended until its Workload is admitted with all of "
    "them";

}  // namespace

void admit_new_pod(Pod& pod, const QueueReview& review) {
    if (review.configuration.pods && podqueue::is_suspended_by_parent(pod)) return podqueue::gate_pod(pod);
    const Surroundings world(review);
    podqueue::PodSurroundings around = around_new_pod(pod, review, world);
    if (!podqueue::is_subject(pod, review.configuration, around)) return;
    around.default_class = world.default_class();
    podqueue::admit_pod(pod, around);
}

void admit_new_job(Job& job, const QueueReview& review) {
    const Surroundings world(review);
    jobqueue::JobSurroundings around;
    around.namespace_labels = world.namespace_labels();
    around.default_queue = queue_name_of(job.metadata).empty() && world.default_queue();
    if (jobqueue::is_subject(job, review.configuration, around))
        around.managed_owner = world.managed_owner(job.metadata);
    if (!jobqueue::is_subject(job, review.configuration, around)) return;
    around.default_class = world.default_class();
    jobqueue::admit_job(job, around);
}

std::string admit_changed_job(Job& now, const Job& before, const QueueReview& review) {
    if (review.writer.starts_work) return {};
    const Surroundings world(review);
    if (!world.is_queued(before) || world.managed_owner(before.metadata) || !jobqueue::suspend_larger(now, before))
        return {};
    return kLargerJob;
}

QueueRefusal check_written_pod(const Pod& now, const Pod* before, const QueueReview& review) {
    if (!review.configuration.pods) return {};
    // Most updates of pods have nothing to do with queues.
    if (before && !podqueue::speaks_of_queueing(now) && !podqueue::speaks_of_queueing(*before)) return {};
    const Surroundings world(review);
    if (!is_system_namespace(review.namespace_) && !review.writer.starts_work) {
        std::string reason =
            before ? refuse_ungating(now, *before, review.writer) : refuse_owner(now.metadata, true, review, world);
        if (!reason.empty()) return {.reason = std::move(reason)};
    }
    if (!world.covered()) return {};
    podqueue::PodSurroundings around;
    around.namespace_labels = world.namespace_labels();
    around.default_queue = before && loses_queue(now.metadata, before->metadata) && world.default_queue();
    // What a driver announced is asked for by those only that do not say themselves how large their group is.
    const Text group = podqueue::group_of(now);
    if (!group.empty() && !now.metadata.annotations.contains(api::kueue::kPodGroupTotalCountAnnotation))
        around.driven_group = world.driven_group(group) || (before && podqueue::is_managed(*before));
    return {kPodWebhook, before ? podqueue::check_pod_update(now, *before, around) : podqueue::check_pod(now, around)};
}

QueueRefusal check_written_job(const Job& now, const Job* before, const QueueReview& review) {
    if (!review.configuration.jobs) return {};
    const Surroundings world(review);
    if (!is_system_namespace(review.namespace_) && !review.writer.starts_work) {
        std::string reason;
        if (!before)
            reason = refuse_owner(now.metadata, false, review, world);
        else if (world.is_queued(*before))
            reason = refuse_resume(now, *before, review.writer);
        if (!reason.empty()) return {.reason = std::move(reason)};
    }
    if (!world.covered()) return {};
    if (!before) return {kJobWebhook, jobqueue::check_job(now)};
    jobqueue::JobSurroundings around;
    around.default_queue = loses_queue(now.metadata, before->metadata) && world.default_queue();
    return {kJobWebhook, jobqueue::check_job_update(now, *before, around)};
}

}  // namespace muster::controllers
