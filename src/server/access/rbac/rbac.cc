#include "server/access/rbac/rbac.h"

#include "api/value/quote.h"
#include "server/access/rbac/rule_match.h"

namespace muster::server {
namespace {

// Several problems as Kubernetes joins them: [a, b], or the one alone; each said once.
std::string join_problems(const std::vector<std::string>& problems) {
    std::vector<std::string> once;
    for (const std::string& problem : problems)
        if (std::find(once.begin(), once.end(), problem) == once.end()) once.push_back(problem);
    if (once.size() == 1) return once[0];
    std::string out;
    for (const std::string& problem : once) out.append(out.empty() ? "[" : ", ").append(problem);
    return out.empty() ? out : out + "]";
}

class Authorizing final : public RuleVisitor {
public:
    Authorizing(const Attributes& attributes, Explain explain) : attributes_(attributes), explain_(explain) {}

    bool on_rule(const Grant& grant, const api::rbac::PolicyRule& rule) override {
        if (!rule_allows(rule, attributes_)) return true;
        decision_.allowed = true;
        if (explain_ == Explain::kEverything) decision_.reason = "RBAC: allowed by " + describe_grant(grant);
        return false;
    }
    void on_missing_role(const std::string& problem) override { problems_.push_back(problem); }

    Decision decision() && {
        if (!decision_.allowed && !problems_.empty()) decision_.reason = "RBAC: " + join_problems(problems_);
        return std::move(decision_);
    }

private:
    const Attributes& attributes_;
    const Explain explain_;
    Decision decision_;
    std::vector<std::string> problems_;
};

class Collecting final : public RuleVisitor {
public:
    bool on_rule(const Grant&, const api::rbac::PolicyRule& rule) override {
        list.rules.push_back(rule);
        return true;
    }
    void on_missing_role(const std::string& problem) override { list.problems.push_back(problem); }

    RuleList list;
};

}  // namespace

std::string describe_grant(const Grant& grant) {
    const bool clusterwide = grant.namespace_.empty();
    std::string binding(grant.binding);
    if (!clusterwide) binding.append("/").append(grant.namespace_);
    std::string subject = grant.subject->name.str();
    if (grant.subject->kind == "ServiceAccount")
        subject.append("/").append(grant.subject->namespace_.empty() ? grant.namespace_
                                                                     : grant.subject->namespace_.view());
    return (clusterwide ? "ClusterRoleBinding " : "RoleBinding ") + api::in_quotes(binding) + " of " +
           grant.role->kind.str() + " " + api::in_quotes(grant.role->name) + " to " + grant.subject->kind.str() + " " +
           api::in_quotes(subject);
}

Decision authorize(const RoleView& roles, const User& user, const Attributes& attributes, Explain explain) {
    if (user.in_group(kMastersGroup)) return {.allowed = true};
    Authorizing visitor(attributes, explain);
    roles.visit_rules(user, attributes.namespace_, visitor);
    return std::move(visitor).decision();
}

Result<> check_decision(const Decision& decision, const User& user, const Attributes& attributes) {
    if (decision.allowed) return {};
    return forbidden_error(user.name, attributes, decision.reason);
}

Result<> check_access(const RoleView& roles, const User& user, const Attributes& attributes) {
    return check_decision(authorize(roles, user, attributes), user, attributes);
}

std::string RuleList::error() const { return join_problems(problems); }

RuleList rules_for(const RoleView& roles, const User& user, std::string_view namespace_) {
    Collecting visitor;
    roles.visit_rules(user, namespace_, visitor);
    return std::move(visitor.list);
}

}  // namespace muster::server
