// Which workload has preempted which. Ownership, shares and priority can contradict each other among three or more
// workloads: A preempts B, B preempts C, C preempts A, and so on for ever. Therefore a workload does not preempt one of
// another queue that has preempted it, directly or through others: the preemptions that are remembered here have no
// circle with such a step, and end.
// A preemption counts until something else changes in the tree of cohorts (a workload comes, ends or is changed), and
// for ten minutes at least: in a tree in which something changes all the time a circle is slow. It is forgotten when
// one of the two workloads is edited, finished or deleted, and all are when a queue, a cohort or a flavor is edited. In
// memory only: after a start circles begin again, once, and no faster than kPreemptionsMax allows.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "base/instant.h"
#include "controllers/queue/quota/tree.h"

namespace muster::controllers::queue {

using ItemId = std::uint32_t;

// The workloads that have preempted one, directly or through others.
struct Preemptors {
    std::set<ItemId> items{};
    std::optional<Instant> until{};  // when the first of these preemptions stops counting, though nothing changes
};

class PreemptionHistory {
public:
    static constexpr Duration kAtLeast = 10min;

    // Both are of the tree with that root.
    void note_preemption(NodeId tree, ItemId preemptor, ItemId victim, Instant at);
    // Something changed that is not the work of preemption.
    void note_change(NodeId tree);
    void forget(ItemId item);
    void forget_all();

    Preemptors find_preemptors(ItemId victim, Instant now) const;
    // How many preemptions are remembered: one for a pair of workloads. When a workload is preempted again, those of
    // its preemptions that do not count any more are dropped.
    std::size_t size() const;

private:
    struct Preemption {
        Instant at{};
        NodeId tree = 0;
        std::uint64_t change = 0;  // the tree's last change before it
    };
    bool is_unchanged_since(const Preemption& it) const { return changes_.at(it.tree) == it.change; }
    bool counts(const Preemption& it, Instant now) const {
        return is_unchanged_since(it) || (it.at <= now && now < it.at + kAtLeast);
    }
    void drop(ItemId preemptor, ItemId victim);

    std::map<ItemId, std::map<ItemId, Preemption>> by_victim_;
    std::map<ItemId, std::set<ItemId>> victims_;  // by preemptor: the same pairs
    std::map<NodeId, std::uint64_t> changes_;     // of trees with preemptions: how many there were
};

}  // namespace muster::controllers::queue
