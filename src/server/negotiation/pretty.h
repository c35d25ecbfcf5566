// Compact JSON spread over lines, for people: two spaces for each level, as Kubernetes prints it for curl.
#pragma once

#include <string>
#include <string_view>

namespace muster::server {

// `json` must be valid; strings are taken as they are.
std::string indent_json(std::string_view json);

}  // namespace muster::server
