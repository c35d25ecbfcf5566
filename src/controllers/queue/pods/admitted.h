// The part of decide_group for a group whose Workload is there, its own, and neither finished nor being deleted. It
// puts the steps of steps/ together: facts (standing.h), verdict (verdict.h), and then the parts of the plan. Pure.
#pragma once

#include "controllers/queue/pods/group/plan.h"

namespace muster::controllers::podqueue {

GroupPlan decide_with_workload(const GroupView& view, std::vector<Member> members);

}  // namespace muster::controllers::podqueue
