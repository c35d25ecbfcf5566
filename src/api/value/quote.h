// A text in double quotes with escapes, as the API's answers quote what they were given.
#pragma once

#include <string>
#include <string_view>

namespace muster::api {

// Like Go's %q: \n, \x00, \u00ad for what cannot be printed, other text as it is.
std::string in_quotes(std::string_view text);

// As a JSON string. <, > and & are escaped, as Kubernetes does.
void append_json_text(std::string_view text, std::string& out);

}  // namespace muster::api
