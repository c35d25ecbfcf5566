#include "api/kinds/core/service.h"

namespace muster::api::core {

DEFINE_TYPE(ClientIPConfig)
DEFINE_TYPE(SessionAffinityConfig)
DEFINE_TYPE(ServicePort)
DEFINE_TYPE(ServiceSpec)
DEFINE_TYPE(PortStatus)
DEFINE_TYPE(LoadBalancerIngress)
DEFINE_TYPE(LoadBalancerStatus)
DEFINE_TYPE(ServiceStatus)
DEFINE_TYPE(Service)

}  // namespace muster::api::core
