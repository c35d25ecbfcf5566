#include "server/objects/admission.h"

#include "api/defaults/pod.h"
#include "api/kinds/core/namespace.h"
#include "api/kinds/core/pod.h"
#include "api/kinds/scheduling.h"
#include "api/schema/resource_name.h"
#include "api/validation/queueing/queueing_webhooks.h"
#include "api/validation/rules/field_errors.h"
#include "server/objects/limit_admission.h"
#include "server/objects/objects.h"
#include "server/objects/quota_admission.h"
#include "server/objects/runtime_class_admission.h"
#include "server/objects/security_admission.h"

namespace muster::server {
namespace {

using api::core::Namespace;
using api::core::Pod;
using api::scheduling::PriorityClass;

const PriorityClass& as_priority_class(const store::Object& object) { return as<PriorityClass>(object); }

// The class that pods get which name none: of several, which only a race can make, the lowest.
KindObjectPtr default_priority_class(const Objects& objects) {
    KindObjectPtr found;
    const auto listing = objects.store().list(list_prefix(api::kind_info<PriorityClass>(), ""));
    if (!listing.ok()) return found;
    for (const store::Stored& item : listing->items) {
        const PriorityClass& candidate = as_priority_class(*item.object);
        if (candidate.global_default && (!found || candidate.value < as_priority_class(*found).value))
            found = std::static_pointer_cast<const KindObject>(item.object);
    }
    return found;
}

// What Kueue's webhooks check. What is being deleted must be able to go, whatever it is like.
Result<> ask_webhooks(AdmissionRequest& request, const Objects&) {
    const bool leaves = request.before && request.before->metadata().deletion_timestamp;
    if (request.operation == Operation::kDelete || !request.object || leaves) return {};
    const api::WebhookAnswer answer =
        api::ask_queueing_webhook(request.kind, request.object->data(),
                                  request.before ? request.before->data() : nullptr, request.subresource == "status");
    return answer.errors.empty() ? Result<>() : api::denied_by_webhook(answer);
}

}  // namespace

Error refuse_request(const AdmissionRequest& request, const std::string& why) {
    return {Code::kForbidden,
            api::format_resource(request.kind) + " \"" + std::string(request.name) + "\" is forbidden: " + why,
            {},
            {std::string(request.name), request.kind.group, request.kind.options.plural}};
}

Result<> admit_namespace(AdmissionRequest& request, const Objects& objects) {
    if (has_type<Namespace>(request.kind)) {
        if (request.operation == Operation::kDelete &&
            (request.name == "default" || request.name == "kube-system" || request.name == "kube-public"))
            return refuse_request(request, "this namespace may not be deleted");
        return {};
    }
    if (!request.kind.options.namespaced || request.operation != Operation::kCreate) return {};
    TRY_ASSIGN(const KindObjectPtr found, objects.get({api::kind_info<Namespace>(), "", request.namespace_}));
    if (!found->metadata().deletion_timestamp) return {};
    const std::string space(request.namespace_);
    Error error = refuse_request(
        request, "unable to create new content in namespace " + space + " because it is being terminated");
    error.causes.push_back(
        {"NamespaceTerminating", "metadata.namespace", "namespace " + space + " is being terminated"});
    return error;
}

// Who updates a pod need not know its priority.
void keep_priority(Pod& pod, const Pod& before) {
    if (!pod.spec.priority) pod.spec.priority = before.spec.priority;
    if (!pod.spec.preemption_policy) pod.spec.preemption_policy = before.spec.preemption_policy;
}

Result<> admit_pod_scheduling(AdmissionRequest& request, const Objects& objects) {
    if (&request.kind != &api::kind_info<Pod>() || !request.object || !request.subresource.empty()) return {};
    Pod& pod = as<Pod>(*request.object);
    if (request.operation == Operation::kUpdate) {
        keep_priority(pod, as<Pod>(*request.before));
        api::admit_default_tolerations(pod);
        return {};
    }
    const Text& wanted = pod.spec.priority_class_name;
    KindObjectPtr found;
    if (wanted.empty()) {
        found = default_priority_class(objects);
    } else if (auto named = objects.get({api::kind_info<PriorityClass>(), "", wanted}); named.ok()) {
        found = *named;
    } else {
        return refuse_request(request, "no PriorityClass with name " + wanted.str() + " was found");
    }
    const PriorityClass* priority_class = found ? &as_priority_class(*found) : nullptr;
    const std::int32_t value = priority_class ? priority_class->value : 0;
    if (pod.spec.priority && *pod.spec.priority != value)
        return refuse_request(request,
                              "the integer value of priority (" + std::to_string(*pod.spec.priority) +
                                  ") must not be provided in pod spec; priority admission controller computed " +
                                  std::to_string(value) + " from the given PriorityClass name");
    if (pod.spec.preemption_policy && priority_class && priority_class->preemption_policy &&
        !(*pod.spec.preemption_policy == *priority_class->preemption_policy))
        return refuse_request(request,
                              "the string value of PreemptionPolicy (" + pod.spec.preemption_policy->str() +
                                  ") must not be provided in pod spec; priority admission controller computed " +
                                  priority_class->preemption_policy->str() + " from the given PriorityClass name");
    api::admit_priority(pod, priority_class);
    api::admit_default_tolerations(pod);
    return {};
}

Result<> admit_priority_class(AdmissionRequest& request, const Objects& objects) {
    if (&request.kind != &api::kind_info<PriorityClass>() || !request.object) return {};
    if (!as_priority_class(*request.object).global_default) return {};
    const KindObjectPtr standing = default_priority_class(objects);
    if (!standing || standing->metadata().name == request.name) return {};
    return refuse_request(request, "PriorityClass " + standing->metadata().name.str() +
                                       " is already marked as default. Only one default can exist");
}

AdmissionChain default_admission() {
    const auto limited = std::make_shared<LimitedSpaces>();
    const auto in_limited = [limited](auto step) {
        return [limited, step](AdmissionRequest& request, const Objects& objects) -> Result<> {
            return limited->contains(request.namespace_, objects) ? step(request, objects) : Result<>();
        };
    };
    const auto quotas = std::make_shared<QuotaCensus>();
    const AdmissionStep check_quotas = [quotas](AdmissionRequest& request, const Objects& objects) {
        return quotas->check(request, objects);
    };
    const WriteListener count_written = [limited, quotas](const KindObject* before, const KindObject* after) {
        limited->on_written(before, after);
        quotas->on_written(before, after);
    };
    return {{admit_namespace, in_limited(admit_limit_ranges), admit_pod_scheduling, admit_runtime_class},
            {in_limited(check_limit_ranges), check_security, admit_priority_class, check_runtime_class, ask_webhooks,
             check_quotas},
            {count_written}};
}

}  // namespace muster::server
