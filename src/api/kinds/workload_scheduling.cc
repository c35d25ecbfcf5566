#include "api/kinds/workload_scheduling.h"

namespace muster::api::workload_scheduling {

DEFINE_TYPE(WorkloadPodGroupBasicSchedulingPolicy)
DEFINE_TYPE(WorkloadPodGroupGangSchedulingPolicy)
DEFINE_TYPE(WorkloadPodGroupSchedulingPolicy)
DEFINE_TYPE(TopologyConstraint)
DEFINE_TYPE(WorkloadPodGroupSchedulingConstraints)
DEFINE_TYPE(WorkloadPodGroupSingleDisruptionMode)
DEFINE_TYPE(WorkloadPodGroupAllDisruptionMode)
DEFINE_TYPE(WorkloadPodGroupDisruptionMode)
DEFINE_TYPE(WorkloadPodGroupResourceClaim)

}  // namespace muster::api::workload_scheduling
