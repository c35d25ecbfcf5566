#include "controllers/queue/quota/tree.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "base/prng.h"

namespace muster::controllers::queue {
namespace tree_test {

constexpr Slot kCpu = 0;

NodeSpec cohort(std::optional<NodeId> parent, std::vector<Quota> quotas = {}) {
    NodeSpec spec;
    spec.parent = parent;
    spec.quotas = std::move(quotas);
    return spec;
}

NodeSpec queue_in(std::optional<NodeId> parent, Amount nominal, std::optional<Amount> borrowing = {},
                  std::optional<Amount> lending = {}) {
    NodeSpec spec = cohort(parent, {{kCpu, 0, nominal, borrowing, lending}});
    spec.is_queue = true;
    return spec;
}

TEST(QuotaTree, AQueueAloneHasItsNominalQuota) {
    QuotaTree tree({queue_in({}, 10)});
    EXPECT_EQ(tree.available(0, kCpu, View::kNow), 10);
    tree.add_usage(0, kCpu, 4, View::kNow);
    EXPECT_EQ(tree.available(0, kCpu, View::kNow), 6);
    EXPECT_EQ(tree.available(0, kCpu, View::kFuture), 10);
}

TEST(QuotaTree, AQueueBorrowsWhatItsCohortDoesNotUse) {
    QuotaTree tree({cohort({}), queue_in(0, 10), queue_in(0, 10)});
    EXPECT_EQ(tree.available(1, kCpu, View::kNow), 20);
    tree.add_usage(1, kCpu, 15, View::kNow);
    EXPECT_EQ(tree.available(2, kCpu, View::kNow), 5);
    EXPECT_TRUE(tree.borrows_with(1, kCpu, 0, View::kNow));
    EXPECT_FALSE(tree.within_nominal(1, {kCpu}, View::kNow));
}

TEST(QuotaTree, ABorrowingLimitBounds) {
    QuotaTree tree({cohort({}), queue_in(0, 10, 3), queue_in(0, 10)});
    EXPECT_EQ(tree.potential(1, kCpu), 13);
    EXPECT_EQ(tree.available(1, kCpu, View::kNow), 13);
    tree.add_usage(1, kCpu, 13, View::kNow);
    EXPECT_EQ(tree.available(1, kCpu, View::kNow), 0);
}

TEST(QuotaTree, QuotaThatIsNotLentIsNotVisibleToOthers) {
    QuotaTree tree({cohort({}), queue_in(0, 10, {}, 4), queue_in(0, 10)});
    EXPECT_EQ(tree.local_quota(1, kCpu), 6);
    EXPECT_EQ(tree.potential(2, kCpu), 14);
    tree.add_usage(2, kCpu, 14, View::kNow);
    EXPECT_EQ(tree.available(1, kCpu, View::kNow), 6);
    EXPECT_EQ(tree.available(2, kCpu, View::kNow), 0);
}

TEST(QuotaTree, ACohortAddsQuotaOfItsOwn) {
    QuotaTree tree({cohort({}, {{kCpu, 0, 5, {}, {}}}), queue_in(0, 10)});
    EXPECT_EQ(tree.available(1, kCpu, View::kNow), 15);
}

TEST(QuotaTree, QuotaThatWasCutShowsAsDebt) {
    QuotaTree tree({cohort({}), queue_in(0, 10)});
    tree.add_usage(1, kCpu, 12, View::kNow);
    EXPECT_EQ(tree.available(1, kCpu, View::kNow), -2);
    EXPECT_FALSE(tree.fits(1, {{kCpu, 1}}, View::kNow));
    EXPECT_TRUE(tree.fits(1, {{kCpu, 0}}, View::kNow)) << "who needs nothing always fits";
}

TEST(QuotaTree, HeightSaysFromHowFarQuotaComes) {
    // root(0) - left(1) - a(2), b(3); root - c(4)
    QuotaTree tree({cohort({}), cohort(0), queue_in(1, 10), queue_in(1, 10), queue_in(0, 10)});
    EXPECT_EQ(tree.lowest_fit(2, kCpu, 10, View::kNow).height, 0);
    EXPECT_EQ(tree.lowest_fit(2, kCpu, 15, View::kNow).height, 1);
    EXPECT_TRUE(tree.lowest_fit(2, kCpu, 15, View::kNow).below_root);
    EXPECT_EQ(tree.lowest_fit(2, kCpu, 25, View::kNow).height, 2);
    EXPECT_FALSE(tree.lowest_fit(2, kCpu, 25, View::kNow).below_root);
}

TEST(QuotaTree, UnlimitedQuotaNeverWraps) {
    QuotaTree tree({cohort({}), queue_in(0, kUnlimited), queue_in(0, kUnlimited)});
    tree.add_usage(1, kCpu, 1000, View::kNow);
    EXPECT_EQ(tree.available(2, kCpu, View::kNow), kUnlimited);
    EXPECT_FALSE(tree.share(1, View::kNow).borrowing);
}

TEST(QuotaTree, TheShareIsWhatIsBorrowedOfWhatCanBeLentByWeight) {
    std::vector<NodeSpec> nodes = {cohort({}), queue_in(0, 10), queue_in(0, 10), queue_in(0, 20)};
    nodes[2].weight = 2;
    nodes[3].weight = 0;
    QuotaTree tree(nodes);
    EXPECT_EQ(tree.share(1, View::kNow).value(), 0);
    tree.add_usage(1, kCpu, 14, View::kNow);
    tree.add_usage(2, kCpu, 14, View::kNow);
    EXPECT_DOUBLE_EQ(tree.share(1, View::kNow).value(), 100);
    EXPECT_DOUBLE_EQ(tree.share(2, View::kNow).value(), 50);
    EXPECT_GT(Share::compare(tree.share(1, View::kNow), tree.share(2, View::kNow)), 0);
    EXPECT_EQ(Share::compare(tree.share(3, View::kNow), Share{}), 0) << "without borrowing no weight is needed";
    tree.add_usage(3, kCpu, 21, View::kNow);
    EXPECT_GT(Share::compare(tree.share(3, View::kNow), tree.share(1, View::kNow)), 0);
}

TEST(QuotaTree, FindsCyclesAndAllThatHangsBelowThem) {
    // 0 -> 1 -> 2 -> 0, 3 below the circle, 4 apart, 5 its own parent.
    const std::vector<NodeSpec> nodes = {cohort(1), cohort(2), cohort(0), queue_in(1, 1), cohort({}), cohort(5)};
    EXPECT_EQ(find_cycles(nodes), (std::vector<bool>{true, true, true, true, false, true}));
}

// An independent model: rules over the whole state, no formulas for what is left.
class QuotaModel {
public:
    explicit QuotaModel(const std::vector<NodeSpec>& nodes) : nodes_(nodes), used_(nodes.size(), 0) {}

    Amount quota(NodeId node) const {
        Amount sum = own(node).nominal;
        for (NodeId child = 0; child < nodes_.size(); ++child)
            if (nodes_[child].parent == node) sum += quota(child) - kept(child);
        return sum;
    }
    Amount kept(NodeId node) const {
        const auto limit = own(node).lending_limit;
        return limit ? std::max<Amount>(0, quota(node) - *limit) : 0;
    }
    Amount usage(NodeId node) const {
        Amount sum = used_[node];
        for (NodeId child = 0; child < nodes_.size(); ++child)
            if (nodes_[child].parent == node) sum += std::max<Amount>(0, usage(child) - kept(child));
        return sum;
    }
    // No node has more than it may have.
    bool feasible() const {
        for (NodeId node = 0; node < nodes_.size(); ++node) {
            if (!nodes_[node].parent && usage(node) > quota(node)) return false;
            const auto limit = own(node).borrowing_limit;
            if (nodes_[node].parent && limit && usage(node) > quota(node) + *limit) return false;
        }
        return true;
    }
    void add(NodeId queue, Amount amount) { used_[queue] += amount; }
    // The most that can be added.
    Amount available(NodeId queue) {
        Amount most = 0;
        while (most < 1000) {
            add(queue, most + 1);
            const bool fits = feasible();
            add(queue, -(most + 1));
            if (!fits) break;
            ++most;
        }
        return most;
    }

private:
    const Quota& own(NodeId node) const {
        static const Quota none{};
        return nodes_[node].quotas.empty() ? none : nodes_[node].quotas[0];
    }
    std::vector<NodeSpec> nodes_;
    std::vector<Amount> used_;
};

std::vector<NodeSpec> random_forest(Prng& prng) {
    std::vector<NodeSpec> nodes;
    const auto limit = [&](bool allowed) -> std::optional<Amount> {
        if (!allowed || prng.chance(1, 2)) return {};
        return prng.between(0, 12);
    };
    const auto cohorts = static_cast<NodeId>(prng.between(1, 4));
    for (NodeId id = 0; id < cohorts; ++id) {
        NodeSpec spec;
        if (id > 0 && prng.chance(3, 4)) spec.parent = static_cast<NodeId>(prng.below(id));
        const bool below = spec.parent.has_value();
        if (prng.chance(1, 2)) spec.quotas = {{kCpu, 0, prng.between(0, 10), limit(below), limit(below)}};
        nodes.push_back(spec);
    }
    const auto queues = static_cast<NodeId>(prng.between(1, 5));
    for (NodeId id = 0; id < queues; ++id) {
        const bool below = prng.chance(9, 10);
        const auto parent = below ? std::optional(static_cast<NodeId>(prng.below(cohorts))) : std::nullopt;
        nodes.push_back(queue_in(parent, prng.between(0, 20), limit(below), limit(below)));
    }
    return nodes;
}

TEST(QuotaTree, AgreesWithAModelOnRandomForests) {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Prng prng(seed);
        const std::vector<NodeSpec> nodes = random_forest(prng);
        QuotaTree tree(nodes);
        QuotaModel model(nodes);
        std::vector<NodeId> queues;
        for (NodeId id = 0; id < nodes.size(); ++id)
            if (nodes[id].is_queue) queues.push_back(id);
        std::vector<std::pair<NodeId, Amount>> running;
        for (int step = 0; step < 30; ++step) {
            const NodeId queue = prng.pick(queues);
            const Amount left = tree.available(queue, kCpu, View::kNow);
            ASSERT_EQ(left, model.available(queue));
            ASSERT_LE(left, tree.potential(queue, kCpu));
            if (running.empty() || prng.chance(2, 3)) {
                const Amount more = prng.between(0, left);
                tree.add_usage(queue, kCpu, more, View::kNow);
                model.add(queue, more);
                running.emplace_back(queue, more);
            } else {
                const std::size_t which = prng.below(running.size());
                tree.add_usage(running[which].first, kCpu, -running[which].second, View::kNow);
                model.add(running[which].first, -running[which].second);
                running.erase(running.begin() + static_cast<std::ptrdiff_t>(which));
            }
            ASSERT_TRUE(model.feasible()) << "borrowed or lent beyond a limit";
            for (NodeId node = 0; node < nodes.size(); ++node) {
                ASSERT_EQ(tree.usage(node, kCpu, View::kNow), model.usage(node));
                ASSERT_EQ(tree.subtree_quota(node, kCpu), model.quota(node));
            }
        }
        for (const auto& [queue, amount] : running) tree.add_usage(queue, kCpu, -amount, View::kNow);
        for (NodeId node = 0; node < nodes.size(); ++node) ASSERT_EQ(tree.usage(node, kCpu, View::kNow), 0);
    }
}

TEST(QuotaTree, WhatIsAddedAndTakenAwayLeavesNoTraceEvenInDebt) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Prng prng(seed);
        const std::vector<NodeSpec> nodes = random_forest(prng);
        QuotaTree tree(nodes);
        std::vector<NodeId> queues;
        for (NodeId id = 0; id < nodes.size(); ++id)
            if (nodes[id].is_queue) queues.push_back(id);
        for (const NodeId queue : queues) tree.add_usage(queue, kCpu, prng.between(0, 40), View::kNow);
        for (NodeId node = 0; node < nodes.size(); ++node)
            if (!nodes[node].parent) tree.reset_future(node);
        const NodeId queue = prng.pick(queues);
        const Amount amount = prng.between(0, 60);
        tree.add_usage(queue, kCpu, amount, View::kFuture);
        tree.add_usage(queue, kCpu, -amount, View::kFuture);
        for (NodeId node = 0; node < nodes.size(); ++node)
            ASSERT_EQ(tree.usage(node, kCpu, View::kFuture), tree.usage(node, kCpu, View::kNow));
    }
}

}  // namespace tree_test
}  // namespace muster::controllers::queue
