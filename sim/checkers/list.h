// The checkers there are, each a file of that name.
#pragma once

#include <memory>

#include "sim/world/parts.h"

namespace muster::sim {

std::unique_ptr<Checker> make_exact_count();
std::unique_ptr<Checker> make_true_numbers();
std::unique_ptr<Checker> make_job_status();
std::unique_ptr<Checker> make_durability();
std::unique_ptr<Checker> make_processes();
std::unique_ptr<Checker> make_leftovers();
std::unique_ptr<Checker> make_watches();
std::unique_ptr<Checker> make_parallelism();
std::unique_ptr<Checker> make_room();
std::unique_ptr<Checker> make_outcomes();
std::unique_ptr<Checker> make_ttl();
std::unique_ptr<Checker> make_cron_ticks();
std::unique_ptr<Checker> make_bounds();
std::unique_ptr<Checker> make_quota();
std::unique_ptr<Checker> make_gates();
std::unique_ptr<Checker> make_strict_order();
std::unique_ptr<Checker> make_queues_at_rest();
std::unique_ptr<Checker> make_leases();
std::unique_ptr<Checker> make_namespaces();
std::unique_ptr<Checker> make_covered();
std::unique_ptr<Checker> make_groups();
std::unique_ptr<Checker> make_admission();
std::unique_ptr<Checker> make_resource_quotas();
std::unique_ptr<Checker> make_admissible();
std::unique_ptr<Checker> make_evictions();

}  // namespace muster::sim
