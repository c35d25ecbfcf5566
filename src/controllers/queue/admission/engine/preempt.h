// Who has to go so that a workload fits: the smallest set that policies allow, found by taking candidates away until it
// fits and then giving back those that are not needed after all. Works on the future view of the quota tree and leaves
// it as it was.
#pragma once

#include "controllers/queue/admission/model/state.h"

namespace muster::controllers::queue {

enum class PreemptReason : std::uint8_t {
    kInClusterQueue,
    kInCohortReclamation,
    kInCohortFairSharing,
    kInCohortReclaimWhileBorrowing,
};
const char* format_reason(PreemptReason reason);  // as in the Preempted condition

struct Target {
    ItemId item = 0;
    PreemptReason reason = PreemptReason::kInClusterQueue;
    bool operator==(const Target&) const = default;
};

struct PreemptRequest {
    QueueId queue = 0;
    const Preemptors* preemptors = nullptr;  // of the workload that asks
    std::int32_t priority = 0;
    Instant ordered_at{};
    Instant now{};
    std::vector<Slot> slots{};  // those in which it does not fit
    Usage usage{};              // all that it needs
};

// Empty when no preemption that policies allow makes room.
std::vector<Target> find_targets(EngineState& state, const PreemptRequest& request);

// Parts of it.
bool may_preempt(PreemptPolicy policy, const PreemptRequest& request, const Item& candidate);
// Whether the workload is to be left alone whatever policies say: it was preempted too often of late, is admitted by
// this very decision, or its preemption would close a circle. The state remembers that and when to look again.
bool is_spared(EngineState& state, const PreemptRequest& request, ItemId candidate);
// A workload is preempted at most that often in that time. Until when one that was preempted at these times, in order,
// is left alone; empty when it is not.
constexpr std::ptrdiff_t kPreemptionsMax = 5;
constexpr Duration kPreemptionsWindow = 60s;
std::optional<Instant> spared_until(const std::vector<Instant>& preempted_at, Instant now);
// Whether the workload uses some of what the request is short of, and every node from its queue up to (and without) the
// cohort `below` uses more of that than its own quota. Without `below` only its queue is asked.
bool uses_borrowed(const EngineState& state, const PreemptRequest& request, const Item& candidate,
                   std::optional<NodeId> below);
bool uses_any(const Item& item, const std::vector<Slot>& slots);
bool is_preempted_before(const EngineState& state, QueueId preemptor, ItemId left, ItemId right);
std::vector<Target> find_fair_targets(EngineState& state, const PreemptRequest& request);

// Takes workloads out of the future, and puts back all of them at its end.
class Removal {
public:
    explicit Removal(EngineState& state) : state_(state) {}
    Removal(const Removal&) = delete;
    Removal& operator=(const Removal&) = delete;
    ~Removal() {
        for (const Target& target : removed_) change(target.item, 1);
    }
    void remove(Target target) {
        change(target.item, -1);
        removed_.push_back(target);
    }
    // Spares victims, in reverse order, as long as `fits` still holds without them.
    template <class Fits>
    std::vector<Target> minimize(const Fits& fits) {
        for (std::size_t i = removed_.size(); i-- > 0;) {
            if (i + 1 == removed_.size()) continue;  // without the last it did not fit
            change(removed_[i].item, 1);
            if (fits())
                removed_.erase(removed_.begin() + static_cast<std::ptrdiff_t>(i));
            else
                change(removed_[i].item, -1);
        }
        return removed_;
    }
    const std::vector<Target>& removed() const { return removed_; }

private:
    void change(ItemId item, int sign) {
        const Item& it = state_.items[item];
        state_.tree.add_usage(*state_.queues[it.queue]->node, it.usage, View::kFuture, sign);
    }
    EngineState& state_;
    std::vector<Target> removed_;
};

}  // namespace muster::controllers::queue
