// What the pods that are already placed mean for one kind of pod: topology spread, pod affinity and anti-affinity, its
// own and that of the others. Counts by topology domain, made once by looking at every pod and then kept in step with
// each placement, so that a question about a node costs no more than the pod has rules.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "scheduler/snapshot.h"
#include "scheduler/why.h"

namespace muster::scheduler {

// Which domain of a topology each node is in: the node label's values, numbered. -1 for a node without the label.
struct Domains {
    std::vector<int> of_node;
    int count = 0;
};
Domains find_domains(const std::vector<const NodeInfo*>& nodes, const Text& topology_key);

// The same for several kinds of pods; made when first asked for.
class DomainCache {
public:
    explicit DomainCache(const std::vector<const NodeInfo*>& nodes) : nodes_(nodes) {}
    const Domains& of(const Text& topology_key);

private:
    const std::vector<const NodeInfo*>& nodes_;
    std::map<Text, std::unique_ptr<Domains>> known_;
};

// A pod and the rules it brings along, where it is or is to be.
struct Neighbour {
    const api::core::Pod& pod;
    const PodTerms* terms;  // null when it has none
};

class Neighbours {
public:
    // For pods like `pod`. All must outlive it.
    Neighbours(const Snapshot& snapshot, DomainCache& domains, const api::core::Pod& pod, const PodShape& shape);

    // A pod came to the node (by +1) or left it (by -1).
    void count(const Neighbour& neighbour, std::size_t node, int by);

    // The first rule that keeps the pod off the node, or kNone.
    Reason check(std::size_t node) const;
    bool has_wishes() const { return !wishes_.empty() || has_soft_spread_; }
    // Higher is better: the sum of the wishes of both sides.
    std::int64_t wish_score(std::size_t node) const;
    // Lower is better: how many like it are near, by the constraints that only ask. kNoDomain for a node that is in
    // none.
    static constexpr double kNoDomain = -1;
    double soft_skew(std::size_t node) const;

private:
    struct Spread {
        api::LabelSelector selector;
        const Domains* domains;
        std::vector<char> counted;  // nodes that the constraint looks at
        std::vector<std::int64_t> counts;
        std::vector<char> present;  // domains with a counted node
        int present_count = 0;
        std::int64_t skew_max = 1;
        std::int64_t domains_min = 1;
        bool hard = true;
        bool counts_self = false;
        mutable std::int64_t least = 0;
        mutable bool least_known = false;
        std::int64_t least_count() const;
    };
    struct Near {
        const PodTerm* term;
        const Domains* domains;
        std::vector<std::int64_t> counts;
    };
    using ByTopology = std::map<Text, Near>;  // counts of what others demand or wish, per topology key

    void add_spreads(const PodShape& shape);
    void count_all();
    void count_others_terms(const PodTerms& terms, std::size_t node, int by);
    void add_to(ByTopology& side, const Text& key, std::size_t node, std::int64_t by);
    Reason check_spread(std::size_t node) const;
    bool affinity_holds(std::size_t node) const;

    const Snapshot& snapshot_;
    DomainCache& domains_;
    const api::core::Pod& pod_;
    PodTerms terms_;
    std::vector<Spread> spreads_;
    bool has_soft_spread_ = false;
    std::vector<Near> affinity_;
    std::vector<Near> anti_affinity_;
    std::int64_t affinity_matches_ = 0;  // pods that the affinity terms match, wherever they are
    bool self_matches_ = false;
    ByTopology blocked_;  // by the anti-affinity of others
    ByTopology wishes_;
};

}  // namespace muster::scheduler
