#include "client/leader_election.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kinds/core/config.h"
#include "client/led_client.h"
#include "client/remote/limiter.h"
#include "os/testing/virtual_loop.h"

namespace muster::client {
namespace leader_election_test {

using api::coordination::Lease;

// The server's one lease, under its rules for versions.
struct LeaseOnServer {
    std::optional<Lease> lease;
    std::vector<std::string> events;
    int version = 0;
    int maps = 0;

    Result<Lease> write(Lease draft, bool create) {
        if (create && lease) return Error{Code::kAlreadyExists, "it is there"};
        if (!create && !lease) return Error{Code::kNotFound, "it is not there"};
        if (!create && !(draft.metadata.resource_version == lease->metadata.resource_version))
            return Error{Code::kConflict, "another writer was first"};
        draft.metadata.uid = "u";
        draft.metadata.resource_version = std::to_string(++version);
        lease = std::move(draft);
        return *lease;
    }
};

// One instance's way to it, which can be slow, cut off, or lose answers.
class LeaseClient final : public Client {
public:
    LeaseClient(os::VirtualLoop& loop, LeaseOnServer& server) : loop_(loop), server_(server), never_(loop) {}

    bool cut_off = false;
    bool lose_answers = false;
    Duration delay{};  // of requests: they arrive, even if their caller does not wait any more

    os::Task<Result<AnyObject>> get_any(const api::KindInfo& kind, ObjectName, View) override {
        if (&kind != &api::kind_info<Lease>()) co_return Error{Code::kNotFound, "not in this test"};
        while (cut_off) co_await never_.wait();
        if (!server_.lease) co_return Error{Code::kNotFound, "it is not there"};
        co_return AnyObject(std::make_shared<const Lease>(*server_.lease));
    }
    os::Task<Result<AnyListing>> list_any(const api::KindInfo&, std::string, View) override { co_return refused(); }
    os::Task<Result<std::unique_ptr<AnyWatch>>> watch_any(const api::KindInfo&, std::string, std::string,
                                                          View) override {
        co_return refused();
    }
    os::Task<Result<AnyObject>> patch_any(const api::KindInfo&, ObjectName, MetadataPatch, View) override {
        co_return refused();
    }
    os::Task<Result<void>> remove_any(const api::KindInfo&, ObjectName, Removal) override { co_return refused(); }
    os::Task<Result<void>> bind(ObjectName, Text, Text) override { co_return refused(); }
    os::Task<Result<AnyObject>> create_any(const api::KindInfo& kind, AnyObject draft) override {
        if (&kind == &api::kind_info<api::core::Event>()) {
            server_.events.push_back(static_cast<const api::core::Event*>(draft.get())->message.str());
            co_return draft;
        }
        if (&kind == &api::kind_info<api::core::ConfigMap>()) {
            ++server_.maps;
            co_return draft;
        }
        co_return co_await write(*static_cast<const Lease*>(draft.get()), true);
    }
    os::Task<Result<AnyObject>> change_any(const api::KindInfo&, AnyObject, AnyObject draft, Part) override {
        co_return co_await write(*static_cast<const Lease*>(draft.get()), false);
    }

private:
    static Error refused() { return {Code::kMethodNotAllowed, "not in this test"}; }

    os::Task<Result<AnyObject>> write(Lease draft, bool create) {
        while (cut_off) co_await never_.wait();
        os::Completion<Result<Lease>> done(loop_);
        loop_.after(delay, [server = &server_, draft, create, done] { done.resolve(server->write(draft, create)); });
        const bool lost = lose_answers;
        Result<Lease> written = co_await done;
        while (lost) co_await never_.wait();
        if (!written.ok()) co_return written.error();
        co_return AnyObject(std::make_shared<const Lease>(*std::move(written)));
    }

    os::VirtualLoop& loop_;
    LeaseOnServer& server_;
    os::Event never_;
};

struct Instance {
    Instance(os::VirtualLoop& on, LeaseOnServer& server, const char* identity, std::uint64_t seed)
        : loop(on), client(on, server), election(on, client, metrics, options(identity, seed), callbacks()) {
        election.start();
    }
    static LeaderElectionOptions options(const char* identity, std::uint64_t seed) {
        LeaderElectionOptions options;
        options.lease = {"kube-system", "controllers"};
        options.identity = identity;
        options.component = "test";
        options.seed = seed;
        return options;
    }
    LeaderCallbacks callbacks() {
        LeaderCallbacks callbacks;
        callbacks.on_started = [this] {
            leading = true;
            started_at = loop.uptime();
        };
        callbacks.on_stopped = [this] {
            leading = false;
            stopped_at = loop.uptime();
        };
        callbacks.on_new_leader = [this](const Text& leader) { leaders.push_back(leader.str()); };
        return callbacks;
    }
    os::VirtualLoop& loop;
    bool leading = false;
    Duration started_at{};
    Duration stopped_at{};
    std::vector<std::string> leaders;
    Metrics metrics;
    LeaseClient client;
    LeaderElection election;
};

class LeaderElectionTest : public testing::Test {
protected:
    // Lets `a` lead before `b` comes.
    void let_a_lead() {
        a.emplace(loop, server, "a", 1);
        ASSERT_TRUE(loop.run_until([&] { return a->leading; }));
        b.emplace(loop, server, "b", 2);
        loop.run_for(1min);
        ASSERT_TRUE(a->leading);
        ASSERT_FALSE(b->leading);
    }

    os::VirtualLoop loop;
    LeaseOnServer server;
    std::optional<Instance> a;
    std::optional<Instance> b;
};

TEST_F(LeaderElectionTest, OneLeadsAndKeepsTheLease) {
    let_a_lead();
    EXPECT_EQ(server.lease->spec.lease_transitions, 0);
    EXPECT_EQ(holder_of(*server.lease), "a");
    EXPECT_EQ(b->leaders, std::vector<std::string>{"a"});
    EXPECT_EQ(server.events, std::vector<std::string>{"a became leader"});
    EXPECT_NE(a->metrics.format().find("leader_election_master_status{name=\"controllers\"} 1"), std::string::npos);
    EXPECT_NE(b->metrics.format().find("leader_election_master_status{name=\"controllers\"} 0"), std::string::npos);
}

TEST_F(LeaderElectionTest, WhenTheLeaderDiesTheOtherTakesOverAtTheEndOfTheLease) {
    let_a_lead();
    const Instant renewed = server.lease->spec.renew_time->instant();
    a.reset();
    ASSERT_TRUE(loop.run_until([&] { return b->leading; }, 30s));
    EXPECT_GE(loop.now() - renewed, 15s);
    EXPECT_LE(loop.now() - renewed, 15s + 5s) << "the lease's length and one try";
    EXPECT_EQ(server.lease->spec.lease_transitions, 1);
}

TEST_F(LeaderElectionTest, AfterACleanStopTheNextLeaderDoesNotWait) {
    let_a_lead();
    loop.run(a->election.stop());
    EXPECT_FALSE(a->leading);
    EXPECT_EQ(holder_of(*server.lease), "");
    EXPECT_TRUE(loop.run_until([&] { return b->leading; }, 5s));
    loop.run_for(1min);
    EXPECT_FALSE(a->leading);
    EXPECT_EQ(server.events.at(1), "a stopped leading");
}

TEST_F(LeaderElectionTest, ALeaseThatCannotBeWrittenIsTold) {
    Metrics metrics;
    LeaseClient client(loop, server);
    client.cut_off = true;
    std::vector<Code> failed;
    LeaderCallbacks callbacks;
    callbacks.on_started = callbacks.on_stopped = [] {};
    callbacks.on_failed = [&](const Error& error) { failed.push_back(error.code); };
    LeaderElection election(loop, client, metrics, Instance::options("a", 1), std::move(callbacks));
    election.start();
    loop.run_for(20s);
    EXPECT_THAT(failed, testing::Contains(Code::kTimeout));
}

TEST_F(LeaderElectionTest, WhoIsToldThatTheLeaseIsFreeTakesItAtOnce) {
    let_a_lead();
    loop.run(a->election.stop());
    const Duration freed_at = loop.uptime();
    b->election.look_now();
    ASSERT_TRUE(loop.run_until([&] { return b->leading; }, 5s));
    EXPECT_LE(loop.uptime() - freed_at, 100ms);
}

TEST_F(LeaderElectionTest, WhoIsToldSoInErrorTakesNothing) {
    let_a_lead();
    for (int i = 0; i < 100; ++i) {
        b->election.look_now();
        a->election.look_now();
        loop.run_for(137ms);
    }
    EXPECT_TRUE(a->leading);
    EXPECT_FALSE(b->leading);
    EXPECT_EQ(server.lease->spec.lease_transitions, 0);
}

TEST_F(LeaderElectionTest, ALeaderThatIsCutOffHasStoppedBeforeAnotherBegins) {
    let_a_lead();
    const Instant renewed = server.lease->spec.renew_time->instant();
    a->client.cut_off = true;
    ASSERT_TRUE(loop.run_until([&] { return !a->leading; }, 30s));
    EXPECT_EQ(loop.now() - renewed, 10s) << "counted from when the last renewal was sent";
    EXPECT_FALSE(b->leading);
    ASSERT_TRUE(loop.run_until([&] { return b->leading; }, 30s));
    EXPECT_GT(b->started_at, a->stopped_at);
    EXPECT_FALSE(a->leading);
}

TEST_F(LeaderElectionTest, AnAnswerThatComesLateDoesNotProlongTheLead) {
    let_a_lead();
    a->client.delay = 4s;  // of each renewal
    loop.run_for(30s);
    EXPECT_TRUE(a->leading);
    EXPECT_EQ(a->stopped_at, Duration());
    a->client.cut_off = true;
    ASSERT_TRUE(loop.run_until([&] { return !a->leading; }, 30s));
    EXPECT_EQ(loop.now() - server.lease->spec.renew_time->instant(), 10s) << "by when it was sent";
    EXPECT_FALSE(b->leading);
}

TEST_F(LeaderElectionTest, ALostAnswerDoesNotCostTheLead) {
    let_a_lead();
    a->client.lose_answers = true;
    const int version = server.version;
    ASSERT_TRUE(loop.run_until([&] { return server.version > version; }));
    a->client.lose_answers = false;
    loop.run_for(1min);
    EXPECT_TRUE(a->leading);
    EXPECT_EQ(a->stopped_at, Duration());
    EXPECT_EQ(server.lease->spec.lease_transitions, 0);
    EXPECT_NE(a->metrics.format().find("leader_election_slowpath_total{name=\"controllers\"}"), std::string::npos);
}

TEST_F(LeaderElectionTest, ARenewalThatArrivesLateTakesNothingFromTheNewHolder) {
    let_a_lead();
    a->client.delay = 60s;
    ASSERT_TRUE(loop.run_until([&] { return b->leading; }, 60s));
    EXPECT_FALSE(a->leading);
    loop.run_for(5min);
    EXPECT_EQ(holder_of(*server.lease), "b");
    EXPECT_TRUE(b->leading);
    EXPECT_FALSE(a->leading);
}

TEST_F(LeaderElectionTest, WallClocksDoNotMatter) {
    let_a_lead();
    for (const Duration jump : {Duration(1h), Duration(-5h), Duration(100h)}) {
        loop.jump_wall_clock(jump);
        loop.run_for(30s);
        EXPECT_TRUE(a->leading);
        EXPECT_FALSE(b->leading);
    }
    EXPECT_EQ(server.lease->spec.lease_transitions, 0);
}

TEST_F(LeaderElectionTest, ALeaderThatSeesAnotherHolderStopsAtOnce) {
    let_a_lead();
    server.lease->spec.holder_identity = "other";
    server.lease->metadata.resource_version = std::to_string(++server.version);
    loop.run_for(3s);
    EXPECT_FALSE(a->leading);
}

TEST_F(LeaderElectionTest, ADeletedLeaseIsMadeAgain) {
    let_a_lead();
    server.lease.reset();
    loop.run_for(1min);
    EXPECT_TRUE(server.lease);
    EXPECT_NE(a->leading, b->leading);
}

TEST_F(LeaderElectionTest, AWriteIsNotSentFromTheVeryMomentThatTheLeadIsOver) {
    let_a_lead();
    LedClient led(std::make_unique<LeaseClient>(loop, server), a->election);
    const auto write = [&] { return loop.run(led.create(api::core::ConfigMap())); };
    EXPECT_TRUE(write().ok());
    EXPECT_TRUE(write().ok());
    LedClient not_led(std::make_unique<LeaseClient>(loop, server), b->election);
    EXPECT_EQ(loop.run(not_led.create(api::core::ConfigMap())).error().code, Code::kUnavailable);
    EXPECT_TRUE(loop.run(not_led.get<Lease>({"kube-system", "controllers"})).ok()) << "reads pass";

    // At the deadline's own instant, before the election's timer has come by.
    const Instant renewed = server.lease->spec.renew_time->instant();
    a->client.cut_off = true;
    const Duration left = renewed + 10s - loop.now();
    loop.after(left, [&] {
        EXPECT_TRUE(a->leading);
        EXPECT_FALSE(a->election.leads());
    });
    loop.run_for(left);
    EXPECT_EQ(server.maps, 2);
    EXPECT_EQ(write().error().code, Code::kUnavailable);
    EXPECT_EQ(server.maps, 2);
}

// Its writes wait in line for the one place there is.
class WaitingClient final : public Client {
public:
    WaitingClient(Limiter& limiter, int& sent) : limiter_(limiter), sent_(sent) {}

    void check_writes(WriteCheck check) override { check_ = std::move(check); }
    os::Task<Result<AnyObject>> get_any(const api::KindInfo&, ObjectName, View) override { co_return refused(); }
    os::Task<Result<AnyListing>> list_any(const api::KindInfo&, std::string, View) override { co_return refused(); }
    os::Task<Result<std::unique_ptr<AnyWatch>>> watch_any(const api::KindInfo&, std::string, std::string,
                                                          View) override {
        co_return refused();
    }
    os::Task<Result<AnyObject>> patch_any(const api::KindInfo&, ObjectName, MetadataPatch, View) override {
        co_return refused();
    }
    os::Task<Result<void>> remove_any(const api::KindInfo&, ObjectName, Removal) override { co_return refused(); }
    os::Task<Result<void>> bind(ObjectName, Text, Text) override { co_return refused(); }
    os::Task<Result<AnyObject>> change_any(const api::KindInfo&, AnyObject, AnyObject, Part) override {
        co_return refused();
    }
    os::Task<Result<AnyObject>> create_any(const api::KindInfo&, AnyObject draft) override {
        const Limiter::Place place = co_await limiter_.enter(RequestClass::kCreates);
        CO_TRY(check_());
        ++sent_;
        co_return draft;
    }

private:
    static Error refused() { return {Code::kMethodNotAllowed, "not in this test"}; }

    Limiter& limiter_;
    int& sent_;
    WriteCheck check_;
};

os::Task<void> write_into(Client& client, std::optional<Code>& failure, bool& ended) {
    const auto written = co_await client.create(api::core::ConfigMap());
    if (!written.ok()) failure = written.error().code;
    ended = true;
}

TEST_F(LeaderElectionTest, AWriteThatWaitsWhileTheLeadEndsIsNotSent) {
    let_a_lead();
    Limiter limiter(loop, 1);
    int sent = 0;
    LedClient led(std::make_unique<WaitingClient>(limiter, sent), a->election);
    ASSERT_TRUE(loop.run(led.create(api::core::ConfigMap())).ok());
    EXPECT_EQ(sent, 1);
    std::optional<Limiter::Place> taken(loop.run(limiter.enter(RequestClass::kLease)));
    std::optional<Code> failure;
    bool ended = false;
    os::TaskScope scope(loop);
    scope.spawn(write_into(led, failure, ended));
    a->client.cut_off = true;
    ASSERT_TRUE(loop.run_until([&] { return !a->election.leads(); }));
    EXPECT_FALSE(ended) << "it waits still";
    taken.reset();
    ASSERT_TRUE(loop.run_until([&] { return ended; }));
    EXPECT_EQ(failure, Code::kUnavailable);
    EXPECT_EQ(sent, 1);
}

}  // namespace leader_election_test
}  // namespace muster::client
