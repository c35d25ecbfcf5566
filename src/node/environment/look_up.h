// The objects that a pod's containers and volumes refer to, as they are now.
#pragma once

#include "client/client.h"
#include "node/environment/env.h"
#include "os/loop/task.h"

namespace muster::node {

// One that is not there stands as null; another failure is the result's.
os::Task<Result<Referred>> look_up(client::Client& client, Text in_namespace, References references);

}  // namespace muster::node
