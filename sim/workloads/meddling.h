// What more than one of those who meddle do.
#pragma once

#include "os/task.h"
#include "sim/workloads/user.h"

namespace muster::sim {

// Any pod there is, once in three times with a grace of the user's own.
os::Task<void> remove_some_pod(World* world, User* user, Prng* random);

}  // namespace muster::sim
