#include "sim/workloads/ended.h"

#include "sim/checkers/job_facts.h"

namespace muster::sim {

std::string why_not_ended(const World& world) {
    for (const Job* job : world.history.all<Job>()) {
        if (!is_finished(*job)) return job->metadata.name.str() + " has not finished; " + format_status(*job);
        if (is_deleting(*job) || job->spec.ttl_seconds_after_finished)
            return job->metadata.name.str() + " is not gone; " + format_status(*job);
    }
    for (const Pod* pod : world.history.all<Pod>()) {
        if (!is_deleting(*pod) && !is_tracked(*pod) && has_ended(*pod) &&
            !pod->metadata.annotations.contains("muster.dev/ttl-seconds-after-finished"))
            continue;
        return pod->metadata.name.str() + " is not over: " + pod->status.phase.str() +
               (is_deleting(*pod) ? ", being deleted" : "") + (is_tracked(*pod) ? ", tracked" : "") + ", on \"" +
               pod->spec.node_name.str() + '"';
    }
    return {};
}

}  // namespace muster::sim
