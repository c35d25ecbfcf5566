// What the Job controller counts, under upstream's names.
#pragma once

#include "api/kinds/batch.h"
#include "base/instant.h"
#include "client/metrics.h"
#include "controllers/job/decide.h"

namespace muster::controllers::jobs {

enum class SyncAction { kReconciling, kTracking, kPodsCreated, kPodsDeleted };

void count_sync(client::Metrics& metrics, const api::batch::Job& job, SyncAction action, bool ok, Duration took);
void count_stale_sync(client::Metrics& metrics);
void count_creations(client::Metrics& metrics, CreationReason reason, std::size_t succeeded, std::size_t failed);
void count_facts(client::Metrics& metrics, const api::batch::Job& job, const StatusFacts& facts);
// A finished pod with the tracking finalizer has appeared, or one has lost it or gone.
void count_held_pod(client::Metrics& metrics, bool appeared);
void count_external(client::Metrics& metrics, const api::batch::Job& job);

}  // namespace muster::controllers::jobs
