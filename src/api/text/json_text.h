// The smallest pieces of JSON text, shared by everything that writes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::api {

// Appends text quoted and escaped. The text must be UTF-8.
void append_json_string(std::string_view text, std::string& out);
void append_json_number(std::int64_t value, std::string& out);
void append_json_number(double value, std::string& out);

}  // namespace muster::api
