#include "api/kinds/core/pod_status.h"

namespace muster::api::core {

DEFINE_TYPE(ContainerStateWaiting)
DEFINE_TYPE(ContainerStateRunning)
DEFINE_TYPE(ContainerStateTerminated)
DEFINE_TYPE(ContainerState)
DEFINE_TYPE(LinuxContainerUser)
DEFINE_TYPE(ContainerUser)
DEFINE_TYPE(ResourceHealth)
DEFINE_TYPE(ResourceStatus)
DEFINE_TYPE(ImageVolumeStatus)
DEFINE_TYPE(VolumeStatus)
DEFINE_TYPE(VolumeMountStatus)
DEFINE_TYPE(ContainerStatus)
DEFINE_TYPE(PodCondition)
DEFINE_TYPE(PodIP)
DEFINE_TYPE(HostIP)
DEFINE_TYPE(PodResourceClaimStatus)
DEFINE_TYPE(ContainerExtendedResourceRequest)
DEFINE_TYPE(PodExtendedResourceClaimStatus)
DEFINE_TYPE(NodeAllocatableMappedResources)
DEFINE_TYPE(NodeAllocatableOverheadResources)
DEFINE_TYPE(NodeAllocatableResourceClaimStatus)
DEFINE_TYPE(PodVolumeHealth)
DEFINE_TYPE(PodStatus)

}  // namespace muster::api::core
