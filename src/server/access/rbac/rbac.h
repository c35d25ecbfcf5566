// May they? A request is allowed when some rule of some role that is bound to the user, or to one of their groups,
// allows it; members of system:masters always. Roles come from a RoleView: the store's (role_index.h) or a test's.
// Everything runs on the loop.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/kinds/rbac.h"
#include "base/result.h"
#include "server/access/rbac/attributes.h"
#include "server/identity/user.h"

namespace muster::server {

// One binding that gives a user a role. The members point into objects of the RoleView.
struct Grant {
    std::string_view binding{};
    std::string_view namespace_{};  // the binding's; empty for a ClusterRoleBinding
    const api::rbac::RoleRef* role = nullptr;
    const api::rbac::Subject* subject = nullptr;
};
// RoleBinding "readers/default" of Role "reader" to User "ann"
std::string describe_grant(const Grant& grant);

class RuleVisitor {
public:
    virtual ~RuleVisitor() = default;
    // False ends the visit.
    virtual bool on_rule(const Grant& grant, const api::rbac::PolicyRule& rule) = 0;
    // A binding names a role that is not there.
    virtual void on_missing_role(const std::string& problem) = 0;
};

class RoleView {
public:
    virtual ~RoleView() = default;
    // The rules that hold for the user: those that are bound everywhere and, with a namespace, those bound there.
    virtual void visit_rules(const User& user, std::string_view namespace_, RuleVisitor& visitor) const = 0;
    // The rules of the role that a binding in that namespace (empty: a ClusterRoleBinding) names. kNotFound.
    virtual Result<List<api::rbac::PolicyRule>> rules_of(const api::rbac::RoleRef& role,
                                                         std::string_view binding_namespace) const = 0;
};

struct Decision {
    bool allowed = false;
    // Denied: what went wrong on the way, if anything. Allowed: by what, when that was asked for.
    std::string reason{};
};
enum class Explain { kDenials, kEverything };

Decision authorize(const RoleView& roles, const User& user, const Attributes& attributes,
                   Explain explain = Explain::kDenials);
// As a result: kForbidden in Kubernetes' words.
Result<> check_decision(const Decision& decision, const User& user, const Attributes& attributes);
Result<> check_access(const RoleView& roles, const User& user, const Attributes& attributes);

struct RuleList {
    std::vector<api::rbac::PolicyRule> rules{};
    std::vector<std::string> problems{};  // roles that are not there
    // The problems in one line, empty when there are none.
    std::string error() const;
};
RuleList rules_for(const RoleView& roles, const User& user, std::string_view namespace_);

}  // namespace muster::server
