// A kind that is defined at run time. It has the same handle as a declared kind, a KindInfo, and shares the rows of all
// columns with the other defined kinds of its scope.
#pragma once

#include <string>

#include "api/kinds/defined_object.h"
#include "api/schema/kind_info.h"

namespace muster::api {

struct DefinedKind {
    std::string group;
    std::string version;
    std::string kind;
    std::string plural;
    bool namespaced = true;
    std::string short_names{};  // comma separated
    std::string categories{};   // comma separated
    bool has_status = false;    // it has the subresource status
    bool operator==(const DefinedKind&) const = default;
    auto operator<=>(const DefinedKind&) const = default;
};

// The handle of a defined kind, always the same for an equal definition. It is never freed: requests, watches and
// objects refer to it on all threads, also after the kind has left the registry. Any thread.
const KindInfo& kind_info_of(const DefinedKind& kind);

// The row of a defined kind of that scope and with or without the subresource status.
constexpr std::uint32_t defined_row(bool namespaced, bool has_status) {
    return 1u + (namespaced ? 1u : 0u) + (has_status ? 2u : 0u);
}

}  // namespace muster::api
