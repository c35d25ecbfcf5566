// What a delete does to an object: at once, later, or nothing new. Pure: the object as it is, what the caller asked
// for, and now, to what must be written. Kubernetes' rules: a pod on a node gets its grace period, which a later delete
// can only shorten; finalizers hold an object; the propagation policy is itself noted as a finalizer.
#pragma once

#include "api/kinds/meta/meta.h"
#include "api/rules/kind_rules.h"
#include "api/schema/kind_info.h"
#include "base/instant.h"
#include "base/result.h"

namespace muster::server {

inline constexpr const char* kOrphanFinalizer = "orphan";
inline constexpr const char* kForegroundFinalizer = "foregroundDeletion";

struct DeletionPlan {
    // The metadata to store first, when it changes: what others see of an object that is on its way out.
    bool mark = false;
    api::meta::ObjectMeta metadata{};
    // Whether the object then goes.
    bool remove = false;
    // Whether the caller must be told that dependents are kept, as it did not say what to do with them.
    bool orphans_by_default = false;
};

// kInvalid, whatever there is to delete. An object that cannot be read is deleted by its name alone.
enum class Deletes { kOne, kMany };
Result<> check_delete_options(const api::meta::DeleteOptions& options, Deletes deletes = Deletes::kOne);

// kInvalid when the options are wrong, kConflict when a precondition does not hold.
Result<DeletionPlan> decide_deletion(const api::KindInfo& kind, const api::meta::ObjectMeta& metadata,
                                     const api::GraceRules& grace, const api::meta::DeleteOptions& options,
                                     Instant now);

// Whether an update that leaves no finalizer on an object that is being deleted is the last it gets.
bool goes_with_update(const api::meta::ObjectMeta& now, const api::meta::ObjectMeta& before);

}  // namespace muster::server
