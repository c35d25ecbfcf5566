#include "tally/status_numbers.h"

#include <gtest/gtest.h>

#include "api/testing/drafts.h"

namespace muster::tally {
namespace status_numbers_test {

using api::batch::JobSpec;
using api::batch::JobStatus;

TEST(StatusNumbers, ReadyAndTerminatingAreSetEvenWhenZero) {
    JobStatus status;
    write_live({.active = 2, .ready = 0, .terminating = 0}, status);
    EXPECT_EQ(status.active, 2);
    EXPECT_EQ(status.ready, 0);
    EXPECT_EQ(status.terminating, 0);
}

TEST(StatusNumbers, IndexedJobsCountTheirIndexes) {
    struct Case {
        const char* name;
        const char* spec;
        const char* completed;
        std::int32_t before;
        std::int32_t want;
    } cases[] = {
        {"succeeded is how many indexes are done", "{'completions': 9, 'parallelism': 3}", "0-2,5", 3, 4},
        {"an elastic Job that was scaled down counts fewer", "{'completions': 3, 'parallelism': 3}", "0-2", 5, 3},
        {"of any other Job the number stays", "{'completions': 3, 'parallelism': 2}", "0-2", 5, 5},
    };
    for (const Case& c : cases) {
        JobStatus status;
        status.succeeded = c.before;
        write_indexes(api::make_object<JobSpec>("{}", c.spec), IndexSet::parse(c.completed, 9), nullptr, status);
        EXPECT_EQ(status.succeeded, c.want) << c.name;
        EXPECT_EQ(status.completed_indexes, c.completed) << c.name;
        EXPECT_FALSE(status.failed_indexes) << c.name;
    }
}

TEST(StatusNumbers, FailedIndexesAreTextEvenWhenEmpty) {
    JobStatus status;
    const IndexSet none;
    write_indexes(JobSpec{}, IndexSet::parse("1", 9), &none, status);
    EXPECT_EQ(status.failed_indexes, Text(""));
}

TEST(StatusNumbers, LingeringCountsDoNotGoBackWhenPodsGo) {
    JobStatus status;
    status.uncounted_terminated_pods.edit();
    write_lingering(3, 1, status);
    write_lingering(2, 4, status);
    EXPECT_EQ(status.succeeded, 3);
    EXPECT_EQ(status.failed, 4);
    EXPECT_FALSE(status.uncounted_terminated_pods);
}

TEST(StatusNumbers, ANumberBelowZeroIsABug) {
    JobStatus status;
    EXPECT_DEATH(write_lingering(-1, 0, status), "succeeded >= 0");
    EXPECT_DEATH(write_live({.active = 1, .ready = 2}, status), "live.ready <= live.active");
}

}  // namespace status_numbers_test
}  // namespace muster::tally
