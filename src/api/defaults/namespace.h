// What a Namespace is before anybody looks at it; see defaults/job.h for who calls what when.
#pragma once

#include "api/kinds/core/namespace.h"

namespace muster::api {

// The label of its own name, by which selectors find it, is always right; a Namespace is Active until it is deleted.
void default_namespace(core::Namespace& space);

// Active, and kept by the finalizer kubernetes until its content is gone.
void prepare_namespace_create(core::Namespace& space);
// Finalizers go through finalize only, the status through status only.
void prepare_namespace_update(core::Namespace& space, const core::Namespace& old);

}  // namespace muster::api
