// Standard base64 with padding, as JSON carries bytes.
#pragma once

#include <string>
#include <string_view>

namespace muster::api {

void append_base64(std::string_view bytes, std::string& out);
// False when text is not base64; line breaks are allowed, as in Go.
bool decode_base64(std::string_view text, std::string& out);

}  // namespace muster::api
