// Which pods the pod garbage collector deletes: ended pods above a threshold; pods whose node is gone or out of
// service; deleted pods that were never bound to a node. These are Kubernetes' four passes. Pure.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "api/kinds/core/node.h"
#include "api/kinds/core/pod.h"
#include "base/instant.h"

namespace muster::controllers {

enum class PodGarbage { kTerminated, kOutOfService, kOrphaned, kUnscheduled };
// As metrics say it: "terminated", "out-of-service", "orphaned", "unscheduled".
std::string_view name_of(PodGarbage reason);

using PodPtr = std::shared_ptr<const api::core::Pod>;
using NodePtr = std::shared_ptr<const api::core::Node>;

// The order in which ended pods are deleted: evicted pods first, as users need the results of other pods more; then by
// age, the oldest first.
struct GoesBefore {
    bool operator()(const PodPtr& left, const PodPtr& right) const;
};

// What there is, kept as pods come, change and go: most rounds have nothing to clear away, and must not look at every
// pod to find that out.
struct PodCensus {
    std::set<PodPtr, GoesBefore> ended{};
    std::int64_t leaving_unplaced = 0;       // to go, and never had a node
    std::map<Text, std::int64_t> on_node{};  // by the node that they name
    // Null: it was not there, is gone.
    void count(const PodPtr& before, const PodPtr& now);
};

struct PodGcView {
    const PodCensus& census;
    // All of them where needs_all_pods(); may be empty otherwise.
    std::span<const PodPtr> pods;
    std::span<const NodePtr> nodes;
    // Nodes that pods name and that are not there, and since when that is known.
    const std::map<Text, Instant>& missing;
    // Those of them that a live read did not find either.
    std::span<const Text> confirmed;
    std::int64_t terminated_max = 0;    // how many ended pods stay; 0 or less: all
    std::size_t ended_at_once_max = 0;  // how many of the others go in this round
};

struct PodRemoval {
    PodPtr pod;
    PodGarbage reason;
    bool operator==(const PodRemoval&) const = default;
};

// Whether there may be garbage beside ended pods.
bool needs_all_pods(const PodCensus& census, std::span<const NodePtr> nodes, std::span<const Text> confirmed);
// Carried out in order; a pod is there once.
std::vector<PodRemoval> decide_pod_gc(const PodGcView& view);

// The nodes that pods name and that are not there: remembered ones with their time, new ones with now.
std::map<Text, Instant> find_missing_nodes(const PodCensus& census, std::span<const NodePtr> nodes,
                                           const std::map<Text, Instant>& before, Instant now);
// Those that have been missing for long enough to be looked for at the source.
std::vector<Text> overdue_nodes(const std::map<Text, Instant>& missing, Duration quarantine, Instant now);

// The status a pod gets before it is removed, when it had not ended: it failed, and if its node is gone, it says so.
std::optional<api::core::PodStatus> failed_status(const api::core::Pod& pod, PodGarbage reason, Instant now);

}  // namespace muster::controllers
