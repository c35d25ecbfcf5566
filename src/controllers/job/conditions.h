// The conditions of a Job's status, kept in the order in which they came.
#pragma once

#include <string_view>

#include "api/kinds/batch.h"

namespace muster::controllers::jobs {

// Adds the condition, or changes the one of that type. A condition that never was is not added as False. False when
// nothing changed; then its times stay, too.
bool set_condition(api::batch::JobStatus& status, std::string_view type, bool holds, std::string_view reason,
                   std::string_view message, api::Time now);

}  // namespace muster::controllers::jobs
