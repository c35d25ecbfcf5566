#include "main/queue_admission.h"

#include "api/kinds/all.h"
#include "api/kinds/core/namespace.h"
#include "api/kinds/kueue/kueue_names.h"
#include "api/kinds/kueue/local_queue.h"
#include "api/kinds/kueue/workload.h"
#include "api/kinds/kueue/workload_priority_class.h"
#include "api/validation/queueing/queueing_webhooks.h"
#include "controllers/owners.h"
#include "controllers/queue/jobs/gate.h"
#include "controllers/queue/pods/compose.h"
#include "controllers/queue/pods/gate.h"
#include "controllers/queue/reserved_writes.h"
#include "controllers/queue/workload/queued_metadata.h"
#include "server/identity/user.h"
#include "server/objects/objects.h"

namespace muster {
namespace {

namespace jobqueue = controllers::jobqueue;
namespace podqueue = controllers::podqueue;
using api::batch::Job;
using api::core::Pod;
using api::kueue::QueueConfiguration;
using server::AdmissionRequest;
using server::Objects;
using server::Operation;

template <class K>
server::KindObjectPtr read(const Objects& objects, std::string_view namespace_, std::string_view name) {
    if (name.empty()) return nullptr;
    const auto found = objects.get({api::kind_info<K>(), namespace_, name});
    return found.ok() ? *found : nullptr;
}

template <class K>
K* draft_of(const AdmissionRequest& request) {
    const bool main_part = request.subresource.empty() && request.object;
    return main_part && server::has_type<K>(request.kind) ? &server::as<K>(*request.object) : nullptr;
}
template <class K>
const K& before_of(const AdmissionRequest& request) {
    return server::as<K>(*request.before);
}

// Those inside the process that say no name are the server itself.
controllers::QueueWriter writer_of(const AdmissionRequest& request) {
    return request.user ? controllers::queue_writer(request.user->name) : controllers::QueueWriter{true, true};
}

// What the rules ask of the world; objects stay alive as long as this does.
class QueueSurroundings {
public:
    QueueSurroundings(const QueueConfiguration& configuration, const Objects& objects, std::string_view name)
        : configuration_(configuration),
          objects_(objects),
          name_(name),
          space_(read<api::core::Namespace>(objects, "", name)) {}

    const Map<Text>* namespace_labels() const { return space_ ? &space_->metadata().labels : nullptr; }
    bool covered() const { return controllers::covers_namespace(configuration_, name_, namespace_labels()); }
    bool default_queue() const {
        return read<api::kueue::LocalQueue>(objects_, name_, api::kueue::kDefaultLocalQueueName) != nullptr;
    }
    bool default_class() const {
        return read<api::kueue::WorkloadPriorityClass>(objects_, "", controllers::kDefaultPriorityClass) != nullptr;
    }
    bool driven_group(const Text& group) const {
        const server::KindObjectPtr found = read<api::kueue::Workload>(objects_, name_, group);
        return found && podqueue::is_driven(server::as<api::kueue::Workload>(*found));
    }
    bool is_of_job(const api::meta::ObjectMeta& metadata) const {
        const api::meta::OwnerReference* owner = controllers::controller_of(metadata, controllers::kJobOwner);
        const server::KindObjectPtr found = owner ? read<Job>(objects_, name_, owner->name) : nullptr;
        return found && found->metadata().uid == owner->uid;
    }
    bool managed_owner(const api::meta::ObjectMeta& metadata) {
        return controllers::has_managed_owner(
            metadata, [this](std::string_view, const api::meta::OwnerReference& owner) { return find_owner(owner); });
    }

private:
    std::optional<controllers::Owner> find_owner(const api::meta::OwnerReference& reference) {
        const std::string_view version = reference.api_version;
        const std::size_t slash = version.find('/');
        const std::string_view group = slash == std::string_view::npos ? "" : version.substr(0, slash);
        const api::KindInfo* kind = api::find_kind(
            group, slash == std::string_view::npos ? version : version.substr(slash + 1), reference.kind);
        if (!kind) return std::nullopt;
        const auto found = objects_.get({*kind, kind->options.namespaced ? name_ : "", reference.name});
        if (!found.ok()) return std::nullopt;
        kept_.push_back(*found);
        controllers::Owner owner;
        owner.metadata = &(*found)->metadata();
        owner.managed = server::has_type<Job>(*kind) &&
                        jobqueue::is_managed_job(*owner.metadata, configuration_, namespace_labels());
        return owner;
    }

    const QueueConfiguration& configuration_;
    const Objects& objects_;
    std::string_view name_;
    server::KindObjectPtr space_;
    std::vector<server::KindObjectPtr> kept_;
};

// Owners are looked up last, and only for what would be queued without them.
podqueue::PodSurroundings around_pod(const Pod& pod, const QueueConfiguration& configuration, QueueSurroundings& world,
                                     const controllers::QueueWriter& writer) {
    podqueue::PodSurroundings around;
    around.namespace_labels = world.namespace_labels();
    // The default queue is not for pods whose Job went without it: they are the Job's, and made by its controller.
    const bool of_job = configuration.jobs && writer.makes_pods && world.is_of_job(pod.metadata);
    around.default_queue = podqueue::queue_of(pod).empty() && !of_job && world.default_queue();
    if (podqueue::is_subject(pod, configuration, around)) around.managed_owner = world.managed_owner(pod.metadata);
    return around;
}

jobqueue::JobSurroundings around_job(const Job& job, const QueueConfiguration& configuration,
                                     QueueSurroundings& world) {
    jobqueue::JobSurroundings around;
    around.namespace_labels = world.namespace_labels();
    around.default_queue = controllers::queue_name_of(job.metadata).empty() && world.default_queue();
    if (jobqueue::is_subject(job, configuration, around)) around.managed_owner = world.managed_owner(job.metadata);
    return around;
}

// As Kueue's webhooks answer: 403, and not the 422 of Kubernetes' own rules.
Result<> answer(api::FieldErrors errors, const char* webhook) {
    if (errors.empty()) return {};
    return api::denied_by_webhook({webhook, std::move(errors)});
}

Result<> answer(const AdmissionRequest& request, const std::string& refusal) {
    if (refusal.empty()) return {};
    return server::refuse_request(request, refusal);
}

// What would start pods without quota; see reserved_writes.h.
Result<> check_reserved(const AdmissionRequest& request, const Pod* pod, const Job* job,
                        const QueueConfiguration& configuration, QueueSurroundings& world) {
    const controllers::QueueWriter writer = writer_of(request);
    if (writer.starts_work) return {};
    if (request.operation == Operation::kUpdate) {
        if (pod) return answer(request, controllers::refuse_ungating(*pod, before_of<Pod>(request), writer));
        const Job& before = before_of<Job>(request);
        const bool queued = jobqueue::is_managed_job(before.metadata, configuration, world.namespace_labels());
        return queued ? answer(request, controllers::refuse_resume(*job, before, writer)) : Result<>();
    }
    const api::meta::ObjectMeta& metadata = pod ? pod->metadata : job->metadata;
    const std::string refusal = controllers::refuse_ownership(metadata, pod != nullptr, writer);
    return refusal.empty() || !world.managed_owner(metadata) ? Result<>() : answer(request, refusal);
}

// Only then a rule asks whether the namespace has a default queue.
bool loses_queue(const api::meta::ObjectMeta& now, const AdmissionRequest& request) {
    return controllers::queue_name_of(now).empty() && !controllers::queue_name_of(request.before->metadata()).empty();
}

Result<> validate_pod(const AdmissionRequest& request, const Pod& pod, QueueSurroundings& world) {
    podqueue::PodSurroundings around;
    around.namespace_labels = world.namespace_labels();
    const bool update = request.operation == Operation::kUpdate;
    around.default_queue = update && loses_queue(pod.metadata, request) && world.default_queue();
    // What a driver announced is asked for by those only that do not say themselves how large their group is.
    const Text group = podqueue::group_of(pod);
    if (!group.empty() && !pod.metadata.annotations.contains(api::kueue::kPodGroupTotalCountAnnotation))
        around.driven_group = world.driven_group(group) || (update && podqueue::is_managed(before_of<Pod>(request)));
    return answer(
        update ? podqueue::check_pod_update(pod, before_of<Pod>(request), around) : podqueue::check_pod(pod, around),
        "vpod.kb.io");
}

constexpr std::string_view kLargerJob =
    "the Job has no quota for the pods that were added: it is suspended until its Workload is admitted with all of "
    "them";

// A queued Job that runs and is made larger stops in the same write: none of the pods that it has no quota for starts.
void admit_job_update(AdmissionRequest& request, const QueueConfiguration& configuration, const Objects& objects) {
    Job* job = draft_of<Job>(request);
    if (!job || writer_of(request).starts_work) return;
    QueueSurroundings world(configuration, objects, request.namespace_);
    const Job& before = before_of<Job>(request);
    if (!jobqueue::is_managed_job(before.metadata, configuration, world.namespace_labels()) ||
        world.managed_owner(before.metadata) || !jobqueue::suspend_larger(*job, before))
        return;
    if (request.warnings) request.warnings->emplace_back(kLargerJob);
}

}  // namespace

server::AdmissionStep queue_mutation(QueueConfiguration configuration) {
    return [configuration = std::move(configuration)](AdmissionRequest& request, const Objects& objects) -> Result<> {
        if (request.operation == Operation::kUpdate) admit_job_update(request, configuration, objects);
        if (request.operation != Operation::kCreate) return {};
        if (Pod* pod = draft_of<Pod>(request)) {
            QueueSurroundings world(configuration, objects, request.namespace_);
            if (configuration.pods && podqueue::is_suspended_by_parent(*pod)) {
                podqueue::gate_pod(*pod);
                return {};
            }
            podqueue::PodSurroundings around = around_pod(*pod, configuration, world, writer_of(request));
            if (!podqueue::is_subject(*pod, configuration, around)) return {};
            around.default_class = world.default_class();
            podqueue::admit_pod(*pod, around);
        } else if (Job* job = draft_of<Job>(request)) {
            QueueSurroundings world(configuration, objects, request.namespace_);
            jobqueue::JobSurroundings around = around_job(*job, configuration, world);
            if (!jobqueue::is_subject(*job, configuration, around)) return {};
            around.default_class = world.default_class();
            jobqueue::admit_job(*job, around);
        }
        return {};
    };
}

server::AdmissionStep queue_validation(QueueConfiguration configuration) {
    return [configuration = std::move(configuration)](AdmissionRequest& request, const Objects& objects) -> Result<> {
        if (request.operation == Operation::kDelete) return {};
        const Pod* pod = draft_of<Pod>(request);
        const Job* job = draft_of<Job>(request);
        if (!(pod && configuration.pods) && !(job && configuration.jobs)) return {};
        QueueSurroundings world(configuration, objects, request.namespace_);
        if (!controllers::is_system_namespace(request.namespace_))
            TRY(check_reserved(request, pod, job, configuration, world));
        if (!world.covered()) return {};
        if (pod) return validate_pod(request, *pod, world);
        if (request.operation == Operation::kCreate) return answer(jobqueue::check_job(*job), "vjob.kb.io");
        jobqueue::JobSurroundings around;
        around.default_queue = loses_queue(job->metadata, request) && world.default_queue();
        return answer(jobqueue::check_job_update(*job, before_of<Job>(request), around), "vjob.kb.io");
    };
}

}  // namespace muster
