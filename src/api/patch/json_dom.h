// JSON as a tree, for patches: reading with a depth limit, writing as Kubernetes does, comparing.
// Every function here recurses no deeper than the tree, and a tree from parse_json is no deeper than its limit.
#pragma once

#include <boost/json/fwd.hpp>
#include <boost/json/storage_ptr.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::api {

// kBadRequest when malformed, deeper than depth_max, or holding a number that no double can.
Result<boost::json::value> parse_json(std::string_view text, std::size_t depth_max,
                                      boost::json::storage_ptr storage = {});

// Compact JSON. Unlike Boost's own, 0.5 stays 0.5 and does not become 5E-1: a Quantity remembers how it was written.
void append_json(std::string& out, const boost::json::value& value);
std::string format_json(const boost::json::value& value);

// Numbers are equal when their values are: 1 is 1.0. Members of objects have no order.
bool json_equal(const boost::json::value& left, const boost::json::value& right);

// How many containers deep: 0 for a scalar, 1 for {}. Stops counting past `bound`, so that the answer is at most
// bound + 1. Adds the number of nodes it looked at to `visited`, when given.
std::size_t json_depth(const boost::json::value& value, std::size_t bound, std::size_t* visited = nullptr);

// As Go's %v prints decoded JSON, for the error texts that name a piece of the patch: map[image:x name:c]. Cut at a
// few hundred characters.
std::string describe_json(const boost::json::value& value);

// "an object", "a string", …
std::string_view json_kind_name(const boost::json::value& value);

}  // namespace muster::api
