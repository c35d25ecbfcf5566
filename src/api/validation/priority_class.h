// The rules for PriorityClasses, and the two that every cluster has.
#pragma once

#include <span>

#include "api/kinds/scheduling.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

inline constexpr std::int32_t kUserPriorityMax = 1'000'000'000;

struct SystemPriorityClass {
    const char* name;
    std::int32_t value;
    const char* description;
};
// Names that start with system- are theirs alone.
std::span<const SystemPriorityClass> system_priority_classes();

FieldErrors validate_priority_class_create(const scheduling::PriorityClass& priority_class);
// Pods that exist have taken its value over already; it never changes.
FieldErrors validate_priority_class_update(const scheduling::PriorityClass& now,
                                           const scheduling::PriorityClass& before);

}  // namespace muster::api
