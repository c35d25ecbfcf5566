// Who manages the fields of a Workload's status, when Kueue takes over from Muster. Kueue applies the status by
// server-side apply: a field that its next apply leaves out goes only when Kueue alone has applied it. Fields that
// Muster has written too would stay: an eviction would leave the quota in place. An empty managedFields does not help:
// the first apply then gives all fields to the manager "before-first-apply". So Muster's fields are given to the
// managers of Kueue that apply them, as if Kueue had applied them itself. Pure.
#pragma once

#include <boost/json/array.hpp>
#include <optional>

namespace muster::cli {

// metadata.managedFields as it is to be; nothing when Muster manages nothing that Kueue applies.
std::optional<boost::json::array> give_to_kueue(const boost::json::array& managed_fields);

}  // namespace muster::cli
