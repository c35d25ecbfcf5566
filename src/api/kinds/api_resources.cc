#include "api/kinds/api_resources.h"

namespace muster::api::meta {

DEFINE_TYPE(ServerAddressByClientCIDR)
DEFINE_TYPE(GroupVersionForDiscovery)
DEFINE_TYPE(APIVersions)
DEFINE_TYPE(APIGroup)
DEFINE_TYPE(APIGroupList)
DEFINE_TYPE(Verbs)
DEFINE_TYPE(APIResource)
DEFINE_TYPE(APIResourceList)

}  // namespace muster::api::meta
