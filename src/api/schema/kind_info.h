// What makes a type an API kind: its group, version and resource. KIND declares it in place of TYPE; `kGroup` and
// `kVersion` are looked up in the enclosing namespace like `kPackage`.
#pragma once

#include "api/schema/declare.h"

namespace muster::api {

struct KindOptions {
    const char* plural = nullptr;  // "jobs"; null for what is only ever a body: Status, DeleteOptions
    bool namespaced = true;
    const char* short_names = "";  // comma separated
    const char* categories = "";   // comma separated: "all"
    const char* group = nullptr;   // when it is not the namespace's kGroup: Status is of the core group
};

struct KindInfo {
    const char* group;    // "batch", "" for core
    const char* version;  // "v1"
    const char* kind;     // "Job"
    KindOptions options;
    const TypeInfo& (*type)();

    std::string api_version() const { return *group ? std::string(group) + "/" + version : version; }
};

template <class K>
const KindInfo& kind_info() {
    static const KindInfo info{K::kKindOptions.group ? K::kKindOptions.group : K::kKindGroup, K::kKindVersion,
                               K::kTypeName, K::kKindOptions, &K::info};
    return info;
}

}  // namespace muster::api

#define KIND(type_name, type_doc, ...)                    \
    TYPE(type_name, type_doc)                             \
    static constexpr const char* kKindGroup = kGroup;     \
    static constexpr const char* kKindVersion = kVersion; \
    static constexpr ::muster::api::KindOptions kKindOptions{__VA_ARGS__};
