#include "server/access/rbac/escalation_admission.h"

#include "server/access/rbac/escalation.h"

namespace muster::server {
namespace {

template <class K, class Check>
Result<> check_as(const AdmissionRequest& request, Check check) {
    const auto* before = request.before ? &as<K>(*request.before) : nullptr;
    return check(as<K>(*request.object), before);
}

}  // namespace

AdmissionStep check_escalation(const RoleView& roles) {
    return [&roles](AdmissionRequest& request, const Objects&) -> Result<> {
        if (!request.user || !request.object) return {};
        const auto role = [&](const auto& now, const auto* before) {
            return check_role_write(roles, *request.user, now, before);
        };
        const auto binding = [&](const auto& now, const auto* before) {
            return check_binding_write(roles, *request.user, now, before);
        };
        if (has_type<api::rbac::Role>(request.kind)) return check_as<api::rbac::Role>(request, role);
        if (has_type<api::rbac::ClusterRole>(request.kind)) return check_as<api::rbac::ClusterRole>(request, role);
        if (has_type<api::rbac::RoleBinding>(request.kind)) return check_as<api::rbac::RoleBinding>(request, binding);
        if (has_type<api::rbac::ClusterRoleBinding>(request.kind))
            return check_as<api::rbac::ClusterRoleBinding>(request, binding);
        return {};
    };
}

}  // namespace muster::server
