#include "cli/text/document.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "api/codec/dom.h"
#include "api/codec/yaml_scalar.h"

namespace muster::cli {
namespace {

namespace json = boost::json;

std::vector<const json::key_value_pair*> sorted_members(const json::object& object) {
    std::vector<const json::key_value_pair*> members;
    for (const auto& member : object) members.push_back(&member);
    std::ranges::sort(members, [](const auto* left, const auto* right) { return left->key() < right->key(); });
    return members;
}

void append_json(const json::value& value, std::size_t depth, std::string& out) {
    const std::string indent((depth + 1) * 4, ' ');
    const std::string outdent(depth * 4, ' ');
    const char* before = "\n";
    if (const json::object* object = value.if_object(); object && !object->empty()) {
        out += '{';
        for (const auto* member : sorted_members(*object)) {
            out.append(before).append(indent).append(json::serialize(member->key())).append(": ");
            append_json(member->value(), depth + 1, out);
            before = ",\n";
        }
        out.append("\n").append(outdent).append("}");
    } else if (const json::array* array = value.if_array(); array && !array->empty()) {
        out += '[';
        for (const json::value& item : *array) {
            out.append(before).append(indent);
            append_json(item, depth + 1, out);
            before = ",\n";
        }
        out.append("\n").append(outdent).append("]");
    } else {
        out += json::serialize(value);
    }
}

bool has_control(std::string_view text) {
    return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// Can stand as it is and is read back as this text.
bool is_plain(std::string_view text) {
    if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.back() == ':') return false;
    if (std::string_view("-?:,[]{}#&*!|>'\"%@`=<").find(text.front()) != std::string_view::npos) {
        // A dash before a letter is fine: -x
        if (!((text.front() == '-' || text.front() == ':' || text.front() == '?') && text.size() > 1 && text[1] != ' '))
            return false;
    }
    return text != "---" && text.find(": ") == std::string_view::npos && text.find(" #") == std::string_view::npos;
}

// Times would be read back as times by some.
bool looks_like_time(std::string_view text) {
    return text.size() >= 10 && text[4] == '-' && text[7] == '-' &&
           std::ranges::all_of(text.substr(0, 4), [](char c) { return c >= '0' && c <= '9'; });
}

void append_yaml_text(std::string_view text, std::size_t indent, std::string& out) {
    const bool lines = text.find('\n') != std::string_view::npos;
    std::string without_breaks(text);
    std::erase(without_breaks, '\n');
    if (lines && !has_control(without_breaks) && text.front() != ' ' && text.front() != '\n') {
        out += text.ends_with("\n\n") ? "|+" : text.ends_with('\n') ? "|" : "|-";
        if (text.ends_with('\n')) text.remove_suffix(1);
        while (true) {
            const std::size_t end = text.find('\n');
            out += '\n';
            if (end != 0 && !text.empty()) out.append(indent, ' ').append(text.substr(0, end));
            if (end == std::string_view::npos) return;
            text.remove_prefix(end + 1);
        }
    }
    if (lines || has_control(text)) {
        out += json::serialize(json::string(text));
    } else if (!api::resolve_plain_scalar(text).is_string() || looks_like_time(text)) {
        out.append("\"").append(text).append("\"");
    } else if (is_plain(text)) {
        out += text;
    } else {
        out += '\'';
        for (const char c : text) out.append(c == '\'' ? 2 : 1, c);
        out += '\'';
    }
}

// Writes a value whose first line goes on where `out` stands; what follows is indented by `indent`.
void append_yaml(const json::value& value, std::size_t indent, bool in_list, std::string& out) {
    if (const json::object* object = value.if_object()) {
        if (object->empty()) {
            out += "{}\n";
            return;
        }
        bool first = in_list;
        for (const auto* member : sorted_members(*object)) {
            if (!first) out.append(indent, ' ');
            first = false;
            append_yaml_text(member->key(), indent, out);
            out += ':';
            const json::value& inner = member->value();
            const bool block =
                (inner.is_object() && !inner.as_object().empty()) || (inner.is_array() && !inner.as_array().empty());
            out += block ? '\n' : ' ';
            // A list stands under its key without more indent.
            append_yaml(inner, inner.is_array() ? indent : indent + 2, false, out);
        }
    } else if (const json::array* array = value.if_array()) {
        if (array->empty()) {
            out += "[]\n";
            return;
        }
        bool first = in_list;
        for (const json::value& item : *array) {
            if (!first) out.append(indent, ' ');
            first = false;
            out += "- ";
            append_yaml(item, indent + 2, true, out);
        }
    } else if (value.is_string()) {
        append_yaml_text({value.as_string().data(), value.as_string().size()}, indent, out);
        out += '\n';
    } else {
        out += json::serialize(value) + "\n";
    }
}

bool is_marker(std::string_view line, std::string_view marker) {
    return line.starts_with(marker) && (line.size() == 3 || line[3] == ' ' || line[3] == '\r' || line[3] == '\t');
}

// The documents' texts: "---" at the start of a line parts them, whatever stands around.
std::vector<std::string_view> split_documents(std::string_view text) {
    std::vector<std::string_view> documents;
    std::size_t start = 0;
    for (std::size_t line = 0; line < text.size();) {
        const std::size_t end = std::min(text.find('\n', line), text.size());
        if (is_marker(text.substr(line, end - line), "---")) {
            documents.push_back(text.substr(start, line - start));
            start = line + 3;
        } else if (is_marker(text.substr(line, end - line), "...")) {
            documents.push_back(text.substr(start, line - start));
            start = end;
        }
        line = end + 1;
    }
    documents.push_back(text.substr(start));
    return documents;
}

// Nothing but blanks and comments.
bool is_blank(std::string_view document) {
    while (!document.empty()) {
        const std::string_view line = document.substr(0, document.find('\n'));
        const std::size_t start = line.find_first_not_of(" \t\r");
        if (start != std::string_view::npos && line[start] != '#') return false;
        document.remove_prefix(std::min(line.size() + 1, document.size()));
    }
    return true;
}

}  // namespace

std::string format_json(const json::value& value) {
    std::string out;
    append_json(value, 0, out);
    return out + "\n";
}

std::string format_yaml(const json::value& value) {
    std::string out;
    append_yaml(value, 0, false, out);
    return out;
}

Result<std::vector<json::object>> parse_manifest(std::string_view text, std::string_view source) {
    const api::DecodeLimits limits{.bytes_max = 64u << 20};
    std::vector<json::object> objects;
    for (const std::string_view document : split_documents(text)) {
        if (is_blank(document)) continue;
        std::vector<std::string> duplicates;
        Result<json::value> parsed = api::parse_yaml(document, limits, duplicates);
        if (!parsed.ok())
            return Error{Code::kBadRequest, "error parsing " + std::string(source) + ": " + parsed.error().message};
        if (parsed->is_null()) continue;
        if (!duplicates.empty())
            return Error{Code::kBadRequest, "error parsing " + std::string(source) + ": " + duplicates.front()};
        json::object* object = parsed->if_object();
        if (!object || !object->contains("kind"))
            return Error{Code::kBadRequest, "error parsing " + std::string(source) + ": no object with a kind"};
        const json::value* items = object->if_contains("items");
        if (items && items->is_array() && text_at(*parsed, "/kind").ends_with("List")) {
            for (const json::value& item : items->as_array())
                if (item.is_object()) objects.push_back(item.as_object());
        } else {
            objects.push_back(std::move(*object));
        }
    }
    return objects;
}

}  // namespace muster::cli
