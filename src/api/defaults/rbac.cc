#include "api/defaults/rbac.h"

namespace muster::api {
namespace {

template <class Binding>
void fill_groups(Binding& binding) {
    if (binding.role_ref.api_group.empty()) binding.role_ref.api_group = rbac::kGroup;
    for (std::size_t i = 0; i < binding.subjects.size(); ++i) {
        const rbac::Subject& subject = binding.subjects[i];
        if (subject.api_group.empty() && (subject.kind == "User" || subject.kind == "Group"))
            binding.subjects.edit()[i].api_group = rbac::kGroup;
    }
}

}  // namespace

void default_role_binding(rbac::RoleBinding& binding) { fill_groups(binding); }
void default_role_binding(rbac::ClusterRoleBinding& binding) { fill_groups(binding); }

}  // namespace muster::api
