// The queueing group, kueue.x-k8s.io/v1beta2, in Kueue's shapes: quota by flavor and queue, and workloads that get it.
// The types are in api::kueue; the older version of the same kinds is in kueue/v1beta1.h.
#pragma once

#include "api/kinds/kueue/admission_check.h"
#include "api/kinds/kueue/cluster_queue.h"
#include "api/kinds/kueue/cohort.h"
#include "api/kinds/kueue/local_queue.h"
#include "api/kinds/kueue/resource_flavor.h"
#include "api/kinds/kueue/workload.h"
#include "api/kinds/kueue/workload_priority_class.h"
