// walk.h's list_differences: two values of one type walked side by side.
#include <algorithm>

#include "api/codec/encode.h"
#include "api/schema/residue.h"
#include "api/schema/walk.h"

namespace muster::api {
namespace {

class Differ {
public:
    std::vector<std::string> lines;

    void structs(const std::string& path, const TypeInfo& type, const void* left, const void* right) {
        unknown_fields(path, residue_of(left), residue_of(right));
        for (const FieldInfo& field : type.fields) {
            const void* a = static_cast<const char*>(left) + field.offset;
            const void* b = static_cast<const char*>(right) + field.offset;
            if (field.options.inlined) {
                structs(path, field.value->type(), a, b);
            } else {
                values(path.empty() ? field.json : path + '.' + field.json, *field.value, a, b);
            }
        }
    }

private:
    void unknown_fields(const std::string& path, const Residue& left, const Residue& right) {
        if (left == right) return;
        lines.push_back((path.empty() ? "" : path + ": ") + "unknown fields " + print(left) + " → " + print(right));
    }

    void values(const std::string& path, const ValueInfo& info, const void* left, const void* right) {
        if (is_equal(info, left, right)) return;
        switch (info.shape) {
            case Shape::kStruct: return structs(path, info.type(), left, right);
            case Shape::kList: return lists(path, info, left, right);
            case Shape::kMap: return maps(path, info, left, right);
            case Shape::kOptional:
            case Shape::kBox: {
                const void* a = info.get(left);
                const void* b = info.get(right);
                if (a && b) return values(path, *info.element, a, b);
                return say(path, *info.element, a, b);
            }
            default: return say(path, info, left, right);
        }
    }

    void lists(const std::string& path, const ValueInfo& info, const void* left, const void* right) {
        const std::size_t count = std::max(info.count(left), info.count(right));
        for (std::size_t i = 0; i < count; ++i) {
            const void* a = i < info.count(left) ? info.at(left, i) : nullptr;
            const void* b = i < info.count(right) ? info.at(right, i) : nullptr;
            pair(path + '[' + std::to_string(i) + ']', *info.element, a, b);
        }
    }

    void maps(const std::string& path, const ValueInfo& info, const void* left, const void* right) {
        std::size_t i = 0;
        std::size_t j = 0;
        while (i < info.count(left) || j < info.count(right)) {
            const bool has_left = i < info.count(left);
            const bool has_right = j < info.count(right);
            const int order = !has_left ? 1 : !has_right ? -1 : info.key_at(left, i).compare(info.key_at(right, j));
            const std::string_view key = order <= 0 ? info.key_at(left, i) : info.key_at(right, j);
            const void* a = order <= 0 ? info.at(left, i++) : nullptr;
            const void* b = order >= 0 ? info.at(right, j++) : nullptr;
            pair(path + '[' + std::string(key) + ']', *info.element, a, b);
        }
    }

    void pair(const std::string& path, const ValueInfo& info, const void* left, const void* right) {
        if (left && right) return values(path, info, left, right);
        say(path, info, left, right);
    }

    void say(const std::string& path, const ValueInfo& info, const void* left, const void* right) {
        lines.push_back(path + ": " + print(info, left) + " → " + print(info, right));
    }

    static std::string print(const Residue& residue) {
        if (residue.empty()) return "(none)";
        if (residue.json().empty()) return std::to_string(residue.protobuf().size()) + " bytes of protobuf";
        return std::string(residue.json().substr(1));
    }
    static std::string print(const ValueInfo& info, const void* value) {
        if (!value) return "(none)";
        std::string text;
        append_json_value(info, value, text);
        return text;
    }
};

}  // namespace

std::vector<std::string> list_differences(const TypeInfo& type, const void* left, const void* right) {
    Differ differ;
    differ.structs("", type, left, right);
    return differ.lines;
}

}  // namespace muster::api
