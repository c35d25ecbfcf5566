#include "cli/text/json_path.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>

namespace muster::cli {
namespace {

namespace json = boost::json;

Error bad_path(std::string_view text, const char* why) {
    return {Code::kBadRequest, "error parsing jsonpath " + std::string(text) + ", " + why};
}

std::string plain_text(const json::value& value) {
    return value.is_string() ? std::string(value.as_string()) : json::serialize(value);
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

bool is_quoted(std::string_view text) {
    return text.size() >= 2 && (text[0] == '\'' || text[0] == '"') && text.back() == text[0];
}

// A member's name up to the next dot or bracket; a backslash keeps what follows.
std::string take_name(std::string_view& text) {
    std::string name;
    while (!text.empty() && text[0] != '.' && text[0] != '[') {
        if (text[0] == '\\' && text.size() > 1) text.remove_prefix(1);
        name += text[0];
        text.remove_prefix(1);
    }
    return name;
}

// The end of the bracket that text starts with, over quotes and parentheses.
std::size_t bracket_end(std::string_view text) {
    char quote = 0;
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (quote) {
            if (text[i] == quote) quote = 0;
        } else if (text[i] == '\'' || text[i] == '"') {
            quote = text[i];
        } else if (text[i] == ']') {
            return i;
        }
    }
    return std::string_view::npos;
}

// {"\n"} and its like.
std::string unescape(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            out += text[i];
            continue;
        }
        ++i;
        out += text[i] == 'n' ? '\n' : text[i] == 't' ? '\t' : text[i];
    }
    return out;
}

}  // namespace

Result<JsonPath::Step> JsonPath::parse_bracket(std::string_view inside) {
    inside = trim(inside);
    Step step;
    if (inside == "*") {
        step.kind = Step::Kind::kAll;
    } else if (is_quoted(inside)) {
        step.name = inside.substr(1, inside.size() - 2);
    } else if (inside.starts_with("?(") && inside.ends_with(")")) {
        step.kind = Step::Kind::kFilter;
        std::string_view test = trim(inside.substr(2, inside.size() - 3));
        for (const std::string_view op : {"==", "!="}) {
            const std::size_t at = test.find(op);
            if (at == std::string_view::npos) continue;
            const std::string_view right = trim(test.substr(at + 2));
            step.op = op;
            step.right = is_quoted(right) ? right.substr(1, right.size() - 2) : right;
            test = trim(test.substr(0, at));
            break;
        }
        if (!test.starts_with("@")) return bad_path(inside, "a filter starts with @");
        test.remove_prefix(1);
        while (!test.empty()) {
            if (test[0] != '.') return bad_path(inside, "a filter goes through members only");
            test.remove_prefix(1);
            step.left.push_back(take_name(test));
        }
    } else {
        step.kind = Step::Kind::kIndex;
        const auto [end, error] = std::from_chars(inside.data(), inside.data() + inside.size(), step.index);
        if (error != std::errc() || end != inside.data() + inside.size())
            return bad_path(inside, "invalid array index");
    }
    return step;
}

Result<JsonPath::Path> JsonPath::parse_path(std::string_view text) {
    Path path;
    std::string_view rest = trim(text);
    if (rest.starts_with("$")) rest.remove_prefix(1);
    if (!rest.empty() && rest[0] != '.' && rest[0] != '[') return bad_path(text, "a path starts with a dot");
    while (!rest.empty()) {
        if (rest[0] == '[') {
            const std::size_t end = bracket_end(rest);
            if (end == std::string_view::npos) return bad_path(text, "unterminated array");
            TRY_ASSIGN(Step step, parse_bracket(rest.substr(1, end - 1)));
            path.push_back(std::move(step));
            rest.remove_prefix(end + 1);
            continue;
        }
        rest.remove_prefix(1);
        Step step;
        if (rest.starts_with(".")) {
            step.kind = Step::Kind::kRecursive;
            rest.remove_prefix(1);
        }
        step.name = take_name(rest);
        if (step.name == "*") step.kind = Step::Kind::kAll;
        if (step.name.empty()) {
            if (step.kind == Step::Kind::kMember && (rest.empty() || rest[0] == '[')) continue;  // {.} and {.['a']}
            return bad_path(text, "empty name");
        }
        path.push_back(std::move(step));
    }
    return path;
}

Result<JsonPath> JsonPath::parse(std::string_view text) {
    JsonPath out;
    if (text.find('{') == std::string_view::npos) {
        const std::string path =
            text.starts_with('.') || text.starts_with('[') ? std::string(text) : "." + std::string(text);
        TRY_ASSIGN(Path parsed, parse_path(path));
        out.parts_.push_back({.path = std::move(parsed), .is_path = true});
        return out;
    }
    while (!text.empty()) {
        const std::size_t open = std::min(text.find('{'), text.size());
        if (open > 0) out.parts_.push_back({.text = std::string(text.substr(0, open))});
        text.remove_prefix(open);
        if (text.empty()) break;
        const std::size_t close = text.find('}');
        if (close == std::string_view::npos) return bad_path(text, "unclosed action");
        const std::string_view inside = trim(text.substr(1, close - 1));
        if (is_quoted(inside)) {
            out.parts_.push_back({.text = unescape(inside.substr(1, inside.size() - 2))});
        } else {
            TRY_ASSIGN(Path parsed, parse_path(inside));
            out.parts_.push_back({.path = std::move(parsed), .is_path = true});
        }
        text.remove_prefix(close + 1);
    }
    return out;
}

bool JsonPath::passes(const Step& filter, const json::value& item) {
    const json::value* at = &item;
    for (const std::string& name : filter.left) {
        const json::object* object = at->if_object();
        at = object ? object->if_contains(name) : nullptr;
        if (!at) return false;
    }
    if (filter.op.empty()) return true;
    return (plain_text(*at) == filter.right) == (filter.op == "==");
}

void JsonPath::collect_named(std::string_view name, const json::value& value, std::vector<const json::value*>& out) {
    if (const json::object* object = value.if_object()) {
        if (const json::value* found = object->if_contains(name)) out.push_back(found);
        for (const auto& member : *object) collect_named(name, member.value(), out);
    } else if (const json::array* array = value.if_array()) {
        for (const json::value& item : *array) collect_named(name, item, out);
    }
}

void JsonPath::walk(const Path& path, std::size_t at, const json::value& value, std::vector<const json::value*>& out) {
    if (at == path.size()) {
        out.push_back(&value);
        return;
    }
    const Step& step = path[at];
    const json::object* object = value.if_object();
    const json::array* array = value.if_array();
    switch (step.kind) {
        case Step::Kind::kMember:
            if (object)
                if (const json::value* found = object->if_contains(step.name)) walk(path, at + 1, *found, out);
            return;
        case Step::Kind::kIndex: {
            if (!array) return;
            const auto size = static_cast<std::ptrdiff_t>(array->size());
            const std::ptrdiff_t index = step.index < 0 ? step.index + size : step.index;
            if (index >= 0 && index < size) walk(path, at + 1, (*array)[static_cast<std::size_t>(index)], out);
            return;
        }
        case Step::Kind::kAll:
            if (object)
                for (const auto& member : *object) walk(path, at + 1, member.value(), out);
            if (array)
                for (const json::value& item : *array) walk(path, at + 1, item, out);
            return;
        case Step::Kind::kFilter:
            if (array)
                for (const json::value& item : *array)
                    if (passes(step, item)) walk(path, at + 1, item, out);
            return;
        case Step::Kind::kRecursive: {
            std::vector<const json::value*> found;
            collect_named(step.name, value, found);
            for (const json::value* each : found) walk(path, at + 1, *each, out);
            return;
        }
    }
}

std::vector<const json::value*> JsonPath::find(const json::value& document) const {
    std::vector<const json::value*> out;
    for (const Part& part : parts_) {
        if (!part.is_path) continue;
        walk(part.path, 0, document, out);
        break;
    }
    return out;
}

std::string JsonPath::format(const json::value& document) const {
    std::string out;
    for (const Part& part : parts_) {
        out += part.text;
        if (!part.is_path) continue;
        std::vector<const json::value*> values;
        walk(part.path, 0, document, values);
        const char* before = "";
        for (const json::value* value : values) {
            out.append(before).append(plain_text(*value));
            before = " ";
        }
    }
    return out;
}

}  // namespace muster::cli
