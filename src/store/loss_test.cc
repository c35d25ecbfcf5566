#include "store/loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::store {
namespace loss_test {

using testing::HasSubstr;

GroupMark found_at(std::uint64_t group, Revision revision, bool recorded = true) {
    GroupMark mark;
    mark.group = group;
    mark.revision = revision;
    mark.recorded = recorded;
    return mark;
}
Result<std::optional<DurableMark>> record_of(std::uint64_t group, Revision revision) {
    return std::optional(DurableMark{group, revision});
}
const Result<std::optional<DurableMark>> kNoRecord = std::optional<DurableMark>();
const Result<std::optional<DurableMark>> kDamagedRecord = Error{Code::kCorrupt, "/d/durable is damaged"};

LogMarks logs_with(std::uint64_t durable_group, std::uint64_t group, Revision revision) {
    LogMarks logs;
    logs.durable_group = durable_group;
    logs.group = group;
    logs.revision = revision;
    logs.path = "/d/db/4.log";
    return logs;
}

TEST(Loss, WritesThatWereAcknowledgedAndAreGoneAreNamedWithTheWayOut) {
    struct Case {
        const char* name;
        LossFacts facts;
        const char* told;  // null: nothing is lost
    };
    const Case cases[] = {
        {"all is there", {found_at(4, 40), record_of(4, 40), {}}, nullptr},
        {"a group that was not acknowledged is there, too", {found_at(5, 50), record_of(4, 40), {}}, nullptr},
        {"a new store", {found_at(0, 0, false), kNoRecord, {}}, nullptr},
        {"a store that never kept a record", {found_at(4, 40, false), kNoRecord, {}}, nullptr},
        {"the record is missing", {found_at(4, 40), kNoRecord, {}}, "/d/durable is missing"},
        {"the record is damaged", {found_at(4, 40), kDamagedRecord, {}}, "/d/durable is damaged, so it is not known"},
        {"a log is missing", {found_at(3, 30), record_of(4, 40), {}}, "lost acknowledged writes: it ends at revision"},
        {"all is missing", {found_at(0, 0, false), record_of(4, 40), {}}, "it ends at revision 0"},
        {"a log is damaged", {found_at(3, 30), record_of(3, 30), logs_with(4, 4, 40)}, "/d/db/4.log is damaged"},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.name);
        const auto decided = decide_loss("/d", one.facts, std::nullopt);
        if (!one.told) {
            ASSERT_TRUE(decided.ok());
            EXPECT_EQ(*decided, std::nullopt);
            continue;
        }
        ASSERT_FALSE(decided.ok());
        EXPECT_EQ(decided.error().code, Code::kCorrupt);
        EXPECT_THAT(decided.error().message, HasSubstr(one.told));
        const std::string from = std::to_string(one.facts.found.revision + 1);
        EXPECT_THAT(decided.error().message, HasSubstr("--data-dir /d --accept-loss-from " + from));
    }
}

TEST(Loss, OnlyExactlyThisLossIsAccepted) {
    const LossFacts facts{found_at(3, 30), record_of(4, 40), logs_with(0, 5, 45)};
    for (const Revision wrong : {Revision{1}, Revision{30}, Revision{32}, Revision{40}})
        EXPECT_FALSE(decide_loss("/d", facts, wrong).ok()) << wrong;
    const auto lost = decide_loss("/d", facts, 31);
    ASSERT_TRUE(lost.ok());
    EXPECT_EQ(*lost, (DurableMark{5, 45})) << "a group that was begun may have been seen by a watch inside";
    EXPECT_GT(mark_behind(**lost).revision, 45u);
    EXPECT_GT(mark_behind(**lost).group, 5u);
}

TEST(Loss, WhatIsAcceptedThoughNothingIsLostChangesNothing) {
    EXPECT_EQ(decide_loss("/d", {found_at(4, 40), record_of(4, 40), {}}, 41).value(), std::nullopt);
}

}  // namespace loss_test
}  // namespace muster::store
