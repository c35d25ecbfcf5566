// API objects as the admission engine's values, and its decisions as API values again. Pure.
#pragma once

#include "api/kinds/kueue/kueue.h"
#include "controllers/queue/admission/engine/assign.h"
#include "controllers/queue/admission/engine/requests.h"
#include "controllers/queue/admission/model/model.h"

namespace muster::controllers::queue {

Flavor flavor_of(const api::kueue::ResourceFlavor& flavor);
// `admits` is left true.
QueueSpec queue_of(const api::kueue::ClusterQueue& queue, Names& names);
CohortSpec cohort_of(const api::kueue::Cohort& cohort, Names& names);
// Without what was reclaimed already.
Shape shape_of(const api::kueue::Workload& workload, const PodRules& rules);
// What its sets of pods ask for, each together, without what was reclaimed already: for people who wonder why it waits.
List<api::kueue::PodSetRequest> requests_of(const api::kueue::Workload& workload, const PodRules& rules);
// What an admitted workload uses, without what was reclaimed since. Its assignment is for the pods that were still to
// run when it was admitted, or for fewer (minCount).
Usage usage_of(const api::kueue::Workload& workload, Names& names);
api::kueue::Admission make_admission(const api::kueue::Workload& workload, const Text& queue,
                                     const std::vector<PodSetChoice>& pod_sets, const Names& names);
api::Quantity quantity_of(const Text& resource, Amount amount);
// The checks that apply to a workload with these flavors, by the queue's strategy.
std::vector<Text> checks_for(const api::kueue::ClusterQueue& queue, const api::kueue::Admission& admission);

}  // namespace muster::controllers::queue
