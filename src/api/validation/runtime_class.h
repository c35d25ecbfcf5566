// The rules for RuntimeClasses.
#pragma once

#include "api/kinds/runtime.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

FieldErrors validate_runtime_class_create(const runtime::RuntimeClass& runtime_class);
// The handler never changes: pods of the class run with it.
FieldErrors validate_runtime_class_update(const runtime::RuntimeClass& now, const runtime::RuntimeClass& before);

}  // namespace muster::api
