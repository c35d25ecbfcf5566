#include "client/correlate.h"

#include <gtest/gtest.h>

namespace muster::client {
namespace correlate_test {

using What = Correlated::What;
constexpr Instant kStart = Instant::from_unix_seconds(1'700'000'000);

Note note(std::string message, const char* reason = "SuccessfulCreate") {
    return Note::normal(reason, std::move(message));
}

TEST(Correlator, TheSameAgainCountsUp) {
    Correlator correlator;
    const Correlated first = correlator.correlate("u", note("Created pod: a"), kStart);
    EXPECT_EQ(first.what, What::kCreate);
    EXPECT_EQ(first.count, 1);
    const Correlated again = correlator.correlate("u", note("Created pod: a"), kStart + 5s);
    EXPECT_EQ(again.what, What::kUpdate);
    EXPECT_EQ(again.named, first.named);
    EXPECT_EQ(again.count, 2);
    EXPECT_EQ(again.first, kStart);
    EXPECT_EQ(correlator.correlate("another", note("Created pod: a"), kStart).what, What::kCreate);
}

TEST(Correlator, EachEventOfAnObjectHasItsName) {
    Correlator correlator;
    const Instant first = correlator.correlate("u", note("a"), kStart).named;
    const Instant second = correlator.correlate("u", note("b"), kStart).named;
    EXPECT_EQ(first, kStart);
    EXPECT_GT(second, first) << "in the same moment";
    EXPECT_GT(correlator.correlate("u", note("c"), kStart - 1s).named, second) << "also when the clock is set back";
}

TEST(Correlator, AnEventThatIsGoneIsToldAsNew) {
    Correlator correlator;
    const Correlated first = correlator.correlate("u", note("a"), kStart);
    correlator.forget("u", first.named);
    correlator.forget("another", first.named);
    const Correlated again = correlator.correlate("u", note("a"), kStart + 1s);
    EXPECT_EQ(again.what, What::kCreate);
    EXPECT_EQ(again.count, 1);
    EXPECT_NE(again.named, first.named);
}

TEST(Correlator, ManyAlikeAreCombined) {
    Correlator correlator;
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(correlator.correlate("u", note("Created pod: " + std::to_string(i)), kStart).what, What::kCreate);
    const Correlated combined = correlator.correlate("u", note("Created pod: 10"), kStart);
    EXPECT_EQ(combined.what, What::kCreate);
    EXPECT_EQ(combined.message, "(combined from similar events): Created pod: 10");
    const Correlated more = correlator.correlate("u", note("Created pod: 11"), kStart);
    EXPECT_EQ(more.what, What::kUpdate);
    EXPECT_EQ(more.count, 2);
    EXPECT_EQ(correlator.correlate("u", note("Job completed", "Completed"), kStart).message, "Job completed");
    EXPECT_EQ(correlator.correlate("u", note("Created pod: 12"), kStart + 11min).message, "Created pod: 12")
        << "what was long ago is not alike";
}

TEST(Correlator, AFloodIsCutAndTricklesOn) {
    Correlator correlator;
    int told = 0;
    for (int i = 0; i < 1000; ++i)
        told += correlator.correlate("u", note("Created pod: " + std::to_string(i)), kStart).what != What::kDrop;
    EXPECT_EQ(told, 25);
    EXPECT_EQ(correlator.correlate("u", note("x"), kStart + 299s).what, What::kDrop);
    EXPECT_NE(correlator.correlate("u", note("x"), kStart + 301s).what, What::kDrop);
    EXPECT_EQ(correlator.correlate("u", note("x"), kStart + 302s).what, What::kDrop);
    EXPECT_NE(correlator.correlate("another", note("x"), kStart).what, What::kDrop);
}

TEST(Correlator, AFloodDoesNotDrownTheFirstNoteOfAnotherReason) {
    Correlator correlator;
    for (int i = 0; i < 1000; ++i) correlator.correlate("u", note("Created pod: " + std::to_string(i)), kStart);
    EXPECT_EQ(correlator.correlate("u", note("Job completed", "Completed"), kStart).what, What::kCreate);
    EXPECT_EQ(correlator.correlate("u", note("Job completed", "Completed"), kStart).what, What::kDrop) << "once";
    int told = 0;
    for (int i = 0; i < 1000; ++i)
        told += correlator.correlate("u", note("x", ("R" + std::to_string(i)).c_str()), kStart).what != What::kDrop;
    EXPECT_EQ(told, 7) << "nor is a flood of reasons told";
}

TEST(Correlator, WhatItRemembersOfAnObjectThatLivesLongIsBounded) {
    Correlator correlator;
    for (int day = 0; day < 1000; ++day)
        EXPECT_EQ(correlator.correlate("node", note("day " + std::to_string(day)), kStart + day * 24h).what,
                  What::kCreate);
    EXPECT_EQ(correlator.correlate("node", note("day 999"), kStart + 1000 * 24h).what, What::kUpdate);
    EXPECT_EQ(correlator.correlate("node", note("day 1"), kStart + 1000 * 24h).what, What::kCreate)
        << "this was forgotten";
}

TEST(Correlator, ItsMemoryIsBounded) {
    Correlator correlator({.objects_max = 2});
    for (const char* uid : {"a", "b", "c"}) correlator.correlate(uid, note("x"), kStart);
    EXPECT_EQ(correlator.correlate("c", note("x"), kStart).what, What::kUpdate);
    EXPECT_EQ(correlator.correlate("a", note("x"), kStart).what, What::kCreate) << "the oldest was forgotten";
}

}  // namespace correlate_test
}  // namespace muster::client
