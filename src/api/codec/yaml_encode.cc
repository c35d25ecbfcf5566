#include "api/codec/yaml_encode.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <vector>

#include "api/codec/yaml_scalar.h"
#include "api/text/json_text.h"
#include "base/check.h"

namespace muster::api {
namespace {

namespace json = boost::json;

bool is_printable(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
}

// A text that begins like 2026-01-31: YAML 1.1 has a type for dates, though our reader does not use it.
bool is_date(std::string_view text) {
    if (text.size() < 10) return false;
    for (std::size_t i = 0; i < 10; ++i)
        if (i == 4 || i == 7 ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
    return true;
}

// Whether a reader would take the bare text for something else than text.
bool is_ambiguous(std::string_view text) {
    return text.empty() || is_date(text) || !resolve_plain_scalar(text).is_string();
}

// Whether the text may stand bare: nothing in it is syntax, and a reader takes it for text.
bool is_plain(std::string_view text) {
    if (text.empty() || !is_printable(text) || text.front() == ' ' || text.back() == ' ') return false;
    constexpr std::string_view kIndicators = "-?:,[]{}#&*!|>'\"%@`=";
    if (kIndicators.find(text.front()) != std::string_view::npos) {
        const bool word_follows = text.size() > 1 && text[1] != ' ' && (text.front() == '-' || text.front() == ':');
        if (!word_follows || text.starts_with("---")) return false;
    }
    if (text.find(": ") != std::string_view::npos || text.find(" #") != std::string_view::npos || text.back() == ':')
        return false;
    return text != "..." && text != "<<" && !is_ambiguous(text);
}

// Lines that can be written as they are: no control characters, no spaces that would be lost.
bool is_block(std::string_view text) {
    if (text.find('\n') == std::string_view::npos || text.front() == ' ' || text.front() == '\n' ||
        text.ends_with("\n\n"))
        return false;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        if (!is_printable(line) || (!line.empty() && line.back() == ' ')) return false;
        begin = end + 1;
    }
    return true;
}

void append_block(std::string_view text, std::size_t indent, std::string& out) {
    out += '|';
    if (!text.ends_with('\n')) out += '-';
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        out += '\n';
        if (end != 0) out.append(indent, ' ').append(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
}

void append_line(std::string_view text, std::string& out) {
    if (is_plain(text)) {
        out += text;
    } else if (is_printable(text) && !is_ambiguous(text)) {
        out += '\'';
        for (const char c : text) out.append(c == '\'' ? 2 : 1, c);
        out += '\'';
    } else {
        append_json_string(text, out);
    }
}

void append_text(std::string_view text, std::size_t indent, std::string& out) {
    if (is_block(text)) {
        append_block(text, indent, out);
    } else {
        append_line(text, out);
    }
}

void append_scalar(const json::value& value, std::size_t indent, std::string& out) {
    switch (value.kind()) {
        case json::kind::string:
            append_text({value.get_string().data(), value.get_string().size()}, indent, out);
            break;
        case json::kind::bool_: out += value.get_bool() ? "true" : "false"; break;
        case json::kind::int64: append_json_number(value.get_int64(), out); break;
        case json::kind::uint64: out += std::to_string(value.get_uint64()); break;
        case json::kind::double_: append_json_number(value.get_double(), out); break;
        case json::kind::array: out += "[]"; break;
        case json::kind::object: out += "{}"; break;
        case json::kind::null: out += "null"; break;
    }
}

bool is_nested(const json::value& value) {
    return (value.is_object() && !value.get_object().empty()) || (value.is_array() && !value.get_array().empty());
}

void append_value(const json::value& value, std::size_t indent, std::string& out);

// `begun`: the first key stands on the line that is being written.
void append_object(const json::object& object, std::size_t indent, bool begun, std::string& out) {
    std::vector<const json::key_value_pair*> sorted;
    for (const auto& entry : object) sorted.push_back(&entry);
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->key() < b->key(); });
    for (const auto* entry : sorted) {
        if (!begun) out.append(indent, ' ');
        begun = false;
        append_line({entry->key().data(), entry->key().size()}, out);
        out += ':';
        const json::value& value = entry->value();
        if (!is_nested(value)) {
            out += ' ';
            append_scalar(value, indent + 2, out);
            out += '\n';
            continue;
        }
        out += '\n';
        append_value(value, value.is_array() ? indent : indent + 2, out);
    }
}

void append_array(const json::array& array, std::size_t indent, bool begun, std::string& out) {
    for (const json::value& value : array) {
        if (!begun) out.append(indent, ' ');
        begun = false;
        out += "- ";
        if (!is_nested(value)) {
            append_scalar(value, indent + 2, out);
            out += '\n';
        } else if (value.is_object()) {
            append_object(value.get_object(), indent + 2, true, out);
        } else {
            append_array(value.get_array(), indent + 2, true, out);
        }
    }
}

void append_value(const json::value& value, std::size_t indent, std::string& out) {
    if (value.is_object()) {
        append_object(value.get_object(), indent, false, out);
    } else {
        append_array(value.get_array(), indent, false, out);
    }
}

json::value parse_own(std::string_view text) {
    json::parse_options options;
    options.max_depth = 2000;
    boost::system::error_code failure;
    json::value document = json::parse({text.data(), text.size()}, failure, {}, options);
    CHECK(!failure, failure.message());
    return document;
}

}  // namespace

void append_yaml(const json::value& document, std::string& out) {
    if (is_nested(document)) {
        append_value(document, 0, out);
    } else {
        append_scalar(document, 2, out);
        out += '\n';
    }
}

std::string json_to_yaml(std::string_view json) {
    std::string out;
    append_yaml(parse_own(json), out);
    return out;
}

std::string indent_json(std::string_view json) {
    std::string out;
    out.reserve(json.size() * 2);
    std::size_t depth = 0;
    const auto line = [&] { out.append(1, '\n').append(2 * depth, ' '); };
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (c == '"') {
            const std::size_t begin = i;
            for (++i; json[i] != '"'; ++i)
                if (json[i] == '\\') ++i;
            out.append(json.substr(begin, i - begin + 1));
        } else if (c == '{' || c == '[') {
            out += c;
            if (json[i + 1] == '}' || json[i + 1] == ']') {
                out += json[++i];
                continue;
            }
            ++depth;
            line();
        } else if (c == '}' || c == ']') {
            --depth;
            line();
            out += c;
        } else if (c == ',') {
            out += c;
            line();
        } else if (c == ':') {
            out += ": ";
        } else {
            out += c;
        }
    }
    return out;
}

}  // namespace muster::api
