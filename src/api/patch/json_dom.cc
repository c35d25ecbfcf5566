#include "api/patch/json_dom.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <cmath>
#include <vector>

#include "api/text/json_text.h"

namespace muster::api {
namespace {

namespace json = boost::json;

constexpr std::size_t kDescriptionMax = 512;

void append_dom(std::string& out, const json::value& value) {
    switch (value.kind()) {
        case json::kind::null: out += "null"; return;
        case json::kind::bool_: out += value.get_bool() ? "true" : "false"; return;
        case json::kind::int64: append_json_number(value.get_int64(), out); return;
        case json::kind::uint64: out += std::to_string(value.get_uint64()); return;
        case json::kind::double_: append_json_number(value.get_double(), out); return;
        case json::kind::string: append_json_string(value.get_string(), out); return;
        case json::kind::array: {
            char mark = '[';
            for (const auto& element : value.get_array()) {
                out += mark;
                append_dom(out, element);
                mark = ',';
            }
            out += mark == '[' ? "[]" : "]";
            return;
        }
        case json::kind::object: {
            char mark = '{';
            for (const auto& member : value.get_object()) {
                out += mark;
                append_json_string(member.key(), out);
                out += ':';
                append_dom(out, member.value());
                mark = ',';
            }
            out += mark == '{' ? "{}" : "}";
            return;
        }
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
        default: append_dom(out, value); return;
    }
}

std::string cut(std::string text) {
    if (text.size() <= kDescriptionMax) return text;
    std::size_t end = kDescriptionMax;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not inside a character
    text.resize(end);
    return text + "...";
}

}  // namespace

std::string format_dom(const json::value& value) {
    std::string out;
    append_dom(out, value);
    return out;
}

bool dom_is_finite(const json::value& value) {
    switch (value.kind()) {
        case json::kind::double_: return std::isfinite(value.get_double());
        case json::kind::array: return std::all_of(value.get_array().begin(), value.get_array().end(), dom_is_finite);
        case json::kind::object:
            return std::all_of(value.get_object().begin(), value.get_object().end(),
                               [](const auto& member) { return dom_is_finite(member.value()); });
        default: return true;
    }
}

bool dom_equal(const json::value& left, const json::value& right) {
    if (left.is_number() && right.is_number()) return number_equal(left, right);
    if (left.kind() != right.kind()) return false;
    if (left.is_array()) {
        const auto& a = left.get_array();
        const auto& b = right.get_array();
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), dom_equal);
    }
    if (!left.is_object()) return left == right;
    const auto& a = left.get_object();
    const auto& b = right.get_object();
    return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const auto& member) {
               const json::value* other = b.if_contains(member.key());
               return other && dom_equal(member.value(), *other);
           });
}

std::size_t dom_depth(const json::value& value, std::size_t bound, std::size_t* visited) {
    if (visited) ++*visited;
    if (!value.is_structured()) return 0;
    if (bound == 0) return 1;
    std::size_t below = 0;
    const auto look = [&](const json::value& child) { below = std::max(below, dom_depth(child, bound - 1, visited)); };
    if (value.is_array()) {
        for (const auto& element : value.get_array()) look(element);
    } else {
        for (const auto& member : value.get_object()) look(member.value());
    }
    return below + 1;
}

std::string describe_dom(const json::value& value) {
    std::string out;
    describe(out, value);
    return cut(std::move(out));
}

std::string describe_keys(const json::object& object) {
    std::vector<std::string_view> keys;
    for (const auto& member : object) keys.push_back(member.key());
    std::sort(keys.begin(), keys.end());
    std::string out = "map[";
    for (const std::string_view key : keys) {
        if (out.size() > kDescriptionMax) break;
        out.append(out.ends_with('[') ? "" : " ").append(key);
        if (!key.starts_with('$')) continue;
        out += ':';
        describe(out, object.at(key));
    }
    return cut(out + "]");
}

std::string_view dom_kind_name(const json::value& value) {
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
