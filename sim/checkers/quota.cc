// Quota is kept at every durable instant, over the whole tree of cohorts: whenever a Workload reserves more, its queue
// and all cohorts above it that have to give something are within their own quota, what their children lend them, and
// what they may borrow. Only what an edit made smaller afterwards may be exceeded, so a limit counts for a little
// longer than it stands; while queues and cohorts move nothing is judged. A queue that is on hold, is being deleted, or
// stands in a circle gives out nothing.
#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <set>

#include "api/kinds/kueue/cluster_queue.h"
#include "api/kinds/kueue/cohort.h"
#include "sim/checkers/list.h"
#include "sim/checkers/queue_facts.h"

namespace muster::sim {
namespace {

using api::kueue::ClusterQueue;
using api::kueue::Cohort;

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max() / 4;

// The widest that stood lately: what it has, what it may borrow; and what it lends, at most and at least.
struct QuotaLimits {
    std::int64_t nominal = 0;
    std::int64_t borrowing = 0;
    std::int64_t lends_most = 0;
    std::int64_t lends_least = kNoLimit;
};

struct NodeBook {
    server::KindObjectPtr now;
    std::deque<std::pair<Duration, server::KindObjectPtr>> past;  // until when
    Duration since{};
    bool is_queue = false;

    Text parent() const {
        if (!now) return {};
        if (is_queue) return server::as<ClusterQueue>(*now).spec.cohort_name;
        return server::as<Cohort>(*now).spec.parent_name;
    }
};

class Quota final : public Checker {
public:
    std::string_view name() const override { return "quota"; }

    void on_change(World& world, const Change& change) override {
        if (change.is<ClusterQueue>()) follow<ClusterQueue>(world, change, queues_, true);
        if (change.is<Cohort>()) follow<Cohort>(world, change, cohorts_, false);
        if (!change.is<QueuedWork>()) return;
        const QueuedWork* now = change.now_as<QueuedWork>();
        const QueuedWork* before = change.before_as<QueuedWork>();
        const auto had = before ? usage_of(*before) : std::map<QuotaKey, std::int64_t>();
        const auto has = now ? usage_of(*now) : std::map<QuotaKey, std::int64_t>();
        if (!decides_in_one_life(world)) return;
        for (const auto& [key, amount] : has) {
            const auto old = had.find(key);
            if (old == had.end() || old->second < amount) check(world, *now, key);
        }
        if (now && holds_quota(*now) && !(before && holds_quota(*before))) check_stop(world, *now);
    }

private:
    using Books = std::map<Text, NodeBook>;
    // One slot of quota, and who uses how much of it.
    struct Slot {
        Text flavor;
        Text resource;
        std::map<Text, std::int64_t> used;  // by queue
    };
    struct Node {
        Text name;
        bool is_queue;
    };

    template <class K>
    void follow(World& world, const Change& change, Books& books, bool is_queue) {
        const K* before = change.before_as<K>();
        const K* object = change.now ? change.now_as<K>() : before;
        NodeBook& book = books[object->metadata.name];
        book.is_queue = is_queue;
        const bool same = before && change.now && before->metadata.generation == object->metadata.generation &&
                          before->metadata.deletion_timestamp == object->metadata.deletion_timestamp;
        const Text parent = book.parent();
        if (!same && book.now) book.past.emplace_back(world.loop.uptime(), book.now);
        if (!same) book.since = world.loop.uptime();
        book.now = change.now;
        while (!book.past.empty() && book.past.front().first + decision_age_max(world) < world.loop.uptime())
            book.past.pop_front();
        if (!before || !change.now || !(book.parent() == parent)) moved_at_ = world.loop.uptime();
    }

    static void widen(QuotaLimits& widest, const List<api::kueue::ResourceGroup>& groups, const Slot& slot) {
        QuotaLimits one{0, kNoLimit, kNoLimit, kNoLimit};
        for (const auto& group : groups)
            for (const auto& flavor : group.flavors)
                for (const auto& resource : flavor.resources) {
                    if (!(flavor.name == slot.flavor) || !(resource.name == slot.resource)) continue;
                    one.nominal = resource.nominal_quota.milli_value();
                    if (resource.borrowing_limit) one.borrowing = resource.borrowing_limit->milli_value();
                    if (resource.lending_limit)
                        one.lends_most = one.lends_least = resource.lending_limit->milli_value();
                }
        widest.nominal = std::max(widest.nominal, one.nominal);
        widest.borrowing = std::max(widest.borrowing, one.borrowing);
        widest.lends_most = std::max(widest.lends_most, one.lends_most);
        widest.lends_least = std::min(widest.lends_least, one.lends_least);
    }
    QuotaLimits limits_of(const World& world, const Node& node, const Slot& slot) const {
        QuotaLimits widest;
        const Books& books = node.is_queue ? queues_ : cohorts_;
        const auto book = books.find(node.name);
        // A cohort that is only named has nothing, and sets no limit.
        if (book == books.end() || !book->second.now) widen(widest, {}, slot);
        if (book == books.end()) return widest;
        const auto add = [&](const server::KindObjectPtr& object) {
            if (node.is_queue)
                widen(widest, server::as<ClusterQueue>(*object).spec.resource_groups, slot);
            else
                widen(widest, server::as<Cohort>(*object).spec.resource_groups, slot);
        };
        if (book->second.now) add(book->second.now);
        for (const auto& [until, object] : book->second.past)
            if (until + decision_age_max(world) > world.loop.uptime()) add(object);
        return widest;
    }

    Text parent_of(const Node& node) const {
        const Books& books = node.is_queue ? queues_ : cohorts_;
        const auto book = books.find(node.name);
        return book == books.end() ? Text() : book->second.parent();
    }
    std::vector<Node> children_of(const Text& cohort) const {
        std::vector<Node> out;
        for (const auto& [name, book] : queues_)
            if (book.now && book.parent() == cohort) out.push_back({name, true});
        for (const auto& [name, book] : cohorts_)
            if (book.now && book.parent() == cohort) out.push_back({name, false});
        return out;
    }
    bool in_circle(Node node) const {
        for (std::size_t depth = 0; depth <= cohorts_.size() + 1; ++depth) {
            const Text above = parent_of(node);
            if (above.empty()) return false;
            node = {above, false};
        }
        return true;
    }

    // What the subtree has at most, with what it may lend itself.
    std::int64_t has_most(const World& world, const Node& node, const Slot& slot) const {
        std::int64_t sum = limits_of(world, node, slot).nominal;
        if (!node.is_queue)
            for (const Node& child : children_of(node.name))
                sum += std::min(has_most(world, child, slot), limits_of(world, child, slot).lends_most);
        return sum;
    }
    std::int64_t keeps_most(const World& world, const Node& node, const Slot& slot) const {
        return std::max<std::int64_t>(0, has_most(world, node, slot) - limits_of(world, node, slot).lends_least);
    }
    std::int64_t uses(const World& world, const Node& node, const Slot& slot) const {
        if (node.is_queue) {
            const auto used = slot.used.find(node.name);
            return used == slot.used.end() ? 0 : used->second;
        }
        std::int64_t sum = 0;
        for (const Node& child : children_of(node.name))
            sum += std::max<std::int64_t>(0, uses(world, child, slot) - keeps_most(world, child, slot));
        return sum;
    }

    void check(World& world, const QueuedWork& work, const QuotaKey& key) {
        if (moved_at_ + decision_age_max(world) > world.loop.uptime()) return;
        Slot slot{std::get<1>(key), std::get<2>(key), {}};
        for (const QueuedWork* one : world.history.all<QueuedWork>())
            for (const auto& [of, amount] : usage_of(*one))
                if (std::get<1>(of) == slot.flavor && std::get<2>(of) == slot.resource)
                    slot.used[std::get<0>(of)] += amount;
        Node node{std::get<0>(key), true};
        if (in_circle(node))
            return world.fail(name(), work.metadata.name, "is given quota in cohorts that stand in a circle");
        for (;;) {
            const Text above = parent_of(node);
            const std::int64_t used = uses(world, node, slot);
            const std::int64_t own = has_most(world, node, slot);
            const std::int64_t borrows = above.empty() ? 0 : limits_of(world, node, slot).borrowing;
            if (used > own + borrows)
                return world.fail(name(), work.metadata.name,
                                  "with it " + node.name.str() + " uses " + std::to_string(used) + "m " +
                                      slot.resource.str() + " of " + slot.flavor.str() + ", and has " +
                                      std::to_string(own) + "m and may borrow " + std::to_string(borrows) + "m; " +
                                      holders(world));
            if (above.empty() || used <= keeps_most(world, node, slot)) return;
            node = {above, false};
        }
    }

    static std::string holders(const World& world) {
        std::string out;
        for (const QueuedWork* work : world.history.all<QueuedWork>())
            for (const auto& [key, amount] : usage_of(*work))
                out += " " + work->metadata.name.str() + ":" + std::get<0>(key).str() + "/" + std::get<1>(key).str() +
                       "=" + std::to_string(amount) + "m";
        return "in use:" + out;
    }

    void check_stop(World& world, const QueuedWork& work) {
        const Text& queue_name = work.status.admission->cluster_queue;
        const NodeBook& book = queues_[queue_name];
        if (!book.now || book.since + decision_age_max(world) > world.loop.uptime()) return;
        const auto& queue = server::as<ClusterQueue>(*book.now);
        if (queue.spec.stop_policy && !(*queue.spec.stop_policy == "None"))
            world.fail(name(), work.metadata.name, "is given quota of " + queue_name.str() + ", which is on hold");
        if (queue.metadata.deletion_timestamp)
            world.fail(name(), work.metadata.name,
                       "is given quota of " + queue_name.str() + ", which is being deleted");
    }

    Books queues_;
    Books cohorts_;
    Duration moved_at_{};
};

}  // namespace

std::unique_ptr<Checker> make_quota() { return std::make_unique<Quota>(); }

}  // namespace muster::sim
