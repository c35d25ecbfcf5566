// The workloads there are, each a file of that name.
#pragma once

#include <memory>

#include "sim/world/parts.h"

namespace muster::sim {

std::unique_ptr<Workload> make_jobs(const Settings& settings, Prng random);
std::unique_ptr<Workload> make_watchers(const Settings& settings, Prng random);
std::unique_ptr<Workload> make_mirrors(const Settings& settings, Prng random);
std::unique_ptr<Workload> make_pods(const Settings& settings, Prng random);
std::unique_ptr<Workload> make_cron_jobs(const Settings& settings, Prng random);
std::unique_ptr<Workload> make_queues(const Settings& settings, Prng random);
std::unique_ptr<Workload> make_namespaces_user(const Settings& settings, Prng random);
std::unique_ptr<Workload> make_queue_checks(const Settings& settings, Prng random);
std::unique_ptr<Workload> make_resource_quotas_user(const Settings& settings, Prng random);
std::unique_ptr<Workload> make_queue_edits(const Settings& settings, Prng random);
std::unique_ptr<Workload> make_queue_tricks(const Settings& settings, Prng random);
std::unique_ptr<Workload> make_queue_owners(const Settings& settings, Prng random);

}  // namespace muster::sim
