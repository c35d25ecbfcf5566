// What is known of a declared type: its fields in protobuf order, and the same fields by JSON name with inlined
// structs flattened, as clients see them. Built once per type, on first use, from its declaration (see declare.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/value_info.h"

namespace muster::api {

// What a strategic merge patch does with a list or a struct.
enum class Patch : std::uint8_t { kReplace, kMerge, kRetainKeys, kMergeRetainKeys };
// What server-side apply makes of a list.
enum class ListKind : std::uint8_t { kAtomic, kSet, kMap };

// Which fields a document can have: all that are declared, or those that Kubernetes has too.
enum class Dialect : std::uint8_t { kMuster, kKubernetes };

// The parts of a field's declaration that its C++ type does not say.
struct FieldOptions {
    const char* json = nullptr;       // when camelCase of the member's name is not it: "podIP"
    bool required = false;            // always printed (Go: no omitempty), and required in the schema
    bool optional = false;            // with required: printed always, but not required in the schema
    bool omit_zero = false;           // a struct or Time that is left out when empty (Go: omitzero)
    bool inlined = false;             // JSON: its fields stand in the parent; protobuf: a message of its own
    bool rest = false;                // JSON: a Map<RawJson> of the parent's members that no other field has
    bool shared = false;              // stored once however many objects hold it: a pod template's containers
    bool muster_only = false;         // an addition of Muster: a field that Kubernetes does not have
    Patch patch = Patch::kReplace;    // strategic merge
    const char* merge_key = nullptr;  // strategic merge, lists of structs
    ListKind list = ListKind::kAtomic;
    const char* list_keys = nullptr;  // server-side apply's keys, comma separated; merge_key when not given
    bool atomic = false;              // a map or struct that server-side apply takes whole
    const char* one_of = nullptr;     // the values it can have: "Always|OnFailure|Never"
};

struct FieldDecl {
    const char* member;
    int number;
    std::size_t offset;
    const ValueInfo* value;
    const char* doc;
    FieldOptions options;
    bool gated = false;
};

struct FieldInfo {
    std::string json;      // containerPort
    std::string json_key;  // "containerPort":   (with quotes and colon, as the encoder writes it)
    std::string doc;
    int number = 0;
    std::uint32_t offset = 0;
    std::uint32_t json_index = 0;  // position in TypeInfo::json_fields
    const ValueInfo* value = nullptr;
    FieldOptions options;

    bool is_in(Dialect dialect) const {
        if (dialect == Dialect::kMuster) [[likely]]
            return true;
        return !options.muster_only;
    }
};

struct TypeOptions {
    bool atomic = false;  // server-side apply takes it whole
};

struct TypeInfo {
    std::string name;     // Container
    std::string package;  // io.k8s.api.core.v1
    std::string doc;
    TypeOptions options;
    std::size_t size = 0;
    bool is_kind = false;                // has apiVersion and kind beside its fields
    std::vector<FieldInfo> fields;       // by protobuf number; inlined structs as one field
    std::vector<FieldInfo> json_fields;  // as clients see them; offsets from this type's start
    std::vector<FieldInfo> gated;        // fields of features that are off, as clients see them: without a place here

    // The field of that JSON name, or null.
    const FieldInfo* find(std::string_view json) const;
    bool is_gated(std::string_view json) const;
    // The field that takes all members without a field of their own, or null.
    const FieldInfo* rest() const { return rest_ != 0 ? &fields[rest_ - 1u] : nullptr; }
    const FieldInfo* find_number(std::uint32_t number) const {
        return number < by_number_.size() && by_number_[number] != 0 ? &fields[by_number_[number] - 1u] : nullptr;
    }

    TypeInfo(const char* type_name, const char* type_package, const char* type_doc, TypeOptions type_options,
             std::size_t type_size, bool type_is_kind, std::span<const FieldDecl> decls);

private:
    static constexpr std::size_t kJsonFieldsMax = 64;
    std::vector<std::uint8_t> slots_;  // open addressing; 0 is free, else index + 1
    std::uint32_t mask_ = 0;
    std::vector<std::uint8_t> by_number_;  // 0 is none, else index + 1
    std::uint8_t rest_ = 0;                // the same
};

// camelCase of a member's name: working_dir → workingDir.
std::string camel_case(std::string_view snake);

}  // namespace muster::api
