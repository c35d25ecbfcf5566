// The rules of a Workload: what can be asked for, what cannot change once quota is reserved, and what follows what in
// its status.
#pragma once

#include "api/kinds/kueue/kueue.h"
#include "api/validation/queueing/queueing.h"

namespace muster::api {

// check_queueing_create() and …_update() of queueing.h are the other two. Only the status can have changed here, and
// only it is looked at: this is the most frequent write of queueing.
QueueingErrors check_workload_status_update(const kueue::Workload& now, const kueue::Workload& before);

}  // namespace muster::api
