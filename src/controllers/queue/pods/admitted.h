// The part of decide_group for a group whose Workload is there, its own, and neither finished nor being deleted: its
// members are matched with its sets, and then it ends, stops, is mended, or starts. Pure.
#pragma once

#include "controllers/queue/pods/decide.h"

namespace muster::controllers::podqueue {

GroupPlan decide_with_workload(const GroupView& view, std::vector<Member> members);

}  // namespace muster::controllers::podqueue
