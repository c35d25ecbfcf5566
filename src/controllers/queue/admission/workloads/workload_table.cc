#include "controllers/queue/admission/workloads/workload_table.h"

#include <algorithm>

#include "base/check.h"

namespace muster::controllers::queue {

std::optional<ItemId> WorkloadTable::find(const Name& name) const {
    const auto found = items_.find(name);
    return found == items_.end() ? std::nullopt : std::optional(found->second);
}

Tracked& WorkloadTable::add(ItemId item, const Name& name, const Text& uid) {
    if (item >= tracked_.size()) tracked_.resize(item + 1);
    Tracked& tracked = tracked_[item];
    CHECK(tracked.is_free(), "two Workloads of one number");
    CHECK(items_.emplace(name, item).second, "two Workloads of one name");
    tracked.name = name;
    tracked.uid = uid;
    tracked.sequence = ++arrivals_;
    return tracked;
}

bool WorkloadTable::leave(ItemId item) {
    Tracked& tracked = tracked_[item];
    CHECK(!tracked.is_free() && !tracked.gone, "a Workload has gone twice");
    items_.erase(tracked.name);
    tracked.gone = true;
    return !tracked.busy;
}

void WorkloadTable::free(ItemId item) {
    CHECK(tracked_[item].gone && !tracked_[item].busy, "a number that is in use");
    tracked_[item] = Tracked{};
}

void WorkloadTable::begin_write(ItemId item) {
    CHECK(!tracked_[item].busy, "two writes of one Workload");
    tracked_[item].busy = true;
    ++writing_;
}

void WorkloadTable::end_write(ItemId item) {
    CHECK(tracked_[item].busy && writing_ > 0, "the end of a write that never began");
    tracked_[item].busy = false;
    --writing_;
}

bool WorkloadTable::is_being_written(const Text& cluster_queue) const {
    return std::any_of(tracked_.begin(), tracked_.end(),
                       [&](const Tracked& it) { return it.busy && it.place.cluster_queue == cluster_queue; });
}

}  // namespace muster::controllers::queue
