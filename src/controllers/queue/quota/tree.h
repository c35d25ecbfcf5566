// Quota of ClusterQueues in their cohorts: a forest whose leaves are queues. Every node has quota of its own; what a
// child does not keep for itself (lendingLimit) is its parent's to give, and a child takes from its parent up to its
// borrowingLimit. Pure arithmetic: no names, no clock.
// Invariant, for every node, slot and view: what a node uses of its parent is max(0, usage - local quota), and a
// parent's usage is the sum of that over its children.
// There are two views of usage. `kNow` counts what holds quota at this instant, `kFuture` is what a decision supposes:
// evicted workloads gone, those that wait for their place in it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "controllers/queue/quota/amount.h"

namespace muster::controllers::queue {

using NodeId = std::uint32_t;
using ResourceId = std::uint32_t;
using Slot = std::uint32_t;  // one resource of one flavor

enum class View : std::uint8_t { kNow, kFuture };

struct Quota {
    Slot slot = 0;
    ResourceId resource = 0;
    Amount nominal = 0;
    std::optional<Amount> borrowing_limit{};
    std::optional<Amount> lending_limit{};
};

struct NodeSpec {
    std::optional<NodeId> parent{};  // its index in the list
    bool is_queue = false;
    double weight = 1;  // of fair sharing
    std::vector<Quota> quotas{};
};

struct Use {
    Slot slot = 0;
    Amount amount = 0;
    bool operator==(const Use&) const = default;
};
using Usage = std::vector<Use>;  // each slot once, in order

void add_use(Usage& usage, Slot slot, Amount amount);

// How much more than its own a node uses: the largest of its resources, in thousandths of what can be lent, by weight.
struct Share {
    double ratio = 0;
    double weight = 1;
    ResourceId resource = 0;
    bool borrowing = false;

    double value() const;  // infinite for one without weight that borrows
    // Below zero when `left` should rather be admitted, above when it should rather be preempted.
    static int compare(const Share& left, const Share& right);
};

struct Height {
    int height = 0;           // of the lowest subtree in which it fits; 0 is the node itself
    bool below_root = false;  // that subtree is not the whole tree
};

// Of each node whether the way to its root runs into a circle. Such nodes are in no tree.
std::vector<bool> find_cycles(const std::vector<NodeSpec>& nodes);

class QuotaTree {
public:
    QuotaTree() = default;
    // The nodes must be free of cycles.
    explicit QuotaTree(std::vector<NodeSpec> nodes);

    std::size_t size() const { return nodes_.size(); }
    std::optional<NodeId> parent(NodeId node) const { return nodes_[node].parent; }
    NodeId root(NodeId node) const;
    const std::vector<NodeId>& children(NodeId node) const { return nodes_[node].children; }
    bool is_queue(NodeId node) const { return nodes_[node].is_queue; }

    // `amount` may be negative, and then gives back.
    void add_usage(NodeId queue, Slot slot, Amount amount, View view);
    void add_usage(NodeId queue, const Usage& usage, View view, int sign = 1);
    // The future of a whole tree is as now again.
    void reset_future(NodeId root);

    Amount usage(NodeId node, Slot slot, View view) const;
    Amount nominal(NodeId node, Slot slot) const;
    std::optional<Amount> borrowing_limit(NodeId node, Slot slot) const;
    Amount subtree_quota(NodeId node, Slot slot) const;
    Amount local_quota(NodeId node, Slot slot) const;
    // Unused quota that the parent cannot see.
    Amount local_available(NodeId node, Slot slot, View view) const;
    // What more the node may use. Negative when more is used than there is, as after a quota was cut.
    Amount available(NodeId node, Slot slot, View view) const;
    // What the node could use if the tree were empty.
    Amount potential(NodeId node, Slot slot) const;
    bool fits(NodeId queue, const Usage& usage, View view) const;
    // With that much more, the node uses more than its subtree has.
    bool borrows_with(NodeId node, Slot slot, Amount more, View view) const {
        return subtree_quota(node, slot) < plus(usage(node, slot, view), more);
    }
    bool within_nominal(NodeId node, const std::vector<Slot>& slots, View view) const;
    Height lowest_fit(NodeId queue, Slot slot, Amount amount, View view) const;
    // Zero for a node without parent.
    Share share(NodeId node, View view) const;
    // All slots that the node has quota for or uses, in order.
    std::vector<Slot> slots(NodeId node) const;

private:
    struct Cell {
        Slot slot = 0;
        ResourceId resource = 0;
        bool borrowing_limited = false;
        bool lending_limited = false;
        Amount nominal = 0;
        Amount borrowing_limit = 0;
        Amount lending_limit = 0;
        Amount subtree = 0;
        Amount local = 0;
        Amount potential = 0;
        Amount usage[2] = {0, 0};
    };
    struct Node {
        std::optional<NodeId> parent;
        bool is_queue = false;
        double weight = 1;
        int height = 0;
        std::vector<NodeId> children;
        std::vector<Cell> cells;                                // by slot
        std::vector<std::pair<ResourceId, Amount>> lendable{};  // to children, by resource
    };

    const Cell& cell(NodeId node, Slot slot) const;
    Cell& edit_cell(NodeId node, Slot slot);
    std::vector<NodeId> parents_last() const;
    void sum_up(NodeId node);
    void spread_potential(NodeId node);
    Amount available_of(NodeId node, const Cell& cell, View view) const;

    std::vector<Node> nodes_;
};

}  // namespace muster::controllers::queue
