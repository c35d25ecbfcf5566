// What a container, or a pod as a whole, may use, as its manifest says it. Pure.
#pragma once

#include "api/kinds/core/container.h"
#include "os/process/cgroups.h"

namespace muster::node {

// Requests alone ask for no control group; beside limits they say who goes first.
os::CgroupLimits limits_of(const api::core::ResourceRequirements& resources);

}  // namespace muster::node
