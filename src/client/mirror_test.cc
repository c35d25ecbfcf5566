#include "client/mirror.h"

#include <gtest/gtest.h>

#include <deque>

#include "api/kinds/core/config.h"
#include "os/testing/virtual_loop.h"

namespace muster::client {
namespace mirror_test {

using api::core::ConfigMap;

std::shared_ptr<const ConfigMap> made(const char* name, const char* version, const char* uid = "u", Text color = {}) {
    ConfigMap map;
    map.metadata.namespace_ = "ns";
    map.metadata.name = name;
    map.metadata.uid = uid;
    map.metadata.resource_version = version;
    if (!color.empty()) map.metadata.labels.set("color", color);
    return std::make_shared<const ConfigMap>(std::move(map));
}

// Lists and watches as the test says; a watch ends with the error that the test gives.
class ScriptedClient final : public Client {
public:
    explicit ScriptedClient(os::VirtualLoop& loop) : happened_(loop) {}

    std::deque<Result<AnyListing>> listings;
    SharedMirrors* shared = nullptr;
    SharedMirrors* shared_mirrors() override { return shared; }
    void happen(EventType type, AnyObject object) {
        events_.push_back({type, std::move(object)});
        happened_.notify();
    }
    void cut(Code code) {
        end_ = Error{code, "cut"};
        happened_.notify();
    }
    // As a server does every few minutes.
    void end_watch() {
        end_ = std::vector<AnyEvent>();
        happened_.notify();
    }
    std::vector<std::string> watched_from;

    os::Task<Result<AnyListing>> list_any(const api::KindInfo&, std::string, View) override {
        Result<AnyListing> listing = Error{Code::kUnavailable, "no more listings"};
        if (!listings.empty()) {
            listing = std::move(listings.front());
            listings.pop_front();
        }
        co_return listing;
    }
    os::Task<Result<std::unique_ptr<AnyWatch>>> watch_any(const api::KindInfo&, std::string, std::string from,
                                                          View) override {
        watched_from.push_back(from);
        co_return std::unique_ptr<AnyWatch>(std::make_unique<Scripted>(*this));
    }
    os::Task<Result<AnyObject>> get_any(const api::KindInfo&, ObjectName, View) override { co_return refused(); }
    os::Task<Result<AnyObject>> patch_any(const api::KindInfo&, ObjectName, MetadataPatch, View) override {
        co_return refused();
    }
    os::Task<Result<void>> remove_any(const api::KindInfo&, ObjectName, Removal) override { co_return refused(); }
    os::Task<Result<void>> bind(ObjectName, Text, Text) override { co_return refused(); }
    os::Task<Result<AnyObject>> create_any(const api::KindInfo&, AnyObject) override { co_return refused(); }
    os::Task<Result<AnyObject>> change_any(const api::KindInfo&, AnyObject, AnyObject, Part) override {
        co_return refused();
    }

private:
    static Error refused() { return {Code::kMethodNotAllowed, "not in this test"}; }
    struct Scripted final : AnyWatch {
        explicit Scripted(ScriptedClient& of) : client(of) {}
        os::Task<Result<std::vector<AnyEvent>>> next() override {
            while (client.events_.empty() && !client.end_) co_await client.happened_.wait();
            if (client.events_.empty()) co_return *std::exchange(client.end_, std::nullopt);
            co_return std::exchange(client.events_, {});
        }
        ScriptedClient& client;
    };
    std::vector<AnyEvent> events_;
    std::optional<Result<std::vector<AnyEvent>>> end_;
    os::Event happened_;
};

struct MirrorTest : testing::Test {
    MirrorTest() {
        by_color = mirror.add_index([](const ConfigMap& map) {
            const Text* color = map.metadata.labels.find("color");
            return color ? *color : Text();
        });
        mirror.on_change([this](const Ref<ConfigMap>& before, const Ref<ConfigMap>& now) {
            const auto word = [](const Ref<ConfigMap>& map) {
                return map ? map->metadata.uid.str() + '@' + map->metadata.resource_version.str() : "-";
            };
            changes += (now ? now : before)->metadata.name.str() + ' ' + word(before) + ' ' + word(now) + '\n';
        });
    }
    static AnyListing listing(std::vector<AnyObject> items, std::string version) {
        return {std::move(items), std::move(version)};
    }
    void start(AnyListing first) {
        client.listings.emplace_back(std::move(first));
        mirror.start();
        loop.run_until_idle();
    }
    std::string told() { return std::exchange(changes, {}); }

    os::VirtualLoop loop;
    ScriptedClient client{loop};
    Mirror<ConfigMap> mirror{loop, client};
    Mirror<ConfigMap>::IndexId by_color = 0;
    std::string changes;
};

TEST_F(MirrorTest, ShowsWhatWasListedAndThenWhatHappens) {
    EXPECT_FALSE(mirror.synced());
    start(listing({made("a", "3"), made("b", "5")}, "7"));
    EXPECT_TRUE(mirror.synced());
    EXPECT_EQ(told(), "a - u@3\nb - u@5\n");
    EXPECT_TRUE(mirror.reached(7));
    EXPECT_FALSE(mirror.reached(8));

    client.happen(EventType::kAdded, made("c", "8"));
    client.happen(EventType::kModified, made("a", "9"));
    client.happen(EventType::kDeleted, made("b", "10"));
    loop.run_until_idle();
    EXPECT_EQ(told(), "c - u@8\na u@3 u@9\nb u@5 -\n");
    EXPECT_TRUE(mirror.reached(10));
    EXPECT_EQ(mirror.size(), 2u);
    EXPECT_EQ(mirror.get({"ns", "a"})->metadata.resource_version, "9");
    EXPECT_EQ(mirror.get({"ns", "b"}), nullptr);
}

TEST_F(MirrorTest, ABookmarkMovesItOnAndChangesNothing) {
    start(listing({}, "1"));
    client.happen(EventType::kBookmark, made("", "20"));
    loop.run_until_idle();
    EXPECT_TRUE(mirror.reached(20));
    EXPECT_EQ(told(), "");
}

TEST_F(MirrorTest, AfterAGapItTellsTheDifference) {
    start(listing({made("a", "1"), made("b", "2"), made("c", "3"), made("d", "4")}, "4"));
    told();
    // Meanwhile a was changed, b removed, c removed and created again; d is as it was.
    client.listings.emplace_back(listing({made("a", "6"), made("c", "8", "v"), made("d", "4")}, "9"));
    client.cut(Code::kExpired);
    loop.run_until_idle();
    EXPECT_EQ(told(), "b u@2 -\na u@1 u@6\nc u@3 -\nc - v@8\n");
    EXPECT_TRUE(mirror.reached(9));
}

TEST_F(MirrorTest, AServerThatCannotBeReachedIsAskedAgainLaterAndLater) {
    start(listing({made("a", "1")}, "1"));
    told();
    client.listings.emplace_back(Error{Code::kUnavailable, "down"});
    client.listings.emplace_back(Error{Code::kUnavailable, "down"});
    client.listings.emplace_back(listing({}, "5"));
    client.cut(Code::kExpired);
    loop.run_for(250ms);
    EXPECT_EQ(told(), "") << "the copy stays while the server does not answer";
    loop.run_for(10s);
    EXPECT_EQ(told(), "a u@1 -\n");
}

TEST_F(MirrorTest, AWatchThatEndsIsResumedWhereItEndedAndNothingIsListed) {
    start(listing({made("a", "3")}, "7"));
    client.happen(EventType::kModified, made("a", "9"));
    loop.run_until_idle();
    client.end_watch();
    loop.run_until_idle();
    client.happen(EventType::kBookmark, made("", "20"));
    loop.run_until_idle();
    client.cut(Code::kUnavailable);
    loop.run_for(2s);
    client.happen(EventType::kDeleted, made("a", "21"));
    loop.run_until_idle();
    EXPECT_EQ(client.watched_from, (std::vector<std::string>{"7", "9", "20"}));
    EXPECT_EQ(told(), "a - u@3\na u@3 u@9\na u@9 -\n");
}

TEST_F(MirrorTest, VersionsThatGoBackStartANewEpochInWhichOldVersionsAreNotAwaited) {
    start(listing({made("a", "3"), made("b", "5")}, "70"));
    told();
    const AwaitedVersion before{80, mirror.epoch()};
    EXPECT_FALSE(mirror.reached(before));
    // The server was restored: what it tells now is older than what was listed.
    client.listings.emplace_back(listing({made("a", "3"), made("c", "11")}, "12"));
    client.happen(EventType::kAdded, made("c", "11"));
    loop.run_until_idle();
    EXPECT_EQ(mirror.epoch(), 1u);
    EXPECT_TRUE(mirror.reached(before));
    EXPECT_FALSE(mirror.reached(13));
    EXPECT_EQ(told(), "b u@5 -\na u@3 u@3\nc - u@11\n") << "a may be another under its old version";
    EXPECT_EQ(client.watched_from.back(), "12");
}

TEST(MirrorSource, ANewEpochIsLogged) {
    os::VirtualLoop loop;
    ScriptedClient client(loop);
    std::string said;
    SharedMirrors shared(loop, client, [&](std::string_view sentence) { said += sentence; });
    client.shared = &shared;
    client.listings.emplace_back(AnyListing{{}, "70"});
    client.listings.emplace_back(AnyListing{{}, "12"});
    Mirror<ConfigMap> mirror(loop, client);
    mirror.start();
    loop.run_until_idle();
    EXPECT_EQ(said, "");
    client.cut(Code::kExpired);
    loop.run_for(5s);
    EXPECT_EQ(said.substr(0, 61), "the resource version of configmaps went back from 70 to 12: t");
}

TEST(SharedMirrors, TellThatVersionsWentBackBeforeAnyViewerSeesIt) {
    os::VirtualLoop loop;
    ScriptedClient client(loop);
    SharedMirrors shared(loop, client);
    std::string order;
    shared.on_restored([&] { order += "restored "; });
    client.shared = &shared;
    client.listings.emplace_back(AnyListing{{made("a", "3")}, "70"});
    client.listings.emplace_back(AnyListing{{made("a", "2")}, "12"});
    Mirror<ConfigMap> mirror(loop, client);
    mirror.on_change([&](const auto&, const auto& now) { order += now->metadata.resource_version.str() + ' '; });
    mirror.start();
    loop.run_until_idle();
    client.cut(Code::kExpired);
    loop.run_for(5s);
    EXPECT_EQ(order, "3 restored 2 ");
}

TEST(SharedMirrors, ASelectionIsReadByItsOwnClientAndSharedByThoseThatWantIt) {
    os::VirtualLoop loop;
    ScriptedClient all(loop);
    ScriptedClient red(loop);
    std::string selected;
    SharedMirrors shared(loop, all, {}, [&](const api::KindInfo&, std::string_view labels) {
        selected += labels;
        return &red;
    });
    all.shared = &shared;
    all.listings.emplace_back(AnyListing{{made("a", "3"), made("b", "4")}, "5"});
    red.listings.emplace_back(AnyListing{{made("b", "4")}, "5"});
    Mirror<ConfigMap> whole(loop, all);
    Mirror<ConfigMap> one(loop, all, "color=red");
    Mirror<ConfigMap> other(loop, all, "color=red");
    whole.start();
    one.start();
    other.start();
    loop.run_until_idle();
    EXPECT_EQ(whole.size(), 2u);
    EXPECT_EQ(one.size(), 1u);
    EXPECT_EQ(other.size(), 1u);
    EXPECT_EQ(selected, "color=redcolor=red");
    std::string sources;
    shared.for_each([&](const MirrorSource& source, const std::string& labels) {
        sources += std::string(source.kind().kind) + '[' + labels + "] ";
    });
    EXPECT_EQ(sources, "ConfigMap[] ConfigMap[color=red] ");
}

TEST_F(MirrorTest, IndexesFollowChanges) {
    start(listing({made("a", "1", "u", "red"), made("b", "2", "u", "red"), made("c", "3")}, "3"));
    const auto named = [&](const char* color) {
        std::string names;
        for (const auto& map : mirror.indexed(by_color, color)) names += map->metadata.name.str();
        return names;
    };
    EXPECT_EQ(named("red"), "ab");
    client.happen(EventType::kModified, made("a", "4", "u", "blue"));
    client.happen(EventType::kDeleted, made("b", "5", "u", "red"));
    client.happen(EventType::kModified, made("c", "6", "u", "blue"));
    loop.run_until_idle();
    EXPECT_EQ(named("red"), "");
    EXPECT_EQ(named("blue"), "ac");
}

TEST_F(MirrorTest, AWriterCanWaitUntilTheMirrorShowsItsWrite) {
    start(listing({}, "1"));
    bool shown = false;
    os::TaskScope tasks(loop);
    tasks.spawn([](Mirror<ConfigMap>& of, bool& done) -> os::Task<void> {
        co_await of.wait_reached(3);
        done = true;
    }(mirror, shown));
    client.happen(EventType::kAdded, made("a", "2"));
    loop.run_until_idle();
    EXPECT_FALSE(shown);
    client.happen(EventType::kAdded, made("b", "3"));
    loop.run_until_idle();
    EXPECT_TRUE(shown);
}

struct SharedMirrorsTest : testing::Test {
    // Each object told to a mirror, by name.
    static void note_into(Mirror<ConfigMap>& mirror, std::string& told) {
        mirror.on_change([&told](const Ref<ConfigMap>& before, const Ref<ConfigMap>& now) {
            told += (before && !now ? '-' : before ? '~' : '+') + (now ? now : before)->metadata.name.str() + ' ';
        });
    }
    SharedMirrorsTest() {
        client.shared = &shared;
        // One listing only: who asks for a second gets an error, and shows nothing.
        client.listings.emplace_back(AnyListing{{made("a", "3"), made("b", "4")}, "5"});
    }
    os::VirtualLoop loop;
    ScriptedClient client{loop};
    SharedMirrors shared{loop, client};
};

TEST_F(SharedMirrorsTest, AllMirrorsOfAKindShareOneListAndOneWatch) {
    std::string first_told, second_told;
    Mirror<ConfigMap> first(loop, client), second(loop, client);
    note_into(first, first_told);
    note_into(second, second_told);
    first.start();
    second.start();
    loop.run_until_idle();
    client.happen(EventType::kModified, made("a", "6"));
    client.happen(EventType::kDeleted, made("b", "7"));
    loop.run_until_idle();
    EXPECT_EQ(first_told, "+a +b ~a -b ");
    EXPECT_EQ(second_told, first_told);
    EXPECT_TRUE(second.reached(7));
}

TEST_F(SharedMirrorsTest, WhoComesLateIsShownWhatIsThere) {
    Mirror<ConfigMap> first(loop, client);
    first.start();
    loop.run_until_idle();
    std::string told;
    Mirror<ConfigMap> late(loop, client);
    const auto by_name = late.add_index([](const ConfigMap& map) { return map.metadata.name; });
    note_into(late, told);
    EXPECT_FALSE(late.synced());
    late.start();
    EXPECT_TRUE(late.synced());
    EXPECT_EQ(told, "+a +b ");
    EXPECT_EQ(late.indexed(by_name, "b").size(), 1u);
}

TEST_F(SharedMirrorsTest, WhoGoesIsToldNoMoreAndTheOthersAre) {
    std::string first_told, second_told;
    Mirror<ConfigMap> first(loop, client);
    note_into(first, first_told);
    first.start();
    {
        Mirror<ConfigMap> second(loop, client);
        note_into(second, second_told);
        second.start();
        loop.run_until_idle();
    }
    client.happen(EventType::kAdded, made("c", "6"));
    loop.run_until_idle();
    EXPECT_EQ(first_told, "+a +b +c ");
    EXPECT_EQ(second_told, "+a +b ");
}

TEST(Mirror, CountsUnderTheNamesOfClientGo) {
    os::VirtualLoop loop;
    ScriptedClient client(loop);
    Metrics metrics;
    SharedMirrors shared(loop, client);
    shared.count_in(metrics);
    client.shared = &shared;
    client.listings.push_back(AnyListing{{made("a", "3"), made("b", "4")}, "5"});
    Mirror<ConfigMap> mirror(loop, client);
    mirror.start();
    loop.run_until_idle();
    client.happen(EventType::kAdded, made("c", "9"));
    loop.run_until_idle();
    loop.run_for(2s);
    client.end_watch();
    loop.run_until_idle();
    const std::string text = metrics.format();
    for (const char* line :
         {"reflector_lists_total{name=\"configmaps\"} 1", "reflector_items_per_list_sum{name=\"configmaps\"} 2",
          "reflector_list_duration_seconds_count{name=\"configmaps\"} 1",
          "reflector_watches_total{name=\"configmaps\"} 1", "reflector_short_watches_total{name=\"configmaps\"} 0",
          "reflector_watch_duration_seconds_sum{name=\"configmaps\"} 2",
          "reflector_items_per_watch_sum{name=\"configmaps\"} 1",
          "reflector_last_resource_version{name=\"configmaps\"} 9"})
        EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

}  // namespace mirror_test
}  // namespace muster::client
