// What the API does with an object of a kind around a write: one row of functions per stored kind, for code that knows
// objects only through their tables. The order of a write:
//
//     create          default, [mutating admission], prepare_create, validate_create, [validating admission]
//     update, patch   default, [mutating admission], prepare_update, validate_update, [validating admission]
//     status          default, [mutating admission], prepare_status_update, validate_status_update, [validating …]
//     finalize        default, [mutating admission], the finalizers of the spec are validated and copied, [validating
//     …]
//
// A kind's row is written in kind_rules.cc, by the functions of its type (api/rules/typed_rules.h). All defined kinds
// of one scope share a row. Pure; an object is given by its address and must be of the row's kind.
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

// How an object ends: only pods end gracefully.
struct GraceRules {
    bool graceful = false;
    std::int64_t default_seconds = 0;
    bool at_once = false;  // runs nowhere, or has ended
};

// Of a kind whose objects have finalizers in their spec beside those of the metadata, served as the subresource
// finalize. The first delete only marks such an object; it is removed when both lists are empty.
struct SpecFinalizers {
    bool (*any)(const void* object);
    FieldErrors (*validate)(const void* object);
    void (*copy)(void* to, const void* from);
    void (*mark_deleted)(void* object);
};

struct KindRules {
    const KindInfo* kind;  // null in the rows of defined kinds
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
    GraceRules (*grace)(const void* object);
    // Null for kinds without the subresource finalize.
    const SpecFinalizers* spec_finalizers;
};

// The row of a stored kind, and of a view that has rules of its own; null for all others.
const KindRules* find_rules(const KindInfo& kind);

}  // namespace muster::api
