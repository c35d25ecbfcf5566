#include "api/codec/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

namespace muster::api {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 9> kTrue = {"y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true"};
constexpr std::array<std::string_view, 9> kFalse = {"n", "N", "no", "No", "NO", "off", "Off", "OFF", "false"};

template <std::size_t kCount>
bool is_one_of(std::string_view text, const std::array<std::string_view, kCount>& words) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

std::optional<bool> as_bool(std::string_view text) {
    if (is_one_of(text, kTrue) || text == "True" || text == "TRUE") return true;
    if (is_one_of(text, kFalse) || text == "False" || text == "FALSE") return false;
    return std::nullopt;
}

bool is_null_word(std::string_view text) {
    return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

// The digits after a base prefix: 0x1f, 0b1, 0o17, 017, 42.
struct Based {
    int base;
    std::string_view digits;
};
Based split_base(std::string_view digits) {
    if (digits.size() < 2 || digits[0] != '0') return {10, digits};
    switch (digits[1]) {
        case 'x':
        case 'X': return {16, digits.substr(2)};
        case 'b':
        case 'B': return {2, digits.substr(2)};
        case 'o':
        case 'O': return {8, digits.substr(2)};
        default: return {8, digits.substr(1)};
    }
}

std::optional<json::value> as_integer(std::string_view text) {
    const bool negative = text.front() == '-';
    if (negative || text.front() == '+') text.remove_prefix(1);
    const auto [base, digits] = split_base(text);
    std::uint64_t magnitude = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
    if (digits.empty() || code != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;
    if (!negative)
        return magnitude < kLimit ? json::value(static_cast<std::int64_t>(magnitude)) : json::value(magnitude);
    if (magnitude > kLimit) return std::nullopt;
    return json::value(static_cast<std::int64_t>(0 - magnitude));
}

std::optional<json::value> as_float(std::string_view text) {
    if (text.front() == '+') text.remove_prefix(1);
    const std::size_t digit = text.find_first_of("0123456789");
    const bool shaped =
        digit != std::string_view::npos && text.find_first_not_of("+-.eE0123456789") == std::string_view::npos;
    if (!shaped) return std::nullopt;
    double value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
    return json::value(value);
}

std::optional<json::value> as_number(std::string_view text) {
    if (text.empty() || text.find_first_of("0123456789") == std::string_view::npos) return std::nullopt;
    std::string plain(text);
    std::erase(plain, '_');
    if (plain.empty() || text.front() == '_') return std::nullopt;
    if (auto integer = as_integer(plain)) return integer;
    return as_float(plain);
}

}  // namespace

json::value resolve_plain_scalar(std::string_view text) {
    if (is_null_word(text)) return nullptr;
    if (const auto boolean = as_bool(text)) return *boolean;
    if (auto number = as_number(text)) return *std::move(number);
    return json::string(text.data(), text.size());
}

Result<json::value> resolve_tagged_scalar(std::string_view tag, std::string_view text) {
    constexpr std::string_view kPrefix = "tag:yaml.org,2002:";
    const std::string_view name = tag.starts_with(kPrefix) ? tag.substr(kPrefix.size()) : std::string_view();
    if (name == "str" || name == "binary" || name == "timestamp")
        return json::value(json::string(text.data(), text.size()));
    if (name == "null" && is_null_word(text)) return json::value(nullptr);
    if (name == "bool")
        if (const auto boolean = as_bool(text)) return json::value(*boolean);
    if (name == "int" || name == "float")
        if (auto number = as_number(text)) return *std::move(number);
    return Error{Code::kBadRequest, "yaml: a value cannot be read as " + std::string(tag)};
}

}  // namespace muster::api
