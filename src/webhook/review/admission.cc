#include "webhook/review/admission.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <memory>

#include "api/codec/dom.h"
#include "api/defaults/queueing.h"
#include "api/kinds/all.h"
#include "api/kinds/kind_list.h"
#include "api/patch/json_diff.h"
#include "api/validation/queueing/queueing.h"
#include "api/validation/queueing/queueing_warnings.h"
#include "api/validation/queueing/queueing_webhooks.h"
#include "api/validation/queueing/workload.h"
#include "controllers/queue/review/review.h"
#include "webhook/objects/names.h"

namespace muster::webhook {
namespace {

using api::admission::AdmissionRequest;
using api::admission::AdmissionResponse;
using api::batch::Job;
using api::core::Pod;
using controllers::QueueReview;
using controllers::QueueWorld;

using QueueingKinds =
    api::KindList<api::kueue::AdmissionCheck, api::kueue::ClusterQueue, api::kueue::Cohort, api::kueue::LocalQueue,
                  api::kueue::ResourceFlavor, api::kueue::Workload, api::kueue::WorkloadPriorityClass>;

constexpr std::size_t kObjectBytesMax = 8u << 20;

api::DecodeLimits object_limits() {
    api::DecodeLimits limits;
    limits.bytes_max = kObjectBytesMax;
    limits.keep_unknown = true;
    limits.dialect = api::Dialect::kKubernetes;
    return limits;
}

// The object of a request. An object without a namespace is one of the request's.
template <class K>
Result<K> read_object(std::string_view text, const AdmissionRequest& request) {
    K object{};
    TRY_ASSIGN([[maybe_unused]] const api::Decoded decoded,
               api::decode_json(K::info(), &object, text, object_limits()));
    if (object.metadata.namespace_.empty()) object.metadata.namespace_ = request.namespace_;
    return object;
}

AdmissionResponse allow(const AdmissionRequest& request) {
    AdmissionResponse response;
    response.uid = request.uid;
    response.allowed = true;
    return response;
}

AdmissionResponse unreadable(const AdmissionRequest& request, const Error& error) {
    return refuse_review(request, 400, "BadRequest", "the object cannot be read: " + error.message);
}

// Allowed with what differs between the two.
template <class K>
AdmissionResponse answer_with(const AdmissionRequest& request, const K& before, const K& after) {
    AdmissionResponse response = allow(request);
    if (before == after) return response;
    const auto patch = [&]() -> Result<boost::json::array> {
        TRY_ASSIGN(const boost::json::value document, api::parse_dom(request.object.json, object_limits()));
        TRY_ASSIGN(const boost::json::value old_tree, api::to_dom(K::info(), &before));
        TRY_ASSIGN(const boost::json::value new_tree, api::to_dom(K::info(), &after));
        return api::diff_document(document, old_tree, new_tree);
    }();
    if (!patch.ok()) return unreadable(request, patch.error());
    if (patch->empty()) return response;
    response.patch.bytes = Text(boost::json::serialize(*patch));
    response.patch_type = Text(api::admission::kJsonPatch);
    return response;
}

AdmissionResponse answer_refusal(const AdmissionRequest& request, const controllers::QueueRefusal& refusal) {
    if (refusal.empty()) return allow(request);
    return refuse_review(request, 403, "Forbidden",
                         refusal.reason.empty() ? api::format_refusal(refusal.errors) : refusal.reason);
}

controllers::QueueWriter writer_of(const AdmissionRequest& request, const ReviewOptions& options) {
    const std::string_view user = request.user_info.username;
    if (!options.own_user.empty() && user == options.own_user) return {.starts_work = true, .makes_pods = true};
    return controllers::queue_writer(user);
}

bool is_creation(const AdmissionRequest& request) { return request.operation == api::admission::kCreate; }

// The Jobs of a namespace with the label are Muster's, unless they name another controller.
void assign_manager(Job& job, const AdmissionRequest& request, const ReviewOptions& options, QueueWorld& world) {
    if (job.spec.managed_by) return;
    const auto* space = world.find<api::core::Namespace>("", request.namespace_);
    const Text* label = space ? space->metadata.labels.find(kJobsLabel) : nullptr;
    if (label && *label == kJobsManaged) job.spec.managed_by = Text(options.managed_by);
}

AdmissionResponse mutate_pod(const AdmissionRequest& request, const ReviewOptions& options, QueueWorld& world) {
    if (!is_creation(request) || !options.queues) return allow(request);
    const Result<Pod> read = read_object<Pod>(request.object.json, request);
    if (!read.ok()) return unreadable(request, read.error());
    Pod pod = *read;
    controllers::admit_new_pod(pod, {options.configuration, world, request.namespace_, writer_of(request, options)});
    return answer_with(request, *read, pod);
}

AdmissionResponse mutate_job(const AdmissionRequest& request, const ReviewOptions& options, QueueWorld& world) {
    const Result<Job> read = read_object<Job>(request.object.json, request);
    if (!read.ok()) return unreadable(request, read.error());
    Job job = *read;
    const QueueReview review{options.configuration, world, request.namespace_, writer_of(request, options)};
    std::string warning;
    if (is_creation(request)) {
        assign_manager(job, request, options, world);
        if (options.queues) controllers::admit_new_job(job, review);
    } else if (options.queues) {
        const Result<Job> before = read_object<Job>(request.old_object.json, request);
        if (!before.ok()) return unreadable(request, before.error());
        warning = controllers::admit_changed_job(job, *before, review);
    }
    AdmissionResponse response = answer_with(request, *read, job);
    if (!warning.empty() && response.allowed) response.warnings.edit().push_back(Text(warning));
    return response;
}

template <class K>
AdmissionResponse default_object(const AdmissionRequest& request) {
    if (!is_creation(request)) return allow(request);
    const Result<K> read = read_object<K>(request.object.json, request);
    if (!read.ok()) return unreadable(request, read.error());
    K object = *read;
    api::default_queueing(object);
    return answer_with(request, *read, object);
}

template <class K, controllers::QueueRefusal (*kCheck)(const K&, const K*, const QueueReview&)>
AdmissionResponse check_work(const AdmissionRequest& request, const ReviewOptions& options, QueueWorld& world) {
    if (!options.queues) return allow(request);
    const Result<K> now = read_object<K>(request.object.json, request);
    if (!now.ok()) return unreadable(request, now.error());
    std::optional<K> before;
    if (!is_creation(request)) {
        Result<K> old = read_object<K>(request.old_object.json, request);
        if (!old.ok()) return unreadable(request, old.error());
        before = *std::move(old);
    }
    const QueueReview review{options.configuration, world, request.namespace_, writer_of(request, options)};
    return answer_refusal(request, kCheck(*now, before ? &*before : nullptr, review));
}

// Parts of the object that are stored and have no effect.
template <class K>
std::vector<std::string> warnings_of(const K& now, const K* before) {
    if constexpr (std::is_same_v<K, api::kueue::ClusterQueue>) return api::cluster_queue_warnings(now, before);
    if constexpr (std::is_same_v<K, api::kueue::LocalQueue>) return api::local_queue_warnings(now, before);
    if constexpr (std::is_same_v<K, api::kueue::ResourceFlavor>) return api::resource_flavor_warnings(now, before);
    if constexpr (std::is_same_v<K, api::kueue::Workload>) return api::workload_warnings(now, before);
    return {};
}

template <class K>
api::QueueingErrors errors_of(const K& now, const K* before, bool status) {
    if (!before) return api::check_queueing_create(now);
    if constexpr (std::is_same_v<K, api::kueue::Workload>)
        if (status) return api::check_workload_status_update(now, *before);
    return api::check_queueing_update(now, *before);
}

template <class K>
AdmissionResponse check_object(const AdmissionRequest& request) {
    const Result<K> now = read_object<K>(request.object.json, request);
    if (!now.ok()) return unreadable(request, now.error());
    std::optional<K> before;
    if (!is_creation(request)) {
        Result<K> old = read_object<K>(request.old_object.json, request);
        if (!old.ok()) return unreadable(request, old.error());
        before = *std::move(old);
    }
    // What is being deleted must be able to go, whatever it is like.
    if (before && before->metadata.deletion_timestamp) return allow(request);
    const K* old = before ? &*before : nullptr;
    api::QueueingErrors errors = errors_of(*now, old, request.sub_resource == "status");
    errors.definition.append(std::move(errors.webhook));
    if (!errors.definition.empty())
        return refuse_review(request, 403, "Forbidden", api::format_refusal(errors.definition));
    AdmissionResponse response = allow(request);
    for (const std::string& warning : warnings_of(*now, old)) response.warnings.edit().push_back(Text(warning));
    return response;
}

bool is_of(const AdmissionRequest& request, const api::KindInfo& kind) {
    return request.kind.group == kind.group && request.kind.version == kind.version && request.kind.kind == kind.kind;
}

// Calls with the type of the request's object when that is a queueing kind.
template <class F>
std::optional<AdmissionResponse> with_queueing_kind(const AdmissionRequest& request, F call) {
    std::optional<AdmissionResponse> answer;
    api::for_each_kind<QueueingKinds>([&]<class K>() {
        if (!answer && is_of(request, api::kind_info<K>())) answer = call.template operator()<K>();
    });
    return answer;
}

AdmissionResponse not_served(const AdmissionRequest& request) {
    return refuse_review(request, 400, "BadRequest",
                         "objects of kind " + request.kind.kind.str() + " in version " + request.kind.group.str() +
                             "/" + request.kind.version.str() + " are not reviewed here");
}

}  // namespace

AdmissionResponse refuse_review(const AdmissionRequest& request, int code, const char* reason, std::string message) {
    AdmissionResponse response;
    response.uid = request.uid;
    api::meta::Status& status = response.status.edit();
    status.status = "Failure";
    status.code = code;
    status.reason = reason;
    status.message = Text(message);
    return response;
}

AdmissionResponse review_mutation(const AdmissionRequest& request, const ReviewOptions& options, QueueWorld& world) {
    if (request.object.json.empty() || !request.sub_resource.empty()) return allow(request);
    if (is_of(request, api::kind_info<Pod>())) return mutate_pod(request, options, world);
    if (is_of(request, api::kind_info<Job>())) return mutate_job(request, options, world);
    const auto answer = with_queueing_kind(request, [&]<class K>() { return default_object<K>(request); });
    return answer ? *answer : not_served(request);
}

AdmissionResponse review_validation(const AdmissionRequest& request, const ReviewOptions& options, QueueWorld& world) {
    if (request.object.json.empty()) return allow(request);
    const bool main_part = request.sub_resource.empty();
    if (is_of(request, api::kind_info<Pod>()))
        return main_part ? check_work<Pod, controllers::check_written_pod>(request, options, world) : allow(request);
    if (is_of(request, api::kind_info<Job>()))
        return main_part ? check_work<Job, controllers::check_written_job>(request, options, world) : allow(request);
    const auto answer = with_queueing_kind(request, [&]<class K>() { return check_object<K>(request); });
    return answer ? *answer : not_served(request);
}

}  // namespace muster::webhook
