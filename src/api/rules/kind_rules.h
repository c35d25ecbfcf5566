// What the API does with an object of a kind around a write: one row of functions per stored kind, for code that knows
// objects only through their tables. The order of a write:
//
//     create          default, [admission], prepare_create, validate_create
//     update, patch   default, prepare_update, [admission], validate_update
//     status          default, prepare_status_update, validate_status_update
//
// Pure; an object is given by its address and must be of the row's kind.
#pragma once

#include <string>
#include <vector>

#include "api/kinds/meta/meta.h"
#include "api/schema/kind_info.h"
#include "api/validation/job/cron_job.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

// What rules must ask the machine.
struct RuleContext {
    KnowsTimeZone knows_time_zone = [](std::string_view) { return true; };
};

struct KindRules {
    const KindInfo* kind;
    meta::ObjectMeta& (*metadata)(void* object);
    // Fills what the client left out. Idempotent.
    void (*fill_defaults)(void* object);
    // The prepare functions begin with what holds for all kinds (defaults/metadata.h).
    void (*prepare_create)(void* object);
    FieldErrors (*validate_create)(const void* object, const RuleContext& context);
    void (*prepare_update)(void* now, const void* before);
    FieldErrors (*validate_update)(const void* now, const void* before, const RuleContext& context);
    // What is allowed but will surprise; `before` is null on create. For valid objects.
    std::vector<std::string> (*warnings)(const void* now, const void* before);
    // Null for kinds without the subresource status.
    void (*prepare_status_update)(void* now, const void* before);
    FieldErrors (*validate_status_update)(const void* now, const void* before, const RuleContext& context);
};

// The row of a stored kind; null for what is never stored.
const KindRules* find_rules(const KindInfo& kind);

}  // namespace muster::api
