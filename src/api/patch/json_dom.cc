#include "api/patch/json_dom.h"

#include <algorithm>
#include <boost/json/error.hpp>
#include <boost/json/parser.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <cmath>
#include <vector>

namespace muster::api {
namespace {

namespace json = boost::json;

constexpr std::size_t kDescriptionMax = 512;

void append_number(std::string& out, double number) {
    char buffer[400];
    const double size = std::abs(number);
    // Go's encoder leaves plain notation at these two points.
    const bool plain = number == 0 || (size >= 1e-6 && size < 1e21);
    const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
    out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, number, format).ptr);
    if (!plain && out.substr(out.size() - 3, 2) == "-0") out.erase(out.size() - 2, 1);  // 1e-7, not 1e-07
}

template <class Integer>
void append_integer(std::string& out, Integer number) {
    char buffer[24];
    out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
}

void append_escaped(std::string& out, unsigned char c) {
    static constexpr char kHex[] = "0123456789abcdef";
    switch (c) {
        case '"': out += "\\\""; return;
        case '\\': out += "\\\\"; return;
        case '\n': out += "\\n"; return;
        case '\r': out += "\\r"; return;
        case '\t': out += "\\t"; return;
        default: out.append("\\u00").append({kHex[c >> 4], kHex[c & 15]}); return;
    }
}

void append_string(std::string& out, std::string_view text) {
    out += '"';
    std::size_t done = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c >= 0x20 && c != '"' && c != '\\') continue;
        out.append(text, done, i - done);
        append_escaped(out, c);
        done = i + 1;
    }
    out.append(text, done, text.size() - done);
    out += '"';
}

bool all_finite(const json::value& value) {
    switch (value.kind()) {
        case json::kind::double_: return std::isfinite(value.get_double());
        case json::kind::array: return std::all_of(value.get_array().begin(), value.get_array().end(), all_finite);
        case json::kind::object:
            return std::all_of(value.get_object().begin(), value.get_object().end(),
                               [](const auto& member) { return all_finite(member.value()); });
        default: return true;
    }
}

bool number_equal(const json::value& left, const json::value& right) {
    if (!left.is_double() && !right.is_double()) return left == right;
    return left.to_number<double>() == right.to_number<double>();
}

void describe(std::string& out, const json::value& value);

void describe_object(std::string& out, const json::object& object) {
    std::vector<const json::key_value_pair*> members;
    for (const auto& member : object) members.push_back(&member);
    std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) { return a->key() < b->key(); });
    out += "map[";
    const char* gap = "";
    for (const auto* member : members) {
        if (out.size() > kDescriptionMax) break;
        out.append(gap).append(std::string_view(member->key())) += ':';
        describe(out, member->value());
        gap = " ";
    }
    out += ']';
}

void describe(std::string& out, const json::value& value) {
    switch (value.kind()) {
        case json::kind::null: out += "<nil>"; return;
        case json::kind::string: out += std::string_view(value.get_string()); return;
        case json::kind::object: describe_object(out, value.get_object()); return;
        case json::kind::array: {
            out += '[';
            const char* gap = "";
            for (const auto& element : value.get_array()) {
                if (out.size() > kDescriptionMax) break;
                out += gap;
                describe(out, element);
                gap = " ";
            }
            out += ']';
            return;
        }
        default: append_json(out, value); return;
    }
}

}  // namespace

Result<json::value> parse_json(std::string_view text, std::size_t depth_max, json::storage_ptr storage) {
    json::parse_options options;
    options.max_depth = depth_max;
    json::parser parser(std::move(storage), options);
    boost::system::error_code failure;
    const std::size_t read = parser.write(text.data(), text.size(), failure);
    if (failure == json::error::too_deep)
        return Error{Code::kBadRequest, "JSON nested deeper than " + std::to_string(depth_max) + " levels"};
    if (failure) return Error{Code::kBadRequest, failure.message() + " at byte " + std::to_string(read)};
    json::value value = parser.release();
    if (!all_finite(value)) return Error{Code::kBadRequest, "a number is out of range"};
    return value;
}

void append_json(std::string& out, const json::value& value) {
    switch (value.kind()) {
        case json::kind::null: out += "null"; return;
        case json::kind::bool_: out += value.get_bool() ? "true" : "false"; return;
        case json::kind::int64: append_integer(out, value.get_int64()); return;
        case json::kind::uint64: append_integer(out, value.get_uint64()); return;
        case json::kind::double_: append_number(out, value.get_double()); return;
        case json::kind::string: append_string(out, value.get_string()); return;
        case json::kind::array: {
            char mark = '[';
            for (const auto& element : value.get_array()) {
                out += mark;
                append_json(out, element);
                mark = ',';
            }
            out += mark == '[' ? "[]" : "]";
            return;
        }
        case json::kind::object: {
            char mark = '{';
            for (const auto& member : value.get_object()) {
                out += mark;
                append_string(out, member.key());
                out += ':';
                append_json(out, member.value());
                mark = ',';
            }
            out += mark == '{' ? "{}" : "}";
            return;
        }
    }
}

std::string format_json(const json::value& value) {
    std::string out;
    append_json(out, value);
    return out;
}

bool json_equal(const json::value& left, const json::value& right) {
    if (left.is_number() && right.is_number()) return number_equal(left, right);
    if (left.kind() != right.kind()) return false;
    if (left.is_array()) {
        const auto& a = left.get_array();
        const auto& b = right.get_array();
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), json_equal);
    }
    if (!left.is_object()) return left == right;
    const auto& a = left.get_object();
    const auto& b = right.get_object();
    return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const auto& member) {
               const json::value* other = b.if_contains(member.key());
               return other && json_equal(member.value(), *other);
           });
}

std::size_t json_depth(const json::value& value, std::size_t bound, std::size_t* visited) {
    if (visited) ++*visited;
    if (!value.is_structured()) return 0;
    if (bound == 0) return 1;
    std::size_t below = 0;
    const auto look = [&](const json::value& child) { below = std::max(below, json_depth(child, bound - 1, visited)); };
    if (value.is_array()) {
        for (const auto& element : value.get_array()) look(element);
    } else {
        for (const auto& member : value.get_object()) look(member.value());
    }
    return below + 1;
}

std::string describe_json(const json::value& value) {
    std::string out;
    describe(out, value);
    if (out.size() > kDescriptionMax) {
        std::size_t end = kDescriptionMax;
        while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xc0) == 0x80) --end;  // not inside a character
        out.resize(end);
        out += "...";
    }
    return out;
}

std::string_view json_kind_name(const json::value& value) {
    switch (value.kind()) {
        case json::kind::null: return "null";
        case json::kind::bool_: return "a bool";
        case json::kind::string: return "a string";
        case json::kind::array: return "an array";
        case json::kind::object: return "an object";
        default: return "a number";
    }
}

}  // namespace muster::api
