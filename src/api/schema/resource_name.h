// The name of a kind's resource with its group, as messages and quotas print it: "jobs.batch", "pods".
#pragma once

#include <string>

#include "api/schema/kind_info.h"

namespace muster::api {

inline std::string format_resource(const KindInfo& kind) {
    return std::string(kind.options.plural) + (*kind.group ? "." : "") + kind.group;
}

}  // namespace muster::api
