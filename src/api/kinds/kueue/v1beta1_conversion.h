// Converts between the two versions of the queueing kinds. v1beta2 is stored; v1beta1 is another way to write and read
// it. Pure; never fails. Fields that only v1beta1 has and that are not used (an admission check's retryDelayMinutes)
// are dropped. Fields that only v1beta2 has (gates, the policy of concurrent admission) are not visible in v1beta1, and
// an update in v1beta1 drops them.
#pragma once

#include "api/kinds/kueue/v1beta1.h"

namespace muster::api::kueue {

ClusterQueue to_stored(const v1beta1::ClusterQueue& queue);
LocalQueue to_stored(const v1beta1::LocalQueue& queue);
Workload to_stored(const v1beta1::Workload& workload);
AdmissionCheck to_stored(const v1beta1::AdmissionCheck& check);

v1beta1::ClusterQueue from_stored(const ClusterQueue& queue);
v1beta1::LocalQueue from_stored(const LocalQueue& queue);
v1beta1::Workload from_stored(const Workload& workload);
v1beta1::AdmissionCheck from_stored(const AdmissionCheck& check);

}  // namespace muster::api::kueue
