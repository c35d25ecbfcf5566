// The rules a Namespace must keep: on create, on change, when its status is written, and when a finalizer of its
// content is taken away through the subresource finalize.
#pragma once

#include "api/kinds/core/namespace.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

FieldErrors validate_namespace_create(const core::Namespace& space);
FieldErrors validate_namespace_update(const core::Namespace& space, const core::Namespace& old);
// Its phase is Terminating exactly when it is being deleted.
FieldErrors validate_namespace_status_update(const core::Namespace& space, const core::Namespace& old);
FieldErrors validate_namespace_finalize(const core::Namespace& space);

}  // namespace muster::api
