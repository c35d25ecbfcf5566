// Which flavors a workload would get, and what it takes: nothing, preempting others, or more than there is. One flavor
// for each group of resources and pod set; flavors are tried in the queue's order, and its policy says whether to stop
// at one that needs borrowing or preemption. Judges by the future view of the quota tree, and leaves it as it was.
#pragma once

#include "controllers/queue/admission/engine/preempt.h"
#include "controllers/queue/admission/model/state.h"

namespace muster::controllers::queue {

// From worst to best.
enum class Mode : std::uint8_t {
    kNoFit,         // more than there can be, or preemption is not allowed
    kNoCandidates,  // preemption would be allowed, but finds no victims
    kPreempt,       // others of the same queue have to go
    kReclaim,       // others of other queues have to go
    kFit,
};

struct Assignment {
    Mode mode = Mode::kNoFit;
    Grant grant{};                   // what it would get
    std::vector<Target> targets{};   // who has to go first
    std::vector<Obstruction> why{};  // it does not fit
    bool fits() const { return mode == Mode::kFit; }
    bool makes_room() const { return !targets.empty(); }
};

// What may be done for a workload.
enum class Effort : std::uint8_t {
    kPreempt,         // others may be evicted for it
    kAfterEvictions,  // it may wait for those that are being evicted already, with all its pods
    kAtOnce,          // it must fit as long as those still hold their quota
};

struct Asked {
    ItemId item = 0;
    QueueId queue = 0;
    ShapeId shape = 0;
    std::int32_t priority = 0;
    Instant ordered_at{};
    Instant now{};
    Effort effort = Effort::kPreempt;
    bool may_shrink = true;
};

// The best there is: all pods, else with room made by preemption, else as many pods as its minimum allows.
Assignment assign(EngineState& state, const Asked& asked);

}  // namespace muster::controllers::queue
