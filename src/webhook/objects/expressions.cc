#include "webhook/objects/expressions.h"

#include "api/kinds/kueue/kueue_names.h"

namespace muster::webhook {
namespace {

namespace names = api::kueue;

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
    std::string text;
    for (const std::string& part : parts) {
        if (!text.empty()) text += between;
        text += "(" + part + ")";
    }
    return text;
}

}  // namespace

std::string cel_text(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + "'";
}

std::string cel_has_any(std::string_view object, std::string_view map, std::initializer_list<std::string_view> keys) {
    const std::string where = std::string(object) + ".metadata." + std::string(map);
    std::string list;
    for (const std::string_view key : keys) list += (list.empty() ? "" : ", ") + cel_text(key);
    return std::string(object) + " != null && has(" + where + ") && " + where + ".exists(k, k in [" + list + "])";
}

std::string cel_value(std::string_view object, std::string_view map, std::string_view key) {
    const std::string where = std::string(object) + ".metadata." + std::string(map);
    const std::string quoted = cel_text(key);
    return "(" + std::string(object) + " != null && has(" + where + ") && " + quoted + " in " + where + " ? " + where +
           "[" + quoted + "] : '')";
}

std::string cel_queued_pod(std::string_view object) {
    return cel_or(
        {cel_has_any(object, "labels", {names::kQueueNameLabel, names::kManagedLabel, names::kPodGroupName}),
         cel_has_any(object, "annotations",
                     {names::kPodGroupName, names::kPodGroupTotalCountAnnotation, names::kPodGroupSetsAnnotation,
                      names::kSuspendingParentAnnotation, names::kQueuedAnnotation})});
}

std::string cel_queued_job(std::string_view object) {
    return cel_value(object, "labels", names::kQueueNameLabel) + " != ''";
}

std::string cel_job_of_queues(std::string_view object) {
    return cel_or({cel_has_any(object, "labels", {names::kQueueNameLabel, names::kPrebuiltWorkloadName}),
                   cel_has_any(object, "annotations",
                               {names::kPrebuiltWorkloadName, names::kJobMinParallelismAnnotation,
                                names::kJobCompletionsEqualParallelismAnnotation})});
}

std::string cel_owned_by_job(std::string_view object) {
    const std::string owners = std::string(object) + ".metadata.ownerReferences";
    return "has(" + owners + ") && " + owners +
           ".exists(o, has(o.controller) && o.controller && o.kind == 'Job' && o.apiVersion == 'batch/v1')";
}

std::string cel_own_request(const Identity& identity) {
    return "request.userInfo.username == " + cel_text(identity.user_name());
}

std::string cel_job_controller(const Identity& identity) {
    return "request.userInfo.username in ['system:kube-controller-manager', "
           "'system:serviceaccount:kube-system:job-controller', " +
           cel_text(identity.user_name()) + "]";
}

std::string cel_mirror_pod(std::string_view object) {
    return cel_has_any(object, "annotations", {"kubernetes.io/config.mirror"});
}

std::string cel_or(const std::vector<std::string>& parts) { return joined(parts, " || "); }
std::string cel_and(const std::vector<std::string>& parts) { return joined(parts, " && "); }
std::string cel_not(const std::string& part) { return "!(" + part + ")"; }

}  // namespace muster::webhook
