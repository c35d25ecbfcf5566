// successPolicy: may an indexed Job be called a success before all of its indexes are done?
#pragma once

#include <optional>
#include <string>

#include "api/kinds/batch.h"
#include "tally/index_set.h"

namespace muster::controllers::jobs {

// The sentence that names the first rule that holds; nothing when none does. A rule whose list has no index below
// completions never holds.
std::optional<std::string> match_success_policy(const api::batch::SuccessPolicy* policy, std::int32_t completions,
                                                const tally::IndexSet& succeeded);

}  // namespace muster::controllers::jobs
