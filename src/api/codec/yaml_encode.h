// JSON as YAML, the way kubectl prints it: keys sorted, lists not indented, text plain where it reads back as the same
// text and quoted where it would not.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>

namespace muster::api {

// CHECKs that the text is JSON: it is meant for what we wrote ourselves.
std::string json_to_yaml(std::string_view json);
void append_yaml(const boost::json::value& document, std::string& out);

// The same JSON over several lines, indented by two.
std::string indent_json(std::string_view json);

}  // namespace muster::api
