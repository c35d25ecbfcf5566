// Which object a request is about, and how errors name it.
#pragma once

#include <string>
#include <string_view>

#include "api/rules/kind_rules.h"
#include "api/schema/kind_info.h"
#include "base/result.h"

namespace muster::server {

// The name is empty for a create that leaves it to the server.
struct Place {
    const api::KindInfo& kind;
    std::string_view namespace_;
    std::string_view name;
};

// What of an object a write is for: all but the status, or a subresource.
enum class Part { kMain, kStatus, kFinalize };

// "jobs.batch \"pi\" not found" and its like, with the subject filled in.
Error not_found(const api::KindInfo& kind, std::string_view name);
Error already_exists(const api::KindInfo& kind, std::string_view name);
Error conflict(const api::KindInfo& kind, std::string_view name, std::string_view why);

// The rules of a stored kind, and of a view that has its own.
const api::KindRules& rules_of(const api::KindInfo& kind);

}  // namespace muster::server
