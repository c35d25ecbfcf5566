// What a Job's spec and conditions say of it, for everybody who asks: validation, controllers, printers.
#pragma once

#include <string_view>

#include "api/kinds/batch.h"
#include "api/kinds/batch_names.h"

namespace muster::api::batch {

inline bool is_indexed(const JobSpec& spec) { return spec.completion_mode && *spec.completion_mode == kIndexed; }
inline bool is_suspended(const JobSpec& spec) { return spec.suspend.value_or(false); }

inline bool has_condition(const JobStatus& status, std::string_view type, std::string_view value = "True") {
    for (const JobCondition& condition : status.conditions)
        if (condition.type == type && condition.status == value) return true;
    return false;
}
inline bool is_complete(const JobStatus& status) { return has_condition(status, kConditionComplete); }
inline bool is_failed(const JobStatus& status) { return has_condition(status, kConditionFailed); }
inline bool is_finished(const JobStatus& status) { return is_complete(status) || is_failed(status); }

}  // namespace muster::api::batch
