#include "sim/workloads/list.h"

namespace muster::sim {
namespace {

using Keys = std::vector<std::string_view>;

// All there are, with their settings.
struct NamedWorkload {
    std::string_view name;
    std::unique_ptr<Workload> (*make)(const Settings& settings, Prng random);
    Keys keys;
};

const std::vector<NamedWorkload>& all_workloads() {
    static const std::vector<NamedWorkload> all = {
        {"jobs",
         &make_jobs,
         {"count", "every", "meddle", "completions", "mode", "parallelism", "policy", "suspended", "ttl"}},
        {"watchers", &make_watchers, {"count"}},
        {"mirrors", &make_mirrors, {}},
        {"pods", &make_pods, {"count", "every"}},
        {"cron-jobs", &make_cron_jobs, {"count", "every"}},
        {"queues",
         &make_queues,
         {"checks", "drivers", "every", "fair", "groups", "jobs", "meddle", "mixed", "pods", "tree", "completions",
          "mode", "parallelism", "policy", "suspended", "ttl"}},
        {"queue-checks", &make_queue_checks, {"every"}},
        {"queue-edits", &make_queue_edits, {"every"}},
        {"resource-quotas", &make_resource_quotas_user, {"every"}},
        {"queue-tricks", &make_queue_tricks, {"every"}},
        {"queue-owners", &make_queue_owners, {"jobs"}},
        {"namespaces",
         &make_namespaces_user,
         {"count", "every", "completions", "mode", "parallelism", "policy", "suspended", "ttl"}},
    };
    return all;
}

const NamedWorkload* find_workload(std::string_view name) {
    for (const NamedWorkload& each : all_workloads())
        if (each.name == name) return &each;
    return nullptr;
}

}  // namespace

std::optional<std::span<const std::string_view>> settings_of_workload(std::string_view name) {
    const NamedWorkload* found = find_workload(name);
    if (!found) return std::nullopt;
    return found->keys;
}

std::unique_ptr<Workload> make_workload(std::string_view name, const Settings& settings, Prng random) {
    const NamedWorkload* found = find_workload(name);
    return found ? found->make(settings, random) : nullptr;
}

}  // namespace muster::sim
