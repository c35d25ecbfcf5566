// What a Secret is before anybody looks at it. A ConfigMap needs nothing.
#pragma once

#include "api/kinds/core/config.h"

namespace muster::api {

// Opaque unless it says otherwise. stringData goes into data, over what is there, and is gone.
void default_secret(core::Secret& secret);

}  // namespace muster::api
