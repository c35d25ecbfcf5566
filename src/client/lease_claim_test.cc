#include "client/lease_claim.h"

#include <gtest/gtest.h>

namespace muster::client {
namespace lease_claim_test {

using api::coordination::Lease;
using Knowledge = LeaseView::Knowledge;

Lease held_by(const char* holder, std::optional<std::int32_t> seconds = 15) {
    Lease lease;
    lease.metadata.resource_version = "7";
    lease.spec.holder_identity = holder;
    lease.spec.lease_duration_seconds = seconds;
    lease.spec.lease_transitions = 3;
    lease.spec.acquire_time = api::MicroTime::from_unix_micros(1'000'000);
    // A wall clock that is far off: it is never compared.
    lease.spec.renew_time = api::MicroTime::from_unix_micros(3'600'000'000'000);
    return lease;
}

LeaseDecision wait(Duration until) { return {LeaseStep::kWait, until}; }
LeaseDecision now(LeaseStep step) { return {step, Duration()}; }

struct LeaseCase {
    const char* sentence;
    std::optional<Duration> granted_at;
    Knowledge knowledge;
    std::optional<Lease> lease;
    Duration changed_at;
    Duration now;
    Duration try_at;
    LeaseDecision expected;
};

TEST(LeaseClaim, DecidesFromWhatIsKnown) {
    const LeaseCase cases[] = {
        {"a candidate that knows nothing looks", {}, Knowledge::kDoubt, {}, 0s, 5s, 5s, now(LeaseStep::kLook)},
        {"but not before it is time for a try", {}, Knowledge::kDoubt, {}, 0s, 4s, 5s, wait(5s)},
        {"a lease that is not there is made", {}, Knowledge::kSeen, {}, 0s, 4s, 5s, now(LeaseStep::kCreate)},
        {"one without a holder is taken", {}, Knowledge::kSeen, held_by("", 1), 4s, 4s, 5s, now(LeaseStep::kTake)},
        {"one's own is taken, as a lost answer may have been a grant",
         {},
         Knowledge::kSeen,
         held_by("me"),
         4s,
         4s,
         5s,
         now(LeaseStep::kTake)},
        {"another's is not taken before its end", {}, Knowledge::kSeen, held_by("you"), 4s, 18999ms, 20s, wait(19s)},
        {"the next look comes first", {}, Knowledge::kSeen, held_by("you"), 4s, 10s, 12s, wait(12s)},
        {"what was looked at long ago is looked at again",
         {},
         Knowledge::kSeen,
         held_by("you"),
         4s,
         12s,
         12s,
         now(LeaseStep::kLook)},
        {"another's is taken when it has been the same for its whole length",
         {},
         Knowledge::kSeen,
         held_by("you"),
         4s,
         19s,
         20s,
         now(LeaseStep::kTake)},
        {"its length is what its holder says", {}, Knowledge::kSeen, held_by("you", 60), 4s, 19s, 20s, wait(20s)},
        {"or one's own when it says nothing", {}, Knowledge::kSeen, held_by("you", {}), 4s, 18s, 20s, wait(19s)},
        {"a leader renews when it is time", 10s, Knowledge::kOwn, held_by("me"), 10s, 12s, 12s, now(LeaseStep::kRenew)},
        {"and not before", 10s, Knowledge::kOwn, held_by("me"), 10s, 11s, 12s, wait(12s)},
        {"a leader whose renewal failed looks", 10s, Knowledge::kDoubt, held_by("me"), 10s, 12s, 12s,
         now(LeaseStep::kLook)},
        {"and renews what it sees", 10s, Knowledge::kSeen, held_by("me"), 12s, 12s, 14s, now(LeaseStep::kRenew)},
        {"a leader that sees another stops at once", 10s, Knowledge::kSeen, held_by("you"), 12s, 12s, 14s,
         now(LeaseStep::kLose)},
        {"a leader that sees no holder stops, too: another may have led meanwhile", 10s, Knowledge::kSeen,
         held_by("", 1), 12s, 12s, 14s, now(LeaseStep::kLose)},
        {"a leader makes a deleted lease again", 10s, Knowledge::kSeen, {}, 12s, 12s, 14s, now(LeaseStep::kCreate)},
        {"a leader waits no longer than it may act", 10s, Knowledge::kDoubt, held_by("me"), 10s, 19s, 21s, wait(20s)},
        {"a leader stops when it could not renew in time", 10s, Knowledge::kDoubt, held_by("me"), 10s, 20s, 21s,
         now(LeaseStep::kLose)},
        {"even if it was to renew just now", 10s, Knowledge::kOwn, held_by("me"), 10s, 20s, 20s, now(LeaseStep::kLose)},
    };
    for (const LeaseCase& test : cases) {
        LeaseView view;
        view.self = "me";
        view.granted_at = test.granted_at;
        view.knowledge = test.knowledge;
        view.lease = test.lease ? &*test.lease : nullptr;
        view.changed_at = test.changed_at;
        view.now = test.now;
        view.try_at = test.try_at;
        const LeaseDecision decision = decide_lease(view);
        EXPECT_TRUE(decision == test.expected)
            << test.sentence << ": " << static_cast<int>(decision.step) << " until " << decision.wait_until.count();
    }
}

TEST(LeaseClaim, AClaimSaysWhoSinceWhenAndHowOften) {
    const Instant at = Instant::from_unix_seconds(1'700'000'000);
    const Lease made = claim_lease(nullptr, "me", {}, at);
    EXPECT_EQ(holder_of(made), "me");
    EXPECT_EQ(made.spec.lease_duration_seconds, 15);
    EXPECT_EQ(made.spec.lease_transitions, 0);
    EXPECT_EQ(made.spec.acquire_time->instant(), at);

    const Lease yours = held_by("you");
    const Lease taken = claim_lease(&yours, "me", {}, at);
    EXPECT_EQ(taken.metadata.resource_version, "7") << "only this very version is taken";
    EXPECT_EQ(taken.spec.lease_transitions, 4);
    EXPECT_EQ(taken.spec.acquire_time->instant(), at);

    Lease often = held_by("you");
    often.spec.lease_transitions = 2147483647;
    EXPECT_EQ(claim_lease(&often, "me", {}, at).spec.lease_transitions, 2147483647) << "the highest count stays";

    const Lease mine = held_by("me");
    const Lease renewed = claim_lease(&mine, "me", {}, at);
    EXPECT_EQ(renewed.metadata.resource_version, "7");
    EXPECT_EQ(renewed.spec.lease_transitions, 3);
    EXPECT_EQ(renewed.spec.acquire_time, mine.spec.acquire_time);
    EXPECT_EQ(renewed.spec.renew_time->instant(), at);

    const Lease released = release_lease(mine, at);
    EXPECT_EQ(holder_of(released), "");
    EXPECT_EQ(released.spec.lease_duration_seconds, 1);
    EXPECT_EQ(released.spec.lease_transitions, 3);
}

TEST(LeaseClaim, TimesMustKeepThePromise) {
    struct TimesCase {
        const char* sentence;
        LeaseTimes times;
        bool good;
    };
    const TimesCase cases[] = {
        {"upstream's times", {15s, 10s, 2s}, true},
        {"a lease that ends when its leader does", {10s, 10s, 2s}, false},
        {"a leader that has time for one try only", {15s, 2s, 2s}, false},
        {"a lease of parts of a second, which it cannot tell", {2500ms, 2s, 1s}, false},
        {"no pause between tries", {15s, 10s, 0s}, false},
    };
    for (const TimesCase& test : cases) EXPECT_EQ(check_lease_times(test.times).ok(), test.good) << test.sentence;
}

}  // namespace lease_claim_test
}  // namespace muster::client
