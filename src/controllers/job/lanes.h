// The two lanes of one Job on a cluster: the refill removes and makes pods, the count writes the status and releases
// finalizers. They go side by side; this says when one has to wait for the other. A lane that has to wait is noted, and
// the end of what it waits for says that it is to be woken. Pure.
//
// - While a status is on its way, the refill decides only from the Job of which that status was made: a newer one shows
//   ends that the memory of the controller does not know of yet.
// - A status that announces something (the start, a suspension, the end) goes alone: no pod is being made or removed
//   then, so that a finished Job has no pod that is still to come.
// - While the refill disowns pods that the Job no longer selects, there is no count: none of them is being counted.
#pragma once

#include <optional>
#include <utility>

#include "base/text.h"

namespace muster::controllers::jobs {

class Lanes {
public:
    // Each begin_… is false, and the lane is noted as waiting, when it may not go now. A count that waits comes first.
    bool begin_refill(const Text& job_version) {
        const bool is_other = stored_from_ && !(*stored_from_ == job_version);
        if (is_other || announcing_ || count_waits_) return wait(refill_waits_);
        return refilling_ = true;
    }
    // Of a refill that has begun: the count may not begin until end_refill().
    bool begin_alone() {
        if (counting_) return wait(refill_waits_);
        return alone_ = true;
    }
    // Whether the count is to be woken.
    bool end_refill() {
        refilling_ = alone_ = false;
        return count_waits_;
    }

    bool begin_count() {
        if (alone_) return wait(count_waits_);
        count_waits_ = false;
        return counting_ = true;
    }
    // The count ends here, and comes again before the next refill.
    void put_count_off() { wait(count_waits_); }
    bool begin_store(Text job_version, bool announces) {
        if (announces && refilling_) return wait(count_waits_);
        stored_from_ = std::move(job_version);
        announcing_ = announces;
        return true;
    }
    // Both: whether the refill is to be woken.
    bool end_store() {
        stored_from_.reset();
        announcing_ = false;
        return std::exchange(refill_waits_, false);
    }
    bool end_count() {
        counting_ = false;
        return end_store();
    }

    bool count_waits() const { return count_waits_; }

private:
    static bool wait(bool& waits) {
        waits = true;
        return false;
    }

    bool refilling_ = false;
    bool alone_ = false;
    bool counting_ = false;
    bool announcing_ = false;            // in a status that is on its way
    std::optional<Text> stored_from_{};  // the Job's version of which that status was made
    bool refill_waits_ = false;
    bool count_waits_ = false;
};

}  // namespace muster::controllers::jobs
