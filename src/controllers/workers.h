// The workers of controllers: see client/workers.h.
#pragma once

#include "client/workers.h"

namespace muster::controllers {

using client::is_gone;
using client::Worked;
using client::Workers;

}  // namespace muster::controllers
