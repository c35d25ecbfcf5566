// A text in double quotes with escapes, as the API's answers quote what they were given.
#pragma once

#include <string>
#include <string_view>

namespace muster::api {

// Like Go's %q: \n, \x00, \u00ad for what cannot be printed, other text as it is.
std::string in_quotes(std::string_view text);

}  // namespace muster::api
