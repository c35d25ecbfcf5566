// Warnings about parts of queueing objects that are stored and have no effect on this server. A client gets them with
// the answer to a write. Kueue also stores these parts; it uses them only with feature gates, most of which are off by
// default.
#pragma once

#include <string>
#include <vector>

#include "api/kinds/kueue/kueue.h"

namespace muster::api {

// `before` is null on a creation. Every write of such an object is answered with its warnings.
std::vector<std::string> cluster_queue_warnings(const kueue::ClusterQueue& now, const kueue::ClusterQueue* before);
std::vector<std::string> local_queue_warnings(const kueue::LocalQueue& now, const kueue::LocalQueue* before);
std::vector<std::string> resource_flavor_warnings(const kueue::ResourceFlavor& now,
                                                  const kueue::ResourceFlavor* before);
std::vector<std::string> workload_warnings(const kueue::Workload& now, const kueue::Workload* before);

}  // namespace muster::api
