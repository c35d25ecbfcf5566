#include "api/defaults/defined.h"

#include <algorithm>
#include <boost/json/value.hpp>

#include "api/codec/dom.h"
#include "api/defaults/generation.h"
#include "api/text/json_text.h"
#include "base/check.h"

namespace muster::api {
namespace {

namespace json = boost::json;

std::string_view view(const json::string_view& text) { return {text.data(), text.size()}; }

// Recursion is bounded: what was decoded is no deeper than the limit of decoding.
void append_sorted(const json::value& value, std::string& out) {
    switch (value.kind()) {
        case json::kind::null: out += "null"; return;
        case json::kind::bool_: out += value.get_bool() ? "true" : "false"; return;
        case json::kind::int64: append_json_number(value.get_int64(), out); return;
        case json::kind::uint64: out += std::to_string(value.get_uint64()); return;
        case json::kind::double_: append_json_number(value.get_double(), out); return;
        case json::kind::string: append_json_string(view(value.get_string()), out); return;
        case json::kind::array: {
            out += '[';
            for (const json::value& item : value.get_array()) {
                if (out.back() != '[') out += ',';
                append_sorted(item, out);
            }
            out += ']';
            return;
        }
        case json::kind::object: break;
    }
    std::vector<const json::key_value_pair*> members;
    for (const json::key_value_pair& member : value.get_object()) members.push_back(&member);
    std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) { return a->key() < b->key(); });
    out += '{';
    for (const json::key_value_pair* member : members) {
        if (member != members.front()) out += ',';
        append_json_string(view(member->key()), out);
        out += ':';
        append_sorted(member->value(), out);
    }
    out += '}';
}

}  // namespace

RawJson canonical_json(const RawJson& raw) {
    if (raw.json.empty()) return {};
    const Result<json::value> document = parse_dom(raw.json);
    CHECK(document.ok(), "a raw field holds JSON");
    if (document->is_null()) return {};
    std::string text;
    append_sorted(*document, text);
    return {Text(text)};
}

void default_defined(DefinedObject& object) {
    object.status = canonical_json(object.status);
    Map<RawJson> content;
    for (const auto& [name, value] : object.content)
        if (RawJson kept = canonical_json(value); !kept.json.empty()) content.set(name, std::move(kept));
    object.content = std::move(content);
}

void prepare_defined_create(DefinedObject& object, bool has_status) {
    if (has_status) object.status = {};
    object.metadata.generation = 1;
}

void prepare_defined_update(DefinedObject& now, const DefinedObject& before, bool has_status) {
    if (has_status) now.status = before.status;
    if (!(now.content == before.content) || !(now.status == before.status)) raise_generation(now.metadata);
}

void prepare_defined_status_update(DefinedObject& now, const DefinedObject& before) {
    now.content = before.content;
    const Text version = now.metadata.resource_version;
    now.metadata = before.metadata;
    now.metadata.resource_version = version;
}

}  // namespace muster::api
