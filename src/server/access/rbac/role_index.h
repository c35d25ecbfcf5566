// The store's roles and bindings, found by whom they are bound to, so that a request's check looks only at what may
// allow it. It follows the store by pulling its watches whenever it is asked: a binding holds from the moment it was
// written. What it missed while nobody asked makes it read everything again.
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
