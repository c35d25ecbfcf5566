// Jobs left to chance: what a workload's settings leave open is drawn.
#pragma once

#include <string>

#include "api/kinds/batch.h"
#include "base/prng.h"
#include "sim/world/settings.h"

namespace muster::sim {

api::batch::Job draw_job(const std::string& name, const Settings& settings, Prng& random);

}  // namespace muster::sim
