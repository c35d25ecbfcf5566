// The rules for PriorityClasses. Names that start with system- belong to the two that every cluster has.
#pragma once

#include "api/kinds/scheduling.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

inline constexpr std::int32_t kUserPriorityMax = 1'000'000'000;

FieldErrors validate_priority_class_create(const scheduling::PriorityClass& priority_class);
// Pods that exist have taken its value over already; it never changes.
FieldErrors validate_priority_class_update(const scheduling::PriorityClass& now,
                                           const scheduling::PriorityClass& before);

}  // namespace muster::api
