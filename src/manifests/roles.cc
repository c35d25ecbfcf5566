// The service account and its rights: a role for each part of the process, from the table of permissions
// (assembly/permissions.h), and roles for the people who use queues, from the declarations of the kinds.
#include "api/kinds/kueue/kueue.h"
#include "api/schema/kind_info.h"
#include "assembly/permissions.h"
#include "manifests/objects.h"

namespace muster::manifests {
namespace {

constexpr const char* kRbac = "rbac.authorization.k8s.io/v1";
constexpr const char* kRbacGroup = "rbac.authorization.k8s.io";

Object rule_of(const Permission& permission) {
    Object rule{{"apiGroups", texts({permission.group})},
                {"resources", texts({permission.resource})},
                {"verbs", texts(permission.verbs)}};
    if (permission.names.empty()) return rule;
    Array names;
    for (const std::string_view name : permission.names)
        names.emplace_back(name == kLeaseNamePlaceholder ? std::string_view(kLeaseName) : name);
    rule["resourceNames"] = names;
    return rule;
}

// A role of one part with its binding. In a namespace when one is given.
void add_role(const std::string& name, const std::string& name_space, const Array& rules, const Plan& plan,
              Objects& all) {
    if (rules.empty()) return;
    const std::string kind = name_space.empty() ? "ClusterRole" : "Role";
    Object role = new_object(kRbac, kind, name, name_space);
    role["rules"] = rules;
    Object binding = new_object(kRbac, kind + "Binding", name, name_space);
    binding["roleRef"] = Object{{"apiGroup", kRbacGroup}, {"kind", kind}, {"name", name}};
    binding["subjects"] =
        one({{"kind", "ServiceAccount"}, {"name", identity_of(plan).account}, {"namespace", plan.home()}});
    all.push_back(role);
    all.push_back(binding);
}

void add_part(const std::string& part, const Plan& plan, Objects& all) {
    Array wide;
    Array home;
    for (const Permission& permission : permissions_of(part)) {
        const bool at_home = permission.reach == Reach::kHome || (permission.reach == Reach::kWork && plan.is_local());
        (at_home ? home : wide).push_back(rule_of(permission));
    }
    const std::string name = "muster:" + part;
    // What one namespace does not have is not asked for: its process does without.
    if (!plan.is_local()) add_role(name, "", wide, plan, all);
    add_role(name, plan.home(), home, plan, all);
}

const std::vector<const api::KindInfo*>& queue_kinds() {
    namespace kueue = api::kueue;
    static const std::vector<const api::KindInfo*> kinds{&api::kind_info<kueue::AdmissionCheck>(),
                                                         &api::kind_info<kueue::ClusterQueue>(),
                                                         &api::kind_info<kueue::Cohort>(),
                                                         &api::kind_info<kueue::LocalQueue>(),
                                                         &api::kind_info<kueue::ResourceFlavor>(),
                                                         &api::kind_info<kueue::Workload>(),
                                                         &api::kind_info<kueue::WorkloadPriorityClass>()};
    return kinds;
}

// Rights to kinds, for people: not bound by us.
Object people_role(const char* name, const char* aggregate_to, const Array& resources, Array verbs) {
    Object role = new_object(kRbac, "ClusterRole", name);
    if (*aggregate_to)
        role["metadata"]
            .as_object()["labels"]
            .as_object()["rbac.authorization.k8s.io/aggregate-to-" + std::string(aggregate_to)] = "true";
    role["rules"] =
        one({{"apiGroups", texts({api::kueue::kGroup})}, {"resources", resources}, {"verbs", std::move(verbs)}});
    return role;
}

void add_people(Objects& all) {
    Array all_kinds;
    Array seen;
    for (const api::KindInfo* kind : queue_kinds()) {
        all_kinds.emplace_back(kind->options.plural);
        if (kind->options.access == api::Access::kView) seen.emplace_back(kind->options.plural);
    }
    all.push_back(
        people_role("muster:queue-admin", "", all_kinds,
                    texts({"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"})));
    all.push_back(people_role("muster:queue-viewer", "view", seen, texts({"get", "list", "watch"})));
}

}  // namespace

Objects role_objects(const Plan& plan) {
    Object account = new_object("v1", "ServiceAccount", identity_of(plan).account, plan.home());
    account["automountServiceAccountToken"] = false;
    Objects all{account};
    for (const std::string& part : plan.parts()) add_part(part, plan, all);
    if (plan.is_local()) return all;
    Object reader = new_object(kRbac, "ClusterRole", "muster:metrics-reader");
    reader["rules"] = one({{"nonResourceURLs", texts({"/metrics"})}, {"verbs", texts({"get"})}});
    all.push_back(reader);
    if (plan.queues()) add_people(all);
    return all;
}

}  // namespace muster::manifests
