#include "server/objects/pod_condition.h"

#include <algorithm>

namespace muster::server {

void set_condition_true(api::core::Pod& pod, std::string_view type, std::string_view reason, std::string_view message,
                        Instant now) {
    auto& conditions = pod.status.conditions.edit();
    auto found = std::find_if(conditions.begin(), conditions.end(),
                              [&](const auto& condition) { return condition.type == type; });
    if (found == conditions.end()) {
        conditions.emplace_back();
        found = conditions.end() - 1;
        found->type = type;
    }
    if (!(found->status == "True")) found->last_transition_time = api::Time::from_instant(now);
    found->status = "True";
    found->reason = reason;
    found->message = message;
}

}  // namespace muster::server
