// Queues left to chance, and the pods and Jobs that wait in them.
//
//     cohort "co":  a   StrictFIFO, may borrow a little, preempts lower priorities
//                   b   BestEffortFIFO, lends a little, takes back what others borrowed
//     alone:        c   two flavors, preempts newer ones of the same priority as well
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/kinds/batch.h"
#include "api/kinds/kueue/cluster_queue.h"
#include "base/prng.h"
#include "sim/world/settings.h"

namespace muster::sim {

inline constexpr const char* kQueueNames[] = {"a", "b", "c"};
// Enough for whatever is drawn here, but for what is too large on purpose.
inline constexpr int kQuotaEnough = 1500;
inline constexpr int kQuotaLeast = 300;  // no less than what b lends
inline constexpr int kRequestMax = 300;  // of a pod; groups and Jobs have three at once at most

// Each LocalQueue has the name of its ClusterQueue.
api::kueue::ClusterQueue draw_queue(const std::string& name, Prng& random);
// All its nominal quota.
void set_quota(api::kueue::ClusterQueue& queue, int milli_cpus);

api::batch::Job draw_queued_job(const std::string& name, const Settings& settings, Prng& random);
// A pod alone; once in a while larger than its queue.
api::core::Pod draw_queued_pod(const std::string& name, Prng& random);

// What the members of a group have in common.
struct DrawnGroup {
    std::string name;
    std::string queue;
    std::string priority;
    int size;
    int request;
    bool driven;     // the first is a driver, who makes the others
    bool retriable;  // failed pods are replaced
    bool mixed;      // the last is of another shape, though all claim the same
    bool fast;       // quota for all when the first is there
    bool serving;    // never finishes: its owner deletes its pods in the end
    bool limits;     // driver and workers state limits, and no requests
};
inline constexpr int kDriverRequest = 40;
DrawnGroup draw_group(const std::string& name, bool driven, Prng& random);
// `fails`: in percent. `odd`: the one of another shape; is_odd() tells it by its name.
api::core::Pod draw_member(const DrawnGroup& group, const std::string& name, bool driver, bool odd, int fails,
                           Prng& random);
std::string odd_name(const std::string& name);
bool is_odd(const api::core::Pod& pod);

// What a driver says of its workers, in an annotation.
struct Announced {
    int workers;
    int request;
    bool limits;
};
inline constexpr const char* kSetsAnnotation = "kueue.x-k8s.io/pod-group-sets";
std::string format_sets(const Announced& announced);
// Nothing when the pod is no driver.
std::optional<Announced> announced_by(const api::core::Pod& pod);
// A request of a pod of the group, as its owner makes them.
bool is_request_of(const DrawnGroup& group, std::int64_t milli_cpus);

}  // namespace muster::sim
