#include "tally/tracked_count.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/testing/drafts.h"

namespace muster::tally {
namespace tracked_count_test {

using api::batch::JobStatus;

JobStatus status(std::string_view json) { return api::make_object<JobStatus>("{}", json); }

// "2+ab 1+": two succeeded and are counted, a and b are named; one failed and is counted, none is named.
std::string print(const TrackedCount& count) {
    JobStatus written;
    count.write_to(written);
    std::string out = std::to_string(written.succeeded) + "+";
    for (const Text& uid : written.uncounted_terminated_pods->succeeded) out += uid.view();
    out += " " + std::to_string(written.failed) + "+";
    for (const Text& uid : written.uncounted_terminated_pods->failed) out += uid.view();
    return out;
}

TEST(TrackedCount, NamesThenCounts) {
    TrackedCount first(JobStatus{});
    EXPECT_TRUE(first.name("a", Ending::kSucceeded));
    EXPECT_TRUE(first.name("b", Ending::kFailed));
    EXPECT_EQ(print(first), "0+a 0+b") << "a named pod is no number yet";

    JobStatus stored;
    first.write_to(stored);
    TrackedCount second(stored);
    second.hold("a");
    second.settle();
    EXPECT_EQ(print(second), "0+a 1+") << "only who lost the finalizer is counted";

    second.write_to(stored);
    TrackedCount third(stored);
    third.settle();
    EXPECT_EQ(print(third), "1+ 1+");
}

TEST(TrackedCount, TheFirstEndStands) {
    struct Case {
        const char* name;
        const char* status;
        Ending shown;
    } cases[] = {
        {"#111646: a pod named as failed shows success", "{'uncountedTerminatedPods': {'failed': ['a']}}",
         Ending::kSucceeded},
        {"#125410: a pod named as succeeded shows failure", "{'uncountedTerminatedPods': {'succeeded': ['a']}}",
         Ending::kFailed},
    };
    for (const Case& c : cases) {
        TrackedCount count(status(c.status));
        const std::string before = print(count);
        EXPECT_FALSE(count.name("a", c.shown)) << c.name;
        EXPECT_NE(count.named("a"), c.shown) << c.name;
        EXPECT_EQ(print(count), before) << c.name;
        EXPECT_EQ(count.uncounted(), 1u) << c.name;
    }
}

TEST(TrackedCount, AUidInBothListsIsCountedOnce) {
    TrackedCount count(status("{'uncountedTerminatedPods': {'succeeded': ['a'], 'failed': ['a', 'b']}}"));
    count.settle();
    EXPECT_EQ(print(count), "1+ 1+");
}

TEST(TrackedCount, KeepsTheOrderOfNames) {
    TrackedCount count(status("{'succeeded': 3, 'uncountedTerminatedPods': {'succeeded': ['c', 'a', 'x', 'b']}}"));
    for (const char* uid : {"b", "c", "a"}) count.hold(uid);
    count.settle();
    count.name("d", Ending::kSucceeded);
    EXPECT_EQ(print(count), "4+cabd 0+");
    EXPECT_EQ(count.uncounted(Ending::kSucceeded), 4);
    EXPECT_EQ(count.counted(Ending::kSucceeded), 4);
}

TEST(TrackedCount, ThousandsOfNamesStaySeparate) {
    TrackedCount count(JobStatus{});
    for (int i = 0; i < 5000; ++i) EXPECT_TRUE(count.name("uid-number-" + std::to_string(i), Ending::kFailed));
    EXPECT_FALSE(count.name("uid-number-77", Ending::kSucceeded));
    for (int i = 0; i < 5000; i += 2) count.hold("uid-number-" + std::to_string(i));
    count.settle();
    EXPECT_EQ(count.counted(Ending::kFailed), 2500);
    EXPECT_TRUE(count.named("uid-number-4998"));
    EXPECT_FALSE(count.named("uid-number-4999"));
}

}  // namespace tracked_count_test
}  // namespace muster::tally
