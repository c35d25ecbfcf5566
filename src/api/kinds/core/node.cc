#include "api/kinds/core/node.h"

namespace muster::api::core {

DEFINE_TYPE(ConfigMapNodeConfigSource)
DEFINE_TYPE(NodeConfigSource)
DEFINE_TYPE(NodePodPreemptionPolicy)
DEFINE_TYPE(NodeSpec)
DEFINE_TYPE(DaemonEndpoint)
DEFINE_TYPE(NodeDaemonEndpoints)
DEFINE_TYPE(NodeRuntimeHandlerFeatures)
DEFINE_TYPE(NodeRuntimeHandler)
DEFINE_TYPE(NodeFeatures)
DEFINE_TYPE(NodeSwapStatus)
DEFINE_TYPE(NodeSystemInfo)
DEFINE_TYPE(NodeConfigStatus)
DEFINE_TYPE(AttachedVolume)
DEFINE_TYPE(ContainerImage)
DEFINE_TYPE(NodeCondition)
DEFINE_TYPE(NodeAddress)
DEFINE_TYPE(NodeStatus)
DEFINE_TYPE(Node)

}  // namespace muster::api::core
