// Quota is kept at every durable instant: whenever a Workload reserves more, its queue is within its nominal quota and
// what it may borrow, and its cohort within what all in it lend. Only what an edit made smaller afterwards may be
// exceeded, so a limit counts for a little longer than it stands. A queue on hold gives out nothing.
#include <algorithm>
#include <deque>
#include <limits>
#include <map>

#include "api/kinds/kueue/cluster_queue.h"
#include "sim/checkers/list.h"
#include "sim/checkers/queue_facts.h"

namespace muster::sim {
namespace {

using api::kueue::ClusterQueue;

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max() / 4;

struct QuotaLimits {
    std::int64_t nominal = 0;
    std::int64_t borrowing = 0;
    std::int64_t lendable = 0;
    std::int64_t kept() const { return nominal - lendable; }
};

class Quota final : public Checker {
public:
    std::string_view name() const override { return "quota"; }

    void on_change(World& world, const Change& change) override {
        if (change.is<ClusterQueue>()) follow_queue(world, change);
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
    struct QueueBook {
        server::KindObjectPtr now;
        std::deque<std::pair<Duration, server::KindObjectPtr>> past;  // until when
        Duration since{};
        const ClusterQueue* queue() const { return now ? static_cast<const ClusterQueue*>(now->data()) : nullptr; }
    };

    void follow_queue(World& world, const Change& change) {
        const ClusterQueue* before = change.before_as<ClusterQueue>();
        const ClusterQueue* queue = change.now ? change.now_as<ClusterQueue>() : before;
        QueueBook& book = books_[queue->metadata.name];
        if (before && change.now && before->metadata.generation == queue->metadata.generation) {
            book.now = change.now;
            return;
        }
        if (book.now) book.past.emplace_back(world.loop.uptime(), book.now);
        book.now = change.now;
        book.since = world.loop.uptime();
    }

    static QuotaLimits limits_in(const ClusterQueue& queue, const QuotaKey& key) {
        QuotaLimits limits;
        for (const auto& group : queue.spec.resource_groups)
            for (const auto& flavor : group.flavors)
                for (const auto& resource : flavor.resources) {
                    if (!(flavor.name == std::get<1>(key)) || !(resource.name == std::get<2>(key))) continue;
                    limits.nominal = limits.lendable = resource.nominal_quota.milli_value();
                    const bool alone = queue.spec.cohort_name.empty();
                    limits.borrowing = alone                      ? 0
                                       : resource.borrowing_limit ? resource.borrowing_limit->milli_value()
                                                                  : kNoLimit;
                    if (resource.lending_limit)
                        limits.lendable = std::min(limits.nominal, resource.lending_limit->milli_value());
                }
        return limits;
    }

    // The widest of those that a decision that arrives now may have been made by.
    QuotaLimits limits_of(const World& world, const QueueBook& book, const QuotaKey& key) const {
        QuotaLimits widest;
        const auto add = [&](const server::KindObjectPtr& object) {
            const QuotaLimits one = limits_in(*static_cast<const ClusterQueue*>(object->data()), key);
            widest.nominal = std::max(widest.nominal, one.nominal);
            widest.borrowing = std::max(widest.borrowing, one.borrowing);
            widest.lendable = std::max(widest.lendable, one.lendable);
        };
        if (book.now) add(book.now);
        for (const auto& [until, object] : book.past)
            if (until + decision_age_max(world) > world.loop.uptime()) add(object);
        return widest;
    }

    void check(World& world, const QueuedWork& work, const QuotaKey& key) {
        const Text& name_of_queue = std::get<0>(key);
        const QueueBook& book = books_[name_of_queue];
        const QuotaLimits limits = limits_of(world, book, key);
        std::map<QuotaKey, std::int64_t> used;
        for (const QueuedWork* one : world.history.all<QueuedWork>())
            for (const auto& [of, amount] : usage_of(*one)) used[of] += amount;
        const std::string where = std::get<2>(key).str() + " of " + std::get<1>(key).str();
        if (used[key] > limits.nominal + limits.borrowing)
            return world.fail(name(), work.metadata.name,
                              "with it " + name_of_queue.str() + " uses " + std::to_string(used[key]) + "m " + where +
                                  ", and may use " + std::to_string(limits.nominal) + "m and borrow " +
                                  std::to_string(limits.borrowing) + "m; " + holders(world));
        const ClusterQueue* queue = book.queue();
        if (!queue || queue->spec.cohort_name.empty() || used[key] <= limits.kept()) return;
        std::int64_t taken = 0;
        std::int64_t lent = 0;
        for (const auto& [other_name, other] : books_) {
            const ClusterQueue* of = other.queue();
            if (!of || !(of->spec.cohort_name == queue->spec.cohort_name)) continue;
            const QuotaKey there{other_name, std::get<1>(key), std::get<2>(key)};
            const QuotaLimits theirs = limits_of(world, other, there);
            taken += std::max<std::int64_t>(0, used[there] - theirs.kept());
            lent += theirs.lendable;
        }
        if (taken > lent)
            world.fail(name(), work.metadata.name,
                       "with it cohort " + queue->spec.cohort_name.str() + " uses " + std::to_string(taken) + "m " +
                           where + " of " + std::to_string(lent) + "m; " + holders(world));
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
        const QueueBook& book = books_[queue_name];
        const ClusterQueue* queue = book.queue();
        const bool old = book.since + decision_age_max(world) < world.loop.uptime();
        if (queue && old && queue->spec.stop_policy && !(*queue->spec.stop_policy == "None"))
            world.fail(name(), work.metadata.name, "is given quota of " + queue_name.str() + ", which is on hold");
    }

    std::map<Text, QueueBook> books_;
};

}  // namespace

std::unique_ptr<Checker> make_quota() { return std::make_unique<Quota>(); }

}  // namespace muster::sim
