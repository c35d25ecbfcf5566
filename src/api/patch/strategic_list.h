// The list half of a strategic merge: elements matched by merge key or value, deletions, and order.
#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>

#include "api/patch/strategic_scope.h"
#include "base/result.h"

namespace muster::api {

// Merges or replaces, as the rule says. In place; takes the patch apart.
Result<void> merge_strategic_list(boost::json::array& original, boost::json::array& patch, const StrategicRule& rule);

// What $deleteFromPrimitiveList does.
Result<void> delete_scalars(boost::json::array& original, const boost::json::array& doomed);

// What $setElementOrder/<name> does: merges patch[name] into original[name], if there, and orders the outcome. Takes
// patch[name] away.
Result<void> merge_in_order(boost::json::object& original, boost::json::object& patch, std::string_view name,
                            const boost::json::array& order, const StrategicScope& scope);

}  // namespace muster::api
