#include "controllers/job/conditions.h"

namespace muster::controllers::jobs {

using api::batch::JobCondition;

bool set_condition(api::batch::JobStatus& status, std::string_view type, bool holds, std::string_view reason,
                   std::string_view message, api::Time now) {
    JobCondition wanted;
    wanted.type = type;
    wanted.status = holds ? "True" : "False";
    wanted.last_probe_time = now;
    wanted.last_transition_time = now;
    wanted.reason = reason;
    wanted.message = message;
    for (std::size_t i = 0; i < status.conditions.size(); ++i) {
        const JobCondition& there = status.conditions[i];
        if (there.type != wanted.type) continue;
        if (there.status == wanted.status && there.reason == wanted.reason && there.message == wanted.message)
            return false;
        status.conditions.edit()[i] = wanted;
        return true;
    }
    if (!holds) return false;
    status.conditions.edit().push_back(wanted);
    return true;
}

}  // namespace muster::controllers::jobs
