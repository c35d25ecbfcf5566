// What the queueing kinds are when their authors do not say: the defaults of Kueue's definitions.
#pragma once

#include "api/kinds/kueue/kueue.h"

namespace muster::api {

void default_queueing(kueue::AdmissionCheck& check);
void default_queueing(kueue::ClusterQueue& queue);
void default_queueing(kueue::Cohort& cohort);
void default_queueing(kueue::LocalQueue& queue);
void default_queueing(kueue::ResourceFlavor& flavor);
void default_queueing(kueue::Workload& workload);
void default_queueing(kueue::WorkloadPriorityClass& priority_class);

}  // namespace muster::api
