#include "controllers/queue/quota/tree.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace muster::controllers::queue {
namespace {

constexpr std::size_t at(View view) { return static_cast<std::size_t>(view); }

template <class Cells>
auto find_slot(Cells& cells, Slot slot) {
    return std::lower_bound(cells.begin(), cells.end(), slot,
                            [](const auto& cell, Slot wanted) { return cell.slot < wanted; });
}

}  // namespace

void add_use(Usage& usage, Slot slot, Amount amount) {
    const auto place = find_slot(usage, slot);
    if (place != usage.end() && place->slot == slot)
        place->amount = plus(place->amount, amount);
    else
        usage.insert(place, {slot, amount});
}

double Share::value() const {
    if (ratio == 0) return 0;
    if (weight == 0) return std::numeric_limits<double>::infinity();
    return ratio / weight;
}

int Share::compare(const Share& left, const Share& right) {
    const bool left_endless = left.weight == 0 && left.ratio != 0;
    const bool right_endless = right.weight == 0 && right.ratio != 0;
    if (left_endless != right_endless) return left_endless ? 1 : -1;
    const double a = left_endless ? left.ratio : left.value();
    const double b = right_endless ? right.ratio : right.value();
    return a < b ? -1 : a > b ? 1 : 0;
}

std::vector<bool> find_cycles(const std::vector<NodeSpec>& nodes) {
    enum : std::uint8_t { kUnknown, kOnTheWay, kFine, kCyclic };
    std::vector<std::uint8_t> known(nodes.size(), kUnknown);
    std::vector<NodeId> way;
    for (NodeId start = 0; start < nodes.size(); ++start) {
        way.clear();
        std::optional<NodeId> node = start;
        while (node && known[*node] == kUnknown) {
            known[*node] = kOnTheWay;
            way.push_back(*node);
            node = nodes[*node].parent;
            CHECK(!node || *node < nodes.size(), "a parent that is not in the list");
        }
        const bool cyclic = node && known[*node] != kFine;
        for (const NodeId passed : way) known[passed] = cyclic ? kCyclic : kFine;
    }
    std::vector<bool> cyclic(nodes.size());
    for (NodeId node = 0; node < nodes.size(); ++node) cyclic[node] = known[node] == kCyclic;
    return cyclic;
}

QuotaTree::QuotaTree(std::vector<NodeSpec> nodes) {
    nodes_.resize(nodes.size());
    for (NodeId id = 0; id < nodes.size(); ++id) {
        Node& node = nodes_[id];
        node.parent = nodes[id].parent;
        node.is_queue = nodes[id].is_queue;
        node.weight = nodes[id].weight;
        if (node.parent) {
            CHECK(*node.parent < nodes.size() && *node.parent != id, "a parent that is not in the list");
            CHECK(!nodes[*node.parent].is_queue, "a queue below a queue");
            nodes_[*node.parent].children.push_back(id);
        }
        for (const Quota& quota : nodes[id].quotas) {
            Cell& cell = edit_cell(id, quota.slot);
            cell.resource = quota.resource;
            cell.nominal = quota.nominal;
            cell.borrowing_limited = quota.borrowing_limit.has_value();
            cell.borrowing_limit = quota.borrowing_limit.value_or(0);
            cell.lending_limited = quota.lending_limit.has_value();
            cell.lending_limit = quota.lending_limit.value_or(0);
        }
    }
    const std::vector<NodeId> order = parents_last();
    for (const NodeId node : order) sum_up(node);
    for (auto node = order.rbegin(); node != order.rend(); ++node) spread_potential(*node);
}

std::vector<NodeId> QuotaTree::parents_last() const {
    std::vector<NodeId> order;
    for (NodeId id = 0; id < nodes_.size(); ++id)
        if (!nodes_[id].parent) order.push_back(id);
    for (std::size_t next = 0; next < order.size(); ++next)
        order.insert(order.end(), nodes_[order[next]].children.begin(), nodes_[order[next]].children.end());
    CHECK(order.size() == nodes_.size(), "cohorts in a circle");
    std::reverse(order.begin(), order.end());
    return order;
}

void QuotaTree::sum_up(NodeId id) {
    Node& node = nodes_[id];
    node.height = node.children.empty() ? 0 : 1;
    for (Cell& cell : node.cells) cell.subtree = cell.nominal;
    for (const NodeId child : node.children) {
        if (!nodes_[child].is_queue) node.height = std::max(node.height, nodes_[child].height + 1);
        for (const Cell& lent : nodes_[child].cells) {
            Cell& cell = edit_cell(id, lent.slot);
            cell.resource = lent.resource;
            cell.subtree = plus(cell.subtree, minus(lent.subtree, lent.local));
        }
    }
    for (Cell& cell : node.cells)
        cell.local = cell.lending_limited ? std::max<Amount>(0, minus(cell.subtree, cell.lending_limit)) : 0;
}

// Parents first: what a node could have depends on what its parent could. A cohort's lendable is over all slots of its
// root, as a child may take from flavors that this part of the tree has none of.
void QuotaTree::spread_potential(NodeId id) {
    if (nodes_[id].parent)
        for (const Cell& above : nodes_[*nodes_[id].parent].cells)
            if (!nodes_[id].is_queue) edit_cell(id, above.slot).resource = above.resource;
    Node& node = nodes_[id];
    for (Cell& own : node.cells) {
        if (!node.parent) {
            own.potential = own.subtree;
            continue;
        }
        own.potential = plus(own.local, cell(*node.parent, own.slot).potential);
        if (own.borrowing_limited) own.potential = std::min(own.potential, plus(own.subtree, own.borrowing_limit));
    }
    if (node.is_queue) return;
    for (const Cell& own : node.cells) {
        auto found = std::find_if(node.lendable.begin(), node.lendable.end(),
                                  [&](const auto& entry) { return entry.first == own.resource; });
        if (found == node.lendable.end()) found = node.lendable.insert(found, {own.resource, 0});
        found->second = plus(found->second, own.potential);
    }
}

const QuotaTree::Cell& QuotaTree::cell(NodeId node, Slot slot) const {
    static const Cell nothing{};
    const std::vector<Cell>& cells = nodes_[node].cells;
    if (cells.size() == 1) return cells.front().slot == slot ? cells.front() : nothing;
    const auto found = find_slot(cells, slot);
    return found != cells.end() && found->slot == slot ? *found : nothing;
}

QuotaTree::Cell& QuotaTree::edit_cell(NodeId node, Slot slot) {
    std::vector<Cell>& cells = nodes_[node].cells;
    auto found = find_slot(cells, slot);
    if (found == cells.end() || found->slot != slot) {
        found = cells.insert(found, Cell{});
        found->slot = slot;
    }
    return *found;
}

NodeId QuotaTree::root(NodeId node) const {
    CHECK(node < nodes_.size(), "a node of another tree");
    while (nodes_[node].parent) node = *nodes_[node].parent;
    return node;
}

void QuotaTree::add_usage(NodeId queue, Slot slot, Amount amount, View view) {
    CHECK(queue < nodes_.size(), "a node of another tree");
    std::optional<NodeId> node = queue;
    while (node && amount != 0) {
        Cell& own = edit_cell(*node, slot);
        Amount& used = own.usage[at(view)];
        const Amount before = std::max<Amount>(0, minus(used, own.local));
        used = plus(used, amount);
        CHECK(used >= 0, "more was given back than was used");
        amount = minus(std::max<Amount>(0, minus(used, own.local)), before);
        node = nodes_[*node].parent;
    }
}

void QuotaTree::add_usage(NodeId queue, const Usage& usage, View view, int sign) {
    for (const Use& use : usage) add_usage(queue, use.slot, times(use.amount, sign), view);
}

void QuotaTree::reset_future(NodeId root) {
    for (Cell& own : nodes_[root].cells) own.usage[at(View::kFuture)] = own.usage[at(View::kNow)];
    for (const NodeId child : nodes_[root].children) reset_future(child);
}

Amount QuotaTree::usage(NodeId node, Slot slot, View view) const { return cell(node, slot).usage[at(view)]; }
Amount QuotaTree::nominal(NodeId node, Slot slot) const { return cell(node, slot).nominal; }
Amount QuotaTree::subtree_quota(NodeId node, Slot slot) const { return cell(node, slot).subtree; }
Amount QuotaTree::local_quota(NodeId node, Slot slot) const { return cell(node, slot).local; }
Amount QuotaTree::potential(NodeId node, Slot slot) const { return cell(node, slot).potential; }

std::optional<Amount> QuotaTree::borrowing_limit(NodeId node, Slot slot) const {
    const Cell& own = cell(node, slot);
    return own.borrowing_limited ? std::optional(own.borrowing_limit) : std::nullopt;
}

Amount QuotaTree::local_available(NodeId node, Slot slot, View view) const {
    const Cell& own = cell(node, slot);
    return std::max<Amount>(0, minus(own.local, own.usage[at(view)]));
}

Amount QuotaTree::available(NodeId node, Slot slot, View view) const {
    const Cell& own = cell(node, slot);
    const Amount used = own.usage[at(view)];
    if (!nodes_[node].parent) return minus(own.subtree, used);
    Amount from_parent = available(*nodes_[node].parent, slot, view);
    if (own.borrowing_limited) {
        const Amount stored = minus(own.subtree, own.local);
        const Amount taken = std::max<Amount>(0, minus(used, own.local));
        from_parent = std::min(from_parent, plus(minus(stored, taken), own.borrowing_limit));
    }
    return plus(std::max<Amount>(0, minus(own.local, used)), from_parent);
}

bool QuotaTree::fits(NodeId queue, const Usage& usage, View view) const {
    return std::all_of(usage.begin(), usage.end(), [&](const Use& use) {
        return use.amount <= 0 || use.amount <= available(queue, use.slot, view);
    });
}

bool QuotaTree::within_nominal(NodeId node, const std::vector<Slot>& slots, View view) const {
    return std::all_of(slots.begin(), slots.end(), [&](Slot slot) { return !borrows_with(node, slot, 0, view); });
}

Height QuotaTree::lowest_fit(NodeId queue, Slot slot, Amount amount, View view) const {
    if (!nodes_[queue].parent) return {0, false};
    if (!borrows_with(queue, slot, amount, view)) return {0, true};
    Amount rest = minus(amount, local_available(queue, slot, view));
    NodeId node = *nodes_[queue].parent;
    for (;;) {
        const bool has_parent = nodes_[node].parent.has_value();
        if (!borrows_with(node, slot, rest, view)) return {nodes_[node].height, has_parent};
        if (!has_parent) return {nodes_[node].height, false};
        rest = minus(rest, local_available(node, slot, view));
        node = *nodes_[node].parent;
    }
}

Share QuotaTree::share(NodeId id, View view) const {
    const Node& node = nodes_[id];
    Share share;
    share.weight = node.weight;
    if (!node.parent) return share;
    std::vector<std::pair<ResourceId, Amount>> borrowed;
    for (const Cell& own : node.cells) {
        const Amount more = minus(own.usage[at(view)], own.subtree);
        if (own.subtree == kUnlimited || more <= 0) continue;
        auto found = std::find_if(borrowed.begin(), borrowed.end(),
                                  [&](const auto& entry) { return entry.first == own.resource; });
        if (found == borrowed.end()) found = borrowed.insert(found, {own.resource, 0});
        found->second = plus(found->second, more);
    }
    share.borrowing = !borrowed.empty();
    for (const auto& [resource, amount] : borrowed) {
        for (const auto& [lent, lendable] : nodes_[*node.parent].lendable) {
            if (lent != resource || lendable <= 0) continue;
            const double ratio = static_cast<double>(amount) * 1000.0 / static_cast<double>(lendable);
            if (ratio > share.ratio || (ratio == share.ratio && resource < share.resource)) {
                share.ratio = ratio;
                share.resource = resource;
            }
        }
    }
    return share;
}

std::vector<Slot> QuotaTree::slots(NodeId node) const {
    std::vector<Slot> out;
    for (const Cell& own : nodes_[node].cells) out.push_back(own.slot);
    return out;
}

}  // namespace muster::controllers::queue
