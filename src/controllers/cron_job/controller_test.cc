#include "controllers/cron_job/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kinds/core/event.h"
#include "controllers/cron_job/cron_test_zones.h"
#include "controllers/testing/fake_world.h"

namespace muster::controllers {
namespace cron_job_controller_test {

using api::batch::CronJob;
using api::batch::Job;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Instant kMidnight = Instant::from_unix_seconds(1704067200);  // 2024-01-01T00:00:00Z

class CronJobControllerTest : public ::testing::Test {
protected:
    void start() {
        CronJobOptions options;
        options.read_zone = [](std::string_view name) -> Result<std::string> {
            if (name == "America/New_York") return testing::new_york_tzif();
            return Error{Code::kNotFound, "none"};
        };
        controller = std::make_unique<CronJobController>(loop, world, metrics, options);
        controller->start();
        loop.run_for(100ms);
    }
    void restart() {
        controller.reset();
        start();
    }
    void put_cron(const std::string& spec) {
        world.put<CronJob>(R"({"metadata": {"name": "c", "namespace": "n"}, "spec": {"jobTemplate": {}, )" + spec +
                           "}}");
    }
    client::Ref<CronJob> cron() { return world.find<CronJob>("n", "c"); }
    std::vector<std::string> jobs() {
        std::vector<std::string> names;
        for (const auto& job : world.all<Job>()) names.push_back(job->metadata.name.str());
        return names;
    }
    void finish(std::string_view name) {
        Job job = *world.find<Job>("n", name);
        api::batch::JobCondition condition;
        condition.type = "Complete";
        condition.status = "True";
        job.status.conditions.edit().push_back(condition);
        job.status.completion_time = api::Time::from_instant(loop.now());
        world.put(std::move(job));
    }
    std::vector<std::string> reasons() {
        std::vector<std::string> out;
        for (const auto& event : world.all<api::core::Event>()) out.push_back(event->reason.str());
        return out;
    }

    os::VirtualLoop loop{kMidnight};
    FakeWorld world{loop};
    client::Metrics metrics;
    std::unique_ptr<CronJobController> controller;
};

using Names = std::vector<std::string>;

TEST_F(CronJobControllerTest, StartsAJobPerTickAndWritesItDown) {
    put_cron(R"("schedule": "*/30 * * * *")");
    start();
    EXPECT_EQ(jobs(), Names());
    loop.run_for(30min);
    EXPECT_EQ(jobs(), Names({"c-28401150"}));
    EXPECT_EQ(cron()->status.last_schedule_time->text(), "2024-01-01T00:30:00Z");
    ASSERT_EQ(cron()->status.active.size(), 1u);
    EXPECT_EQ(cron()->status.active[0].name, "c-28401150");
    EXPECT_THAT(reasons(), Contains("SuccessfulCreate"));
    loop.run_for(30min);
    EXPECT_EQ(jobs(), Names({"c-28401150", "c-28401180"}));
    EXPECT_EQ(cron()->status.active.size(), 2u);
}

TEST_F(CronJobControllerTest, WhenTheWallClockIsSetForwardTheTickThatPassedIsStartedSoon) {
    put_cron(R"("schedule": "0 * * * *")");
    start();
    loop.run_for(1min);
    loop.jump_wall_clock(1h);
    loop.run_for(11s);
    EXPECT_EQ(jobs(), Names({"c-28401180"}));
}

TEST_F(CronJobControllerTest, ATickIsStartedOnceWhateverIsLostInBetween) {
    put_cron(R"("schedule": "0 * * * *")");
    start();
    world.fail("status cronjobs", Code::kUnavailable, 1000);
    loop.run_for(1h + 5min);
    EXPECT_EQ(jobs(), Names({"c-28401180"}));
    EXPECT_FALSE(cron()->status.last_schedule_time);
    world.fail("status cronjobs", Code::kUnavailable, 0);
    restart();
    loop.run_for(20min);
    restart();
    loop.run_for(20min);
    EXPECT_EQ(jobs(), Names({"c-28401180"}));
}

TEST_F(CronJobControllerTest, ACreateThatFailsIsTriedAgain) {
    put_cron(R"("schedule": "0 * * * *")");
    start();
    world.fail("create jobs", Code::kUnavailable, 3);
    loop.run_for(1h + 10s);
    EXPECT_EQ(jobs(), Names({"c-28401180"}));
    EXPECT_THAT(reasons(), Contains("FailedCreate"));
}

TEST_F(CronJobControllerTest, ANameThatIsTakenByAnotherIsLeftAlone) {
    Job other;
    other.metadata.namespace_ = "n";
    other.metadata.name = "c-28401180";
    world.put(other);
    put_cron(R"("schedule": "0 * * * *")");
    start();
    loop.run_for(1h + 1s);
    EXPECT_THAT(cron()->status.active, IsEmpty());
    loop.run_for(1h);
    EXPECT_EQ(jobs(), Names({"c-28401180", "c-28401240"}));
}

TEST_F(CronJobControllerTest, EndsAreWrittenDownAndTheOldestForgotten) {
    put_cron(R"("schedule": "0 * * * *", "successfulJobsHistoryLimit": 1)");
    start();
    loop.run_for(1h);
    finish("c-28401180");
    loop.run_for(1min);
    EXPECT_THAT(cron()->status.active, IsEmpty());
    EXPECT_EQ(cron()->status.last_successful_time->text(), "2024-01-01T01:00:00Z");
    loop.run_for(1h);
    finish("c-28401240");
    loop.run_for(1min);
    EXPECT_EQ(jobs(), Names({"c-28401240"}));
    EXPECT_THAT(world.calls, Contains("remove jobs n/c-28401180 Background"));
    EXPECT_THAT(reasons(), Contains("SuccessfulDelete"));
}

TEST_F(CronJobControllerTest, ReplaceRemovesTheOneThatRuns) {
    put_cron(R"("schedule": "0 * * * *", "concurrencyPolicy": "Replace")");
    start();
    loop.run_for(2h + 1s);
    EXPECT_EQ(jobs(), Names({"c-28401240"}));
    ASSERT_EQ(cron()->status.active.size(), 1u);
    EXPECT_EQ(cron()->status.active[0].name, "c-28401240");
}

TEST_F(CronJobControllerTest, ReplaceStartsNothingWhileTheOldOneCannotBeRemoved) {
    put_cron(R"("schedule": "0 * * * *", "concurrencyPolicy": "Replace")");
    start();
    loop.run_for(1h + 1s);
    world.fail("remove jobs", Code::kUnavailable, 1000);
    loop.run_for(1h);
    EXPECT_EQ(jobs(), Names({"c-28401180"}));
    EXPECT_THAT(reasons(), Contains("FailedDelete"));
}

TEST_F(CronJobControllerTest, ForbidWaitsForTheEnd) {
    put_cron(R"("schedule": "0 * * * *", "concurrencyPolicy": "Forbid")");
    start();
    loop.run_for(2h + 1s);
    EXPECT_EQ(jobs(), Names({"c-28401180"}));
    finish("c-28401180");
    loop.run_for(1s);
    EXPECT_EQ(jobs(), Names({"c-28401180", "c-28401240"})) << "late, but not lost";
}

TEST_F(CronJobControllerTest, AnActiveJobThatWasDeletedLeavesTheList) {
    put_cron(R"("schedule": "0 * * * *")");
    start();
    loop.run_for(1h + 1s);
    world.erase<Job>("n", "c-28401180");
    loop.run_for(1s);
    EXPECT_THAT(cron()->status.active, IsEmpty());
    EXPECT_EQ(jobs(), Names()) << "its tick was had";
    EXPECT_THAT(reasons(), Contains("MissingJob"));
}

TEST_F(CronJobControllerTest, ANewScheduleMakesUpForNothing) {
    put_cron(R"("schedule": "0 0 * * *")");
    start();
    loop.run_for(5h + 30min);
    put_cron(R"("schedule": "0 * * * *")");
    loop.run_for(10min);
    EXPECT_EQ(jobs(), Names());
    loop.run_for(20min);
    EXPECT_EQ(jobs(), Names({"c-28401480"}));
}

TEST_F(CronJobControllerTest, SuspendedItStartsNothingAndResumedTheLastMissed) {
    put_cron(R"("schedule": "0 * * * *", "suspend": true)");
    start();
    loop.run_for(3h + 10min);
    EXPECT_EQ(jobs(), Names());
    put_cron(R"("schedule": "0 * * * *", "suspend": false)");
    loop.run_for(1s);
    EXPECT_EQ(jobs(), Names({"c-28401300"}));
}

TEST_F(CronJobControllerTest, TimesAreThoseOfItsZone) {
    put_cron(R"("schedule": "30 20 * * *", "timeZone": "America/New_York")");
    start();
    loop.run_for(1h + 29min);
    EXPECT_EQ(jobs(), Names());
    loop.run_for(1min);
    EXPECT_EQ(jobs(), Names({"c-28401210"}));
    EXPECT_EQ(*world.find<Job>("n", "c-28401210")->metadata.annotations.find(kScheduledTimestampAnnotation),
              "2023-12-31T20:30:00-05:00");
}

}  // namespace cron_job_controller_test
}  // namespace muster::controllers
