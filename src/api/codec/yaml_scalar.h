// What a plain YAML scalar means, by YAML 1.1 as kubectl and the API server read it: yes, on and y are booleans, 0o17
// and 017 are octal, 1_000 is a number.
#pragma once

#include <boost/json/value.hpp>
#include <string_view>

#include "base/result.h"

namespace muster::api {

boost::json::value resolve_plain_scalar(std::string_view text);
// A scalar with an explicit tag: !!str, !!int, !!float, !!bool, !!null.
Result<boost::json::value> resolve_tagged_scalar(std::string_view tag, std::string_view text);

}  // namespace muster::api
