// Whatever is done to a store, it does what a plain map and a list of all that happened would do. The model below is
// those two and shares nothing with the store; chance chooses a million operations, crashes among them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/prng.h"
#include "store/testing/fixture.h"

namespace muster::store {
namespace store_property_test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kOperations = 40'000;
#else
constexpr int kOperations = 1'000'000;
#endif

constexpr std::size_t kHistory = 500;
constexpr int kBuckets = 3;
constexpr int kKeys = 240;
constexpr int kTexts = 8;

const char* const kPrefixes[] = {"//pods/",   "//pods/a/",   "//pods/b/",   "/batch/jobs/",  "/batch/jobs/a/",
                                 "/x/nodes/", "/x/nodes/a/", "/x/nodes/b/", "/batch/jobs/b/"};

std::string key_name(int key) {
    static const char* const buckets[kBuckets] = {"//pods/", "/batch/jobs/", "/x/nodes/"};
    return std::string(buckets[key % kBuckets]) + (key / kBuckets % 2 == 0 ? "a/" : "b/") + std::to_string(key);
}
std::string bucket_prefix(std::string_view prefix) {
    return std::string(prefix.ends_with("a/") || prefix.ends_with("b/") ? prefix.substr(0, prefix.size() - 2) : prefix);
}

struct Version {
    Revision revision;
    int text;
    bool operator==(const Version&) const = default;
};

struct Happened {
    int key;
    std::optional<Version> before;
    std::optional<int> after;
};

// What should be.
struct Model {
    std::map<std::string, int> keys;  // by name, so in key order
    std::map<int, Version> live;
    std::vector<Happened> log;  // log[i] has revision i + 1

    Model() {
        for (int key = 0; key < kKeys; ++key) keys[key_name(key)] = key;
    }
    void happen(int key, std::optional<int> after) {
        const auto before = live.find(key);
        log.push_back({key, before == live.end() ? std::nullopt : std::optional(before->second), after});
        if (after) {
            live[key] = {log.size(), *after};
        } else {
            live.erase(key);
        }
    }
    std::map<int, Version> state_at(Revision revision) const {
        std::map<int, Version> state = live;
        for (std::size_t i = log.size(); i > revision; --i) {
            if (log[i - 1].before) {
                state[log[i - 1].key] = *log[i - 1].before;
            } else {
                state.erase(log[i - 1].key);
            }
        }
        return state;
    }
    void go_back_to(Revision revision) {
        live = state_at(revision);
        log.resize(revision);
    }
    std::size_t events_after(Revision revision, std::string_view bucket) const {
        std::size_t count = 0;
        for (std::size_t i = revision; i < log.size(); ++i) count += key_name(log[i].key).starts_with(bucket);
        return count;
    }
};

struct Watcher {
    std::unique_ptr<Watch> watch;
    std::string prefix;
    Visibility visibility;
    Revision seen;
};

class Play {
public:
    explicit Play(std::uint64_t seed)
        : chance_(seed), world_({.history_events_max = kHistory, .group_changes_max = 20}, seed, 3ms) {}

    void run(int operations) {
        for (int i = 0; i < operations && !testing::Test::HasFailure(); ++i) {
            step();
            ASSERT_EQ(store().revision(), model_.log.size());
        }
        check_everything();
    }
    Revision revision() const { return model_.log.size(); }
    int crashes() const { return crashes_; }
    int expired() const { return expired_; }
    std::size_t events() const { return events_; }

private:
    Store& store() { return *world_.store; }
    int pick(int bound) { return static_cast<int>(chance_.below(static_cast<std::uint64_t>(bound))); }

    void step() {
        const int dice = pick(1000);
        if (dice < 300) return create();
        if (dice < 650) return update();
        if (dice < 800) return remove();
        if (dice < 880) return pull();
        if (dice < 890) return open_watch();
        if (dice < 895) return list();
        if (dice < 998) return world_.loop.run_for(Duration(pick(500'000)));
        if (pick(20) == 0) crash();
    }

    // Notes with the same text are the same, whether they share their part or have one of their own. Two texts go with
    // each part, so that some changes are of the text alone.
    Draft some_note(int text) {
        if (text < 2) return note(std::to_string(text));
        CommonText& common = commons_[text / 2];
        if (!common.get() || pick(10) == 0) common = common_text("common " + std::to_string(text / 2));
        return note(std::to_string(text), "uid", common);
    }

    void create() {
        const int key = pick(kKeys);
        const int text = pick(kTexts);
        const auto made = store().create(key_name(key), some_note(text));
        ASSERT_EQ(made.ok(), !model_.live.contains(key));
        if (!made.ok()) return;
        model_.happen(key, text);
        acknowledge_later();
    }

    Preconditions some_preconditions(int key, bool& met) {
        Preconditions preconditions;
        const auto live = model_.live.find(key);
        const Revision is = live == model_.live.end() ? 0 : live->second.revision;
        if (pick(4) == 0) preconditions.revision = pick(2) == 0 ? is : is + 1;
        if (pick(8) == 0) preconditions.uid = pick(2) == 0 ? "uid" : "other";
        met = (!preconditions.revision || *preconditions.revision == is) &&
              (!preconditions.uid || *preconditions.uid == "uid");
        return preconditions;
    }

    void update() {
        const int key = pick(kKeys);
        const int text = pick(kTexts);
        bool met = false;
        const Preconditions preconditions = some_preconditions(key, met);
        const auto written = store().update(key_name(key), some_note(text), preconditions);
        const auto live = model_.live.find(key);
        ASSERT_EQ(written.ok(), met && live != model_.live.end());
        if (!written.ok()) return;
        ASSERT_EQ(written->changed, live->second.text != text);
        if (written->changed) model_.happen(key, text);
        ASSERT_EQ(written->revision, model_.live.at(key).revision);
        acknowledge_later();
    }

    void remove() {
        const int key = pick(kKeys);
        bool met = false;
        const Preconditions preconditions = some_preconditions(key, met);
        const auto removed = store().remove(key_name(key), preconditions);
        ASSERT_EQ(removed.ok(), met && model_.live.contains(key));
        if (!removed.ok()) return;
        model_.happen(key, std::nullopt);
        ASSERT_EQ(removed->revision, model_.log.size());
        acknowledge_later();
    }

    void acknowledge_later() {
        if (pick(10) != 0) return;
        const Revision revision = model_.log.size();
        store().when_durable(revision, [this, revision] { acknowledged_ = std::max(acknowledged_, revision); });
    }

    void open_watch() {
        const std::string prefix = kPrefixes[pick(std::size(kPrefixes))];
        const Revision newest = model_.log.size();
        const Revision from = newest - std::min<Revision>(newest, static_cast<Revision>(pick(2500)));
        const auto visibility = pick(2) == 0 ? Visibility::kAtOnce : Visibility::kDurable;
        auto watch = store().watch(prefix, from, visibility);
        if (!watch.ok()) {
            ASSERT_EQ(watch.error().code, Code::kExpired);
            check_may_expire(from, prefix);
            return;
        }
        if (watchers_.size() > 30) watchers_.erase(watchers_.begin() + pick(30));
        watchers_.push_back({std::move(*watch), prefix, visibility, from});
    }

    void check_may_expire(Revision from, const std::string& prefix) {
        ++expired_;
        const std::size_t missed = from < opened_at_ ? kHistory + 1 : model_.events_after(from, bucket_prefix(prefix));
        ASSERT_GT(missed, kHistory) << "expired at " << from << " though the history reaches back that far";
    }

    // The next revision after `from` that concerns the prefix, if it may be seen.
    Revision next_for(const Watcher& watcher, Revision limit) const {
        Revision next = watcher.seen + 1;
        while (next <= limit && !key_name(model_.log[next - 1].key).starts_with(watcher.prefix)) ++next;
        return next <= limit ? next : 0;
    }

    void pull() {
        if (watchers_.empty()) return;
        const std::size_t at = static_cast<std::size_t>(pick(static_cast<int>(watchers_.size())));
        Watcher& watcher = watchers_[at];
        for (int left = 1 + pick(200); left > 0; --left) {
            const Revision limit =
                watcher.visibility == Visibility::kDurable ? store().durable_revision() : model_.log.size();
            const auto next = watcher.watch->next();
            if (!next.ok()) {
                ASSERT_EQ(next.error().code, Code::kExpired);
                check_may_expire(watcher.seen, watcher.prefix);
                watchers_.erase(watchers_.begin() + static_cast<std::ptrdiff_t>(at));
                return;
            }
            const Revision expected = next_for(watcher, limit);
            if (!*next) {
                ASSERT_EQ(expected, 0u) << "an event is missing";
                ASSERT_EQ(watcher.watch->seen(), std::max(limit, watcher.seen));
                watcher.seen = watcher.watch->seen();
                return;
            }
            check_event(**next, expected);
            watcher.seen = expected;
            ASSERT_EQ(watcher.watch->seen(), expected);
            if (watcher.visibility == Visibility::kDurable) shown_outside_ = std::max(shown_outside_, expected);
        }
    }

    void check_event(const Event& event, Revision expected) {
        ++events_;
        ASSERT_EQ(event.revision, expected);
        const Happened& happened = model_.log[expected - 1];
        ASSERT_EQ(event.key.view(), key_name(happened.key));
        ASSERT_EQ(event.object != nullptr, happened.after.has_value());
        ASSERT_EQ(event.previous != nullptr, happened.before.has_value());
        ASSERT_EQ(event.type, !happened.before ? EventType::kCreated
                              : happened.after ? EventType::kUpdated
                                               : EventType::kDeleted);
        if (event.object) {
            ASSERT_EQ(as_note(event.object).text, std::to_string(*happened.after));
            ASSERT_EQ(as_note(event.object).stamped, expected);
        }
        if (event.previous) {
            ASSERT_EQ(as_note(event.previous).text, std::to_string(happened.before->text));
            ASSERT_EQ(as_note(event.previous).stamped, happened.before->revision);
        }
    }

    void list() {
        const std::string prefix = kPrefixes[pick(std::size(kPrefixes))];
        const Revision newest = model_.log.size();
        const Revision at =
            pick(3) == 0 ? newest : newest - std::min<Revision>(newest, static_cast<Revision>(pick(1500)));
        const std::string start = pick(2) == 0 ? "" : key_name(pick(kKeys));
        const std::size_t limit = static_cast<std::size_t>(pick(2) == 0 ? 0 : 1 + pick(30));
        const auto listing = store().list(prefix, {.at = at, .start = start, .limit = limit});
        if (!listing.ok()) {
            ASSERT_EQ(listing.error().code, Code::kExpired);
            check_may_expire(at, prefix);
            return;
        }
        ASSERT_EQ(listing->revision, at);
        check_listing(*listing, prefix, start, limit, model_.state_at(at));
    }

    void check_listing(const Listing& listing, const std::string& prefix, const std::string& start, std::size_t limit,
                       const std::map<int, Version>& state) {
        std::size_t at = 0;
        std::size_t remaining = 0;
        for (const auto& [name, key] : model_.keys) {
            const auto live = state.find(key);
            if (live == state.end() || !name.starts_with(prefix) || name < start) continue;
            if (limit != 0 && at == limit) {
                ++remaining;
                continue;
            }
            ASSERT_LT(at, listing.items.size());
            const Stored& stored = listing.items[at++];
            ASSERT_EQ(stored.key.view(), name);
            ASSERT_EQ(stored.revision, live->second.revision);
            const Note& it = as_note(stored.object);
            ASSERT_EQ(it.text, std::to_string(live->second.text));
            ASSERT_EQ(it.stamped, live->second.revision);
            ASSERT_EQ(it.common.get() ? *it.common.get() : "common 0",
                      "common " + std::to_string(live->second.text / 2));
        }
        ASSERT_EQ(at, listing.items.size());
        ASSERT_EQ(remaining, listing.remaining);
    }

    void crash() {
        ++crashes_;
        watchers_.clear();
        for (CommonText& common : commons_) common.reset();
        const Revision durable = store().durable_revision();
        world_.crash(pick(2) == 0);
        const Revision recovered = store().revision();
        ASSERT_GE(recovered, durable);
        ASSERT_LE(recovered, model_.log.size());
        ASSERT_GE(recovered, acknowledged_);
        ASSERT_GE(recovered, shown_outside_);
        model_.go_back_to(recovered);
        opened_at_ = recovered;
        check_everything();
    }

    void check_everything() {
        for (const char* const prefix : {"//pods/", "/batch/jobs/", "/x/nodes/"})
            check_listing(store().list(prefix).value(), prefix, "", 0, model_.live);
        for (int key = 0; key < kKeys; ++key)
            ASSERT_EQ(store().get(key_name(key)).has_value(), model_.live.contains(key));
    }

    Prng chance_;
    StoreFixture world_;
    Model model_;
    std::vector<Watcher> watchers_;
    CommonText commons_[kTexts / 2];
    Revision acknowledged_ = 0;
    Revision shown_outside_ = 0;
    Revision opened_at_ = 0;
    int crashes_ = 0;
    int expired_ = 0;
    std::size_t events_ = 0;
};

TEST(StoreProperty, DoesWhatAMapAndAListOfAllThatHappenedWouldDo) {
    Revision revisions = 0;
    std::size_t events = 0;
    int crashes = 0;
    int expired = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Play play(seed);
        play.run(kOperations / 4);
        if (HasFatalFailure()) return;
        revisions += play.revision();
        events += play.events();
        crashes += play.crashes();
        expired += play.expired();
    }
    // A play in which nothing happens proves nothing.
    EXPECT_GT(revisions, static_cast<Revision>(kOperations) / 10);
    EXPECT_GT(events, static_cast<std::size_t>(kOperations) / 2);
    EXPECT_GT(crashes, kOperations / 40'000);
    EXPECT_GT(expired, kOperations / 4'000);
}

}  // namespace store_property_test
}  // namespace muster::store
