// Whether a group is over, has to stop, or goes on: the step of a decision that selects the others. Pure.
#pragma once

#include "controllers/queue/pods/steps/standing.h"

namespace muster::controllers::podqueue {

enum class Course {
    kLeave,   // there are no pods, and nothing holds the Workload
    kFinish,  // the group is over
    kStop,    // evicted, or started without quota: what runs is deleted
    kWait,    // evicted and stopped, without pods: the Workload waits for others in their place
    kGoOn,
};

struct Verdict {
    Course course = Course::kGoOn;
    Ending ending{};  // with kFinish
    bool operator==(const Verdict&) const = default;
};

Verdict decide_verdict(const Standing& standing);

}  // namespace muster::controllers::podqueue
