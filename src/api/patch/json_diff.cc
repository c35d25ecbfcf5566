#include "api/patch/json_diff.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>

#include "api/patch/json_dom.h"
#include "api/patch/merge_patch.h"
#include "api/patch/three_way.h"

namespace muster::api {
namespace {

namespace json = boost::json;

std::string pointer_below(const std::string& path, std::string_view token) {
    std::string out = path + "/";
    for (const char c : token) {
        if (c == '~')
            out += "~0";
        else if (c == '/')
            out += "~1";
        else
            out += c;
    }
    return out;
}

void append_operation(json::array& out, const char* operation, const std::string& path, const json::value* value) {
    json::object one{{"op", operation}, {"path", path}};
    if (value) one["value"] = *value;
    out.push_back(std::move(one));
}

void diff_value(const std::string& path, const json::value& before, const json::value& after, json::array& out);

void diff_object(const std::string& path, const json::object& before, const json::object& after, json::array& out) {
    for (const auto& [key, value] : before)
        if (!after.contains(key)) append_operation(out, "remove", pointer_below(path, key), nullptr);
    for (const auto& [key, value] : after) {
        const json::value* old = before.if_contains(key);
        if (old)
            diff_value(pointer_below(path, key), *old, value, out);
        else
            append_operation(out, "add", pointer_below(path, key), &value);
    }
}

// A list that was changed in another way than by appending is replaced: which element is which is not known.
void diff_list(const std::string& path, const json::array& before, const json::array& after, json::array& out) {
    if (before.size() == after.size()) {
        for (std::size_t i = 0; i < before.size(); ++i)
            diff_value(pointer_below(path, std::to_string(i)), before[i], after[i], out);
        return;
    }
    bool appended = after.size() > before.size();
    for (std::size_t i = 0; appended && i < before.size(); ++i) appended = dom_equal(before[i], after[i]);
    if (!appended) {
        const json::value whole = after;
        return append_operation(out, "replace", path, &whole);
    }
    for (std::size_t i = before.size(); i < after.size(); ++i) append_operation(out, "add", path + "/-", &after[i]);
}

void diff_value(const std::string& path, const json::value& before, const json::value& after, json::array& out) {
    if (before.is_object() && after.is_object()) return diff_object(path, before.get_object(), after.get_object(), out);
    if (before.is_array() && after.is_array()) return diff_list(path, before.get_array(), after.get_array(), out);
    if (!dom_equal(before, after)) append_operation(out, "replace", path, &after);
}

}  // namespace

json::array diff_json(const json::value& before, const json::value& after) {
    json::array out;
    diff_value("", before, after, out);
    return out;
}

Result<json::array> diff_document(const json::value& document, const json::value& before, const json::value& after) {
    if (!document.is_object() || !before.is_object() || !after.is_object())
        return Error{Code::kBadRequest, "a document that is compared is not an object"};
    const json::object changes = three_way_patch(nullptr, before.get_object(), after.get_object(), before.get_object());
    if (changes.empty()) return json::array();
    TRY_ASSIGN(const json::value changed, apply_merge_patch(document, changes, {}));
    return diff_json(document, changed);
}

}  // namespace muster::api
