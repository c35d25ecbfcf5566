#include "api/kinds/apidiscovery.h"

namespace muster::api::meta {

DEFINE_TYPE(GroupVersionKind)

}  // namespace muster::api::meta

namespace muster::api::apidiscovery::v2 {

DEFINE_TYPE(APISubresourceDiscovery)
DEFINE_TYPE(APIResourceDiscovery)
DEFINE_TYPE(APIVersionDiscovery)
DEFINE_TYPE(APIGroupDiscovery)
DEFINE_TYPE(APIGroupDiscoveryList)

}  // namespace muster::api::apidiscovery::v2
