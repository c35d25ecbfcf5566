// An index of the store's roles and bindings by subject, so that an authorization check looks only at roles of the
// user. Every query first pulls pending events from the store's watches, so a binding holds from the moment it was
// written. If the index missed events because of a long time without queries, it reads everything again.
#pragma once

#include <memory>

#include "server/access/rbac/rbac.h"
#include "store/store.h"

namespace muster::server {

class RoleIndex final : public RoleView {
public:
    // The store must outlive it.
    explicit RoleIndex(store::Store& store);
    ~RoleIndex() override;

    void visit_rules(const User& user, std::string_view namespace_, RuleVisitor& visitor) const override;
    Result<List<api::rbac::PolicyRule>> rules_of(const api::rbac::RoleRef& role,
                                                 std::string_view binding_namespace) const override;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace muster::server
