// What more than one of those who meddle do.
#pragma once

#include "os/loop/task.h"
#include "sim/workloads/user.h"

namespace muster::sim {

// Any pod there is, once in three times with a grace of the user's own.
os::Task<void> remove_some_pod(World* world, User* user, Prng* random);

// What the pod says of how many its group has; if it waits.
os::Task<void> change_group_size(User* user, client::ObjectName pod, int size);

}  // namespace muster::sim
