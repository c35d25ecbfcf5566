#include "api/validation/rules/schema_rules.h"

#include <unordered_set>

#include "api/schema/walk.h"

namespace muster::api {
namespace {

const void* member_at(const void* object, const FieldInfo& field) {
    return static_cast<const char*>(object) + field.offset;
}

std::vector<std::string_view> words_of(std::string_view text, char separator) {
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(separator, at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

class SchemaCheck {
public:
    SchemaCheck(std::string_view packages, FieldErrors& errors) : packages_(packages), errors_(errors) {}

    void check(const TypeInfo& type, const void* object, const FieldPath& path) {
        for (const FieldInfo& field : type.json_fields) check_field(field, member_at(object, field), path);
    }

private:
    void check_field(const FieldInfo& field, const void* member, const FieldPath& path) {
        const FieldPath at = path.child(field.json);
        const FieldOptions& options = field.options;
        const bool has_content = field.value->shape == Shape::kText || field.value->shape == Shape::kList;
        if (options.required && !options.optional && has_content && is_zero(*field.value, member))
            return errors_.add_required(at, "");
        if (options.one_of) check_word(options.one_of, *field.value, member, at);
        if (field.value->shape == Shape::kList) check_differ(field, member, at);
        check_value(*field.value, member, at);
    }

    void check_value(const ValueInfo& info, const void* value, const FieldPath& at) {
        switch (info.shape) {
            case Shape::kStruct:
                if (info.type().package.starts_with(packages_)) check(info.type(), value, at);
                return;
            case Shape::kOptional:
            case Shape::kBox:
                if (const void* inner = info.get(value)) check_value(*info.element, inner, at);
                return;
            case Shape::kList:
                if (info.element->shape != Shape::kStruct) return;
                for (std::size_t i = 0; i < info.count(value); ++i)
                    check_value(*info.element, info.at(value, i), at.index(i));
                return;
            default: return;
        }
    }

    void check_word(std::string_view one_of, const ValueInfo& info, const void* value, const FieldPath& at) {
        const void* inner = info.shape == Shape::kOptional ? info.get(value) : value;
        if (!inner) return;
        const auto& word = *static_cast<const Text*>(inner);
        const bool absent = word.empty() && info.shape != Shape::kOptional;
        const std::vector<std::string_view> words = words_of(one_of, '|');
        if (!absent && std::find(words.begin(), words.end(), word.view()) == words.end())
            errors_.add_not_supported(at, word, words);
    }

    // Keyed entries are shown by their keys alone.
    void check_differ(const FieldInfo& field, const void* list, const FieldPath& at) {
        const ListKind kind = field.options.list;
        const ValueInfo& info = *field.value;
        const std::size_t count = info.count(list);
        if (kind == ListKind::kAtomic || count < 2) return;
        std::vector<std::string_view> keys;
        if (kind == ListKind::kMap)
            keys = words_of(field.options.list_keys ? field.options.list_keys : field.options.merge_key, ',');
        std::unordered_set<std::string> seen;
        for (std::size_t i = 0; i < count; ++i) {
            std::string shown = show_key(*info.element, info.at(list, i), keys);
            if (!seen.insert(shown).second) errors_.add_duplicate(at.index(i), Shown::json(std::move(shown)));
        }
    }

    static std::string show_key(const ValueInfo& info, const void* value, const std::vector<std::string_view>& keys) {
        std::string out;
        if (keys.empty()) {
            append_json_value(info, value, out);
            return out;
        }
        for (const std::string_view key : keys) {
            const FieldInfo* field = info.type().find(key);
            out += (out.empty() ? "{\"" : ",\"") + std::string(key) + "\":";
            append_json_value(*field->value, member_at(value, *field), out);
        }
        return out + "}";
    }

    std::string_view packages_;
    FieldErrors& errors_;
};

}  // namespace

void check_schema(const TypeInfo& type, const void* object, std::string_view packages, const FieldPath& path,
                  FieldErrors& errors) {
    SchemaCheck(packages, errors).check(type, object, path);
}

}  // namespace muster::api
