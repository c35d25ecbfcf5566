#include "api/patch/json_pointer.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <charconv>

namespace muster::api {
namespace {

namespace json = boost::json;

std::string unescape(std::string_view token) {
    std::string out;
    for (std::size_t i = 0; i < token.size(); ++i) {
        const char next = i + 1 < token.size() ? token[i + 1] : '\0';
        if (token[i] != '~' || (next != '0' && next != '1')) {
            out += token[i];
            continue;
        }
        out += next == '0' ? '~' : '/';
        ++i;
    }
    return out;
}

}  // namespace

std::optional<std::vector<std::string>> parse_pointer(std::string_view text) {
    std::vector<std::string> tokens;
    if (text.empty()) return tokens;
    if (text.front() != '/') return std::nullopt;
    for (std::size_t begin = 1; begin <= text.size();) {
        const std::size_t end = std::min(text.find('/', begin), text.size());
        tokens.push_back(unescape(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    return tokens;
}

std::optional<std::size_t> parse_array_index(std::string_view token, std::size_t size) {
    const bool from_end = token.size() > 1 && token.front() == '-';
    if (from_end) token.remove_prefix(1);
    if (token.empty() || (token.front() == '0' && (from_end || token.size() > 1))) return std::nullopt;
    std::size_t index = 0;
    const char* end = token.data() + token.size();
    const auto read = std::from_chars(token.data(), end, index);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    if (from_end) return index <= size ? std::optional(size - index) : std::nullopt;
    return index < size ? std::optional(index) : std::nullopt;
}

json::value* find_child(json::value& container, std::string_view token) {
    if (container.is_object()) return container.get_object().if_contains(token);
    if (!container.is_array()) return nullptr;
    auto& array = container.get_array();
    const auto index = parse_array_index(token, array.size());
    return index ? &array[*index] : nullptr;
}

}  // namespace muster::api
