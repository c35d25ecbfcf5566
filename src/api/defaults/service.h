// What a Service is before anybody looks at it. Muster has no virtual addresses: a Service is a name for pods, and the
// families of addresses are those of a machine with IPv4.
#pragma once

#include "api/kinds/core/service.h"

namespace muster::api {

void default_service(core::Service& service);
// clusterIPs follows clusterIP; a headless Service gets its address families.
void prepare_service_create(core::Service& service);

}  // namespace muster::api
