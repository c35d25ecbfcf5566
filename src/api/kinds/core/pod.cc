#include "api/kinds/core/pod.h"

namespace muster::api::core {

DEFINE_TYPE(PodReadinessGate)
DEFINE_TYPE(PodResourceClaim)
DEFINE_TYPE(PodOS)
DEFINE_TYPE(HostAlias)
DEFINE_TYPE(PodDNSConfigOption)
DEFINE_TYPE(PodDNSConfig)
DEFINE_TYPE(Sysctl)
DEFINE_TYPE(PodSecurityContext)
DEFINE_TYPE(PodSchedulingGroup)
DEFINE_TYPE(EvictionResponder)
DEFINE_TYPE(PodSpec)
DEFINE_TYPE(Pod)
DEFINE_TYPE(PodTemplateSpec)
DEFINE_TYPE(PodTemplate)
DEFINE_TYPE(Binding)
DEFINE_TYPE(PodLogOptions)
DEFINE_TYPE(PodAttachOptions)
DEFINE_TYPE(PodExecOptions)
DEFINE_TYPE(PodPortForwardOptions)

}  // namespace muster::api::core
