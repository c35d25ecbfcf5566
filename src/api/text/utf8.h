// UTF-8 at the border: JSON we print must be valid, and what clients send may not be.
#pragma once

#include <string>
#include <string_view>

namespace muster::api {

bool is_utf8(std::string_view text);
// Each byte that is not part of valid UTF-8 becomes U+FFFD, as Go's decoder does it.
std::string repair_utf8(std::string_view text);

}  // namespace muster::api
