// Whether one set of RBAC rules covers another. Rules are broken down into their smallest pieces; a single rule must
// cover each piece.
#pragma once

#include <string>
#include <vector>

#include "api/kinds/rbac.h"

namespace muster::server {

using Rules = std::vector<api::rbac::PolicyRule>;

// One verb, group, resource and name each; or one verb and path.
Rules break_down(const api::rbac::PolicyRule& rule);
// The pieces of `wanted` that `held` does not cover; empty when it covers all.
Rules uncovered_rules(const Rules& held, const Rules& wanted);
// Puts pieces that differ only in their verb together again, to be read by people.
Rules compact_rules(const Rules& pieces);
// {APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}
std::string describe_rule(const api::rbac::PolicyRule& rule);

}  // namespace muster::server
