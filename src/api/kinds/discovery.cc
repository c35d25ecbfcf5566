#include "api/kinds/discovery.h"

namespace muster::api::discovery {

DEFINE_TYPE(EndpointConditions)
DEFINE_TYPE(ForZone)
DEFINE_TYPE(ForNode)
DEFINE_TYPE(EndpointHints)
DEFINE_TYPE(Endpoint)
DEFINE_TYPE(EndpointPort)
DEFINE_TYPE(EndpointSlice)

}  // namespace muster::api::discovery
