#include "sim/checkers/list.h"

namespace muster::sim {

std::vector<std::unique_ptr<Checker>> make_checkers() {
    std::vector<std::unique_ptr<Checker>> all;
    for (auto* make : {make_exact_count,  make_true_numbers,   make_job_status,      make_durability, make_processes,
                       make_leftovers,    make_watches,        make_parallelism,     make_room,       make_outcomes,
                       make_ttl,          make_cron_ticks,     make_bounds,          make_quota,      make_gates,
                       make_strict_order, make_queues_at_rest, make_covered,         make_groups,     make_admission,
                       make_leases,       make_namespaces,     make_resource_quotas, make_admissible, make_evictions})
        all.push_back(make());
    return all;
}

}  // namespace muster::sim
