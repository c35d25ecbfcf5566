#include "sim/workloads/list.h"

namespace muster::sim {

std::unique_ptr<Workload> make_workload(std::string_view name, const Settings& settings, Prng random) {
    if (name == "jobs") return make_jobs(settings, random);
    if (name == "watchers") return make_watchers(settings, random);
    if (name == "mirrors") return make_mirrors(settings, random);
    if (name == "pods") return make_pods(settings, random);
    if (name == "cron-jobs") return make_cron_jobs(settings, random);
    if (name == "queues") return make_queues(settings, random);
    if (name == "queue-checks") return make_queue_checks(settings, random);
    if (name == "queue-edits") return make_queue_edits(settings, random);
    if (name == "resource-quotas") return make_resource_quotas_user(settings, random);
    if (name == "queue-tricks") return make_queue_tricks(settings, random);
    if (name == "queue-owners") return make_queue_owners(settings, random);
    if (name == "namespaces") return make_namespaces_user(settings, random);
    return nullptr;
}

}  // namespace muster::sim
