// What patches need of JSON trees beyond reading them: comparing, measuring, naming. Every function here recurses no
// deeper than its tree, and a tree from parse_dom (codec/dom.h) is no deeper than the limit it was read with.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <string>
#include <string_view>

namespace muster::api {

// Compact JSON.
std::string format_dom(const boost::json::value& value);

// Numbers are equal when their values are: 1 is 1.0. Members of objects have no order.
bool dom_equal(const boost::json::value& left, const boost::json::value& right);

// How many containers deep: 0 for a scalar, 1 for {}. Stops counting past `bound`, so that the answer is at most
// bound + 1. Adds the number of nodes it looked at to `visited`, when given.
std::size_t dom_depth(const boost::json::value& value, std::size_t bound, std::size_t* visited = nullptr);

// As Go's %v prints decoded JSON, for the error texts that name a piece of the patch: map[image:x name:c]. Cut at a
// few hundred characters.
std::string describe_dom(const boost::json::value& value);
// The same of a map whose values may be secrets: directives, and of all else the keys: map[$patch:x image name].
std::string describe_keys(const boost::json::object& object);

// Whether every number is one: a number beyond double's range is read as infinity.
bool dom_is_finite(const boost::json::value& value);

// "an object", "a string", …
std::string_view dom_kind_name(const boost::json::value& value);

}  // namespace muster::api
