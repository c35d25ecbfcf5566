// Cluster roles that are put together from others: the rules of every role that their selectors select. Upstream a
// controller of its own writes them; so does this, into the store, since roles must work without controllers too.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/kinds/rbac.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"
#include "store/store.h"

namespace muster::server {

// The rules that an aggregated role must have when it does not have them yet, by name. Roles that aggregate aggregated
// ones are settled too. A selector that cannot be read selects nothing.
using AggregatedRules = std::map<std::string, List<api::rbac::PolicyRule>>;
AggregatedRules decide_aggregation(const std::vector<const api::rbac::ClusterRole*>& roles);

// Writes what `decide_aggregation` says of the stored cluster roles.
void aggregate_stored_roles(store::Store& store);
// Does so now and after every change of a cluster role, until the store is gone.
os::Task<void> keep_roles_aggregated(store::Store& store);

}  // namespace muster::server
