// Where a Workload stands: it is over, holds quota, waits in its queue, or is kept from the queue by something other
// than quota. Pure, and how the engine is told of it.
#pragma once

#include "api/kinds/kueue/kueue.h"
#include "controllers/queue/admission/engine/engine.h"
#include "controllers/queue/admission/engine/requests.h"
#include "controllers/queue/admission/model/ledger.h"
#include "controllers/queue/admission/queues/queue_ledger.h"
#include "controllers/queue/admission/queues/queue_register.h"

namespace muster::controllers::queue {

struct Place {
    Phase phase = Phase::kNone;
    bool unready = false;  // holds quota, and its pods are not ready
    bool over = false;     // finished
    Text cluster_queue{};  // where it is counted
    Text local_queue{};
    Asks asks{};             // while it waits: what it asks for
    Text obstacle_reason{};  // why it is not even in the queue
    Text obstacle{};

    bool holds_quota() const { return phase >= Phase::kReserving; }
    bool waits() const { return phase == Phase::kPending || phase == Phase::kInadmissible; }
};

// What a Workload finds around it.
struct PlaceFacts {
    const api::kueue::LocalQueue* local_queue = nullptr;  // that the Workload names; null when there is none
    const QueueInfo* cluster_queue = nullptr;             // that the LocalQueue names; null when there is none
    Map<Text> namespace_labels{};
    PodRules rules{};
};

// `before` is the Workload's last place. A finished Workload stays where it was counted.
Place find_place(const api::kueue::Workload& workload, const Place& before, const PlaceFacts& facts);

// Tells the engine. `uid` and `ordered_at` are those of the Workload.
void enter_engine(Engine& engine, ItemId item, const api::kueue::Workload& workload, const Place& place,
                  Instant ordered_at, const PodRules& rules);

}  // namespace muster::controllers::queue
