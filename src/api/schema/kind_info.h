// What makes a type an API kind: its group, version and resource. KIND declares it in place of TYPE; `kGroup` and
// `kVersion` are looked up in the enclosing namespace like `kPackage`.
#pragma once

#include <cstdint>

#include "api/schema/declare.h"

namespace muster::api {

// Which of the roles view, edit and admin have rights to objects of a kind.
enum class Access : std::uint8_t {
    kNone,   // none of the three
    kView,   // view, edit and admin read
    kEdit,   // view reads, edit and admin write
    kWrite,  // edit and admin read and write
    kAdmin,  // admin reads and writes
};

// The properties of a kind that are plain data. Properties that are functions are columns (api/registry/kind_column.h).
struct KindOptions {
    const char* plural = nullptr;  // "jobs"; null for what is only ever a body: Status, DeleteOptions
    bool namespaced = true;
    const char* short_names = "";  // comma separated
    const char* categories = "";   // comma separated: "all"
    const char* group = nullptr;   // when it is not the namespace's kGroup: Status is of the core group
    Access access = Access::kNone;
    bool created_by_update = false;   // PUT creates an object that does not exist
    bool version_required = false;    // an update must state the version that it replaces
    bool delete_collection = true;    // DELETE of all objects is served
    bool returned_by_delete = false;  // a delete at once answers with the object and not with a Status
    bool keeps_dependents = false;    // unless the delete says otherwise
    bool has_owners = true;           // objects may have and be owners: the garbage collector watches them
    bool removed_first = false;       // before other kinds when a namespace is deleted
    bool secret = false;              // no part of a body may appear in a message
    bool packed = false;              // the store keeps objects packed (server/kind_object/packed_object.h)
    bool counted = true;              // ResourceQuotas can limit the number of objects
    bool counted_by_plural = false;   // also under the plural alone: "configmaps" beside "count/configmaps"
    bool has_status = false;          // of a defined kind: it has the subresource status
};

struct KindInfo {
    const char* group;    // "batch", "" for core
    const char* version;  // "v1"
    const char* kind;     // "Job"
    KindOptions options;
    const TypeInfo& (*type)();
    // The row of this kind in columns: 0 for a kind that is only a name, 1 to kDefinedRows for defined kinds, and one
    // of its own for each declared kind.
    std::uint32_t row = 0;

    std::string api_version() const { return *group ? std::string(group) + "/" + version : version; }
    // Served as an always empty list, without a type of its own.
    bool is_only_name() const { return row == 0; }
    // Known only at run time (api/registry/defined_kind.h).
    bool is_defined() const { return row - 1 < kDefinedRows; }

    static constexpr std::uint32_t kDefinedRows = 4;
};

// A new row for a declared kind.
std::uint32_t next_kind_row();

template <class K>
const KindInfo& kind_info() {
    static const KindInfo info{K::kKindOptions.group ? K::kKindOptions.group : K::kKindGroup,
                               K::kKindVersion,
                               K::kTypeName,
                               K::kKindOptions,
                               &K::info,
                               next_kind_row()};
    return info;
}

}  // namespace muster::api

#define KIND(type_name, type_doc, ...)                    \
    TYPE(type_name, type_doc)                             \
    static constexpr const char* kKindGroup = kGroup;     \
    static constexpr const char* kKindVersion = kVersion; \
    static constexpr ::muster::api::KindOptions kKindOptions{__VA_ARGS__};
