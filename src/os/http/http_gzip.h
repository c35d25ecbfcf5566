// Bodies made smaller for those who say that they can read them so.
#pragma once

#include <string>
#include <string_view>

namespace muster::os {

// Whether an Accept-Encoding header names gzip and does not refuse it (";q=0").
bool accepts_gzip(std::string_view accept_encoding);

// Fast rather than small: lists of objects repeat themselves enough.
std::string gzip(std::string_view bytes);

}  // namespace muster::os
