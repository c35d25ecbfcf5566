#include "api/kinds/kueue/v1beta1.h"

namespace muster::api::kueue::v1beta1 {

DEFINE_TYPE(AdmissionCheckSpec)
DEFINE_TYPE(AdmissionCheck)
DEFINE_TYPE(FlavorFungibility)
DEFINE_TYPE(ClusterQueueSpec)
DEFINE_TYPE(ClusterQueue)
DEFINE_TYPE(LocalQueueStatus)
DEFINE_TYPE(LocalQueue)
DEFINE_TYPE(WorkloadSpec)
DEFINE_TYPE(TopologyDomainAssignment)
DEFINE_TYPE(TopologyAssignment)
DEFINE_TYPE(PodSetAssignment)
DEFINE_TYPE(Admission)
DEFINE_TYPE(WorkloadStatus)
DEFINE_TYPE(Workload)

}  // namespace muster::api::kueue::v1beta1
