#include "controllers/cron_job/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/codec/encode.h"
#include "controllers/cron_job/cron_test_zones.h"
#include "controllers/cron_job/job_draft.h"
#include "controllers/cron_job/zone_table.h"

namespace muster::controllers {
namespace cron_job_decide_test {

using api::batch::CronJob;
using api::batch::Job;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Instant at(std::string_view text) { return api::Time::parse(text).value().instant(); }

// Hourly, made at midnight of 2024-01-01; fields of its spec and status come with a test.
CronJob hourly(std::string spec = "", const std::string& status = "") {
    const std::pair<const char*, const char*> defaults[] = {{"\"schedule\"", "\"0 * * * *\""},
                                                            {"\"concurrencyPolicy\"", "\"Allow\""},
                                                            {"\"successfulJobsHistoryLimit\"", "3"},
                                                            {"\"failedJobsHistoryLimit\"", "1"}};
    for (const auto& [field, value] : defaults)
        if (spec.find(field) == std::string::npos) spec += std::string(spec.empty() ? "" : ", ") + field + ": " + value;
    const std::string yaml =
        R"({"metadata": {"name": "c", "namespace": "n", "uid": "c-uid", "creationTimestamp": "2024-01-01T00:00:00Z"},
            "spec": {"jobTemplate": {"metadata": {"labels": {"a": "b"}}}, )" +
        spec + R"(}, "status": {)" + status + "}}";
    auto decoded = api::from_yaml<CronJob>(yaml);
    EXPECT_TRUE(decoded.ok()) << decoded.error().message;
    return *std::move(decoded);
}

enum class End { kNone, kComplete, kFailed };

// The Job of that tick, which started with it and took a minute.
std::shared_ptr<Job> job_of(const CronJob& cron, const char* tick, End end) {
    auto job = std::make_shared<Job>(draft_job(cron, at(tick), TimeZone()));
    job->metadata.uid = "uid-of-" + job->metadata.name;
    job->status.start_time = api::Time::from_instant(at(tick));
    if (end == End::kNone) return job;
    api::batch::JobCondition condition;
    condition.type = end == End::kComplete ? "Complete" : "Failed";
    condition.status = "True";
    condition.last_transition_time = api::Time::from_instant(at(tick) + 60s);
    job->status.conditions.edit().push_back(condition);
    if (end == End::kComplete) job->status.completion_time = condition.last_transition_time;
    return job;
}

std::string active(const Job& job) {
    return R"("active": [{"kind": "Job", "apiVersion": "batch/v1", "namespace": "n", "name": ")" +
           job.metadata.name.str() + R"(", "uid": ")" + job.metadata.uid.str() + "\"}]";
}

class CronJobDecide : public ::testing::Test {
protected:
    CronPlan decide(const CronJob& cron, std::string_view now, std::vector<std::shared_ptr<const Job>> jobs = {},
                    std::vector<Text> vanished = {}) {
        return decide_cron_job({cron, jobs, vanished, lookup, at(now)});
    }
    static std::vector<std::string> reasons(const CronPlan& plan) {
        std::vector<std::string> out;
        for (const auto& note : plan.notes) out.push_back(note.reason.str());
        return out;
    }
    // When the tick that a plan starts was, or "".
    static std::string started(const CronPlan& plan) {
        return plan.start ? api::Time::from_instant(plan.start->scheduled_at).text() : "";
    }

    ZoneTable zones{[](std::string_view name) -> Result<std::string> {
        if (name == "America/New_York") return testing::new_york_tzif();
        return Error{Code::kNotFound, "none"};
    }};
    ZoneLookup lookup = [this](std::string_view name) { return zones.find(name); };
};

TEST_F(CronJobDecide, StartsTable) {
    const CronJob base = hourly();
    const auto running = job_of(base, "2024-01-01T01:00:00Z", End::kNone);
    const std::string one_active = active(*running) + R"(, "lastScheduleTime": "2024-01-01T01:00:00Z")";
    struct Case {
        const char* name;
        CronJob cron;
        const char* now;
        bool is_one_running;
        const char* start;  // the tick, or nothing
        std::vector<std::string> reasons;
        const char* wake_at;
    } cases[] = {
        {"before its first time it waits", hourly(), "2024-01-01T00:30:00Z", false, "", {}, "2024-01-01T01:00:00Z"},
        {"at its time it starts",
         hourly(),
         "2024-01-01T01:00:00Z",
         false,
         "2024-01-01T01:00:00Z",
         {},
         "2024-01-01T02:00:00Z"},
        {"a tick that was started is not started again",
         hourly("", R"("lastScheduleTime": "2024-01-01T01:00:00Z")"),
         "2024-01-01T01:30:00Z",
         false,
         "",
         {},
         "2024-01-01T02:00:00Z"},
        {"of several missed ones the last is started",
         hourly(),
         "2024-01-01T05:30:00Z",
         false,
         "2024-01-01T05:00:00Z",
         {},
         "2024-01-01T06:00:00Z"},
        {"so it is of very many, with a warning",
         hourly(),
         "2024-01-11T05:30:00Z",
         false,
         "2024-01-11T05:00:00Z",
         {"TooManyMissedTimes"},
         "2024-01-11T06:00:00Z"},
        {"a deadline forgets those before it",
         hourly(R"("startingDeadlineSeconds": 7200)"),
         "2024-01-11T05:30:00Z",
         false,
         "2024-01-11T05:00:00Z",
         {},
         "2024-01-11T06:00:00Z"},
        {"and a tick that is too late",
         hourly(R"("startingDeadlineSeconds": 60)"),
         "2024-01-01T05:30:00Z",
         false,
         "",
         {},
         "2024-01-01T06:00:00Z"},
        {"an interval that is too late is told of",
         hourly(R"("schedule": "@every 1h", "startingDeadlineSeconds": 60)"),
         "2024-01-01T05:30:00Z",
         false,
         "",
         {"MissSchedule"},
         "2024-01-01T06:00:00Z"},
        {"a deadline shorter than the interval lets it run",
         hourly(R"("schedule": "@every 1h", "startingDeadlineSeconds": 60)"),
         "2024-01-01T05:00:30Z",
         false,
         "2024-01-01T05:00:00Z",
         {},
         "2024-01-01T06:00:00Z"},
        {"Allow starts beside one that runs",
         hourly("", one_active),
         "2024-01-01T02:00:00Z",
         true,
         "2024-01-01T02:00:00Z",
         {},
         "2024-01-01T03:00:00Z"},
        {"Forbid does not",
         hourly(R"("concurrencyPolicy": "Forbid")", one_active),
         "2024-01-01T02:00:00Z",
         true,
         "",
         {"JobAlreadyActive"},
         "2024-01-01T03:00:00Z"},
        {"a suspended one starts nothing", hourly(R"("suspend": true)"), "2024-01-01T05:30:00Z", false, "", {}, ""},
        {"its zone's hours count",
         hourly(R"("schedule": "0 9 * * *", "timeZone": "America/New_York")"),
         "2024-01-01T14:00:00Z",
         false,
         "2024-01-01T14:00:00Z",
         {},
         "2024-01-02T14:00:00Z"},
        {"an unknown zone is told of",
         hourly(R"("timeZone": "Nowhere")"),
         "2024-01-01T05:30:00Z",
         false,
         "",
         {"UnknownTimeZone"},
         ""},
        {"a zone in the schedule is followed, unwillingly",
         hourly(R"("schedule": "TZ=America/New_York 0 9 * * *")"),
         "2024-01-01T14:00:00Z",
         false,
         "2024-01-01T14:00:00Z",
         {"UnsupportedSchedule"},
         "2024-01-02T14:00:00Z"},
        {"an unknown zone in the schedule is told of",
         hourly(R"("schedule": "CRON_TZ=Nowhere 0 9 * * *")"),
         "2024-01-01T14:00:00Z",
         false,
         "",
         {"UnsupportedSchedule", "UnparseableSchedule"},
         ""},
        {"a schedule that cannot be read is told of",
         hourly(R"("schedule": "soon")"),
         "2024-01-01T14:00:00Z",
         false,
         "",
         {"UnparseableSchedule"},
         ""},
        {"a time that never comes is told of",
         hourly(R"("schedule": "0 0 31 2 *")"),
         "2024-01-01T14:00:00Z",
         false,
         "",
         {"InvalidSchedule"},
         ""},
    };
    for (const Case& c : cases) {
        std::vector<std::shared_ptr<const Job>> jobs;
        if (c.is_one_running) jobs.push_back(running);
        const CronPlan plan = decide(c.cron, c.now, jobs);
        EXPECT_EQ(started(plan), c.start) << c.name;
        EXPECT_EQ(reasons(plan), c.reasons) << c.name;
        EXPECT_EQ(plan.wake_at ? api::Time::from_instant(*plan.wake_at).text() : "", c.wake_at) << c.name;
        EXPECT_FALSE(plan.status) << c.name;
        EXPECT_EQ(next_start(c.cron, lookup, at(c.now)), plan.wake_at) << c.name;
    }
}

TEST_F(CronJobDecide, TheJobIsNamedAfterItsTickAndOwned) {
    const CronPlan plan = decide(hourly(R"("timeZone": "America/New_York")"), "2024-01-01T01:00:00Z");
    ASSERT_TRUE(plan.start);
    const Job& job = plan.start->draft;
    EXPECT_EQ(job.metadata.name, "c-28401180");
    EXPECT_EQ(job.metadata.namespace_, "n");
    EXPECT_EQ(*job.metadata.labels.find("a"), "b");
    EXPECT_EQ(*job.metadata.annotations.find(kScheduledTimestampAnnotation), "2023-12-31T20:00:00-05:00");
    ASSERT_EQ(job.metadata.owner_references.size(), 1u);
    EXPECT_EQ(job.metadata.owner_references[0].uid, "c-uid");
    EXPECT_TRUE(*job.metadata.owner_references[0].controller);
    EXPECT_TRUE(is_controlled_by(job, hourly()));
}

TEST_F(CronJobDecide, FieldsThatWeDoNotKnowGoFromTheTemplateToTheJob) {
    constexpr const char* kCron =
        R"({"metadata":{"name":"c"},"spec":{"unknown-0":0,"jobTemplate":{"spec":{"scheduling":{"a":1},"unknown-1":1,)"
        R"("template":{"unknown-2":2,"spec":{"containers":[{"name":"c","unknown-3":3}]}}}}}})";
    CronJob cron;
    ASSERT_TRUE(api::decode_json(CronJob::info(), &cron, kCron, {.keep_unknown = true}).ok());
    const Job job = draft_job(cron, at("2024-01-01T01:00:00Z"), TimeZone());
    const std::string text = api::to_json(job);
    for (const char* field : {R"("scheduling":{"a":1})", R"("unknown-1":1)", R"("unknown-2":2)", R"("unknown-3":3)"})
        EXPECT_NE(text.find(field), std::string::npos) << field;
    EXPECT_EQ(text.find("unknown-0"), std::string::npos) << "a field of the CronJob is not one of its Jobs";
}

TEST_F(CronJobDecide, ReplaceEndsThoseThatRunFirst) {
    const CronJob base = hourly();
    const auto running = job_of(base, "2024-01-01T01:00:00Z", End::kNone);
    const CronJob cron = hourly(R"("concurrencyPolicy": "Replace")",
                                active(*running) + R"(, "lastScheduleTime": "2024-01-01T01:00:00Z")");
    const CronPlan plan = decide(cron, "2024-01-01T02:00:00Z", {running});
    EXPECT_THAT(plan.replaced, ElementsAre(JobToRemove{running->metadata.name, running->metadata.uid}));
    EXPECT_EQ(started(plan), "2024-01-01T02:00:00Z");
}

TEST_F(CronJobDecide, AJobThatWasMadeAndNotWrittenDownIsReadOffItself) {
    const CronJob cron = hourly();
    const auto made = job_of(cron, "2024-01-01T01:00:00Z", End::kNone);
    const CronPlan plan = decide(cron, "2024-01-01T01:00:05Z", {made});
    EXPECT_FALSE(plan.start);
    ASSERT_TRUE(plan.status);
    EXPECT_EQ(plan.status->last_schedule_time->text(), "2024-01-01T01:00:00Z");
    ASSERT_EQ(plan.status->active.size(), 1u);
    EXPECT_EQ(plan.status->active[0].uid, made->metadata.uid);
    EXPECT_THAT(plan.notes, IsEmpty());
}

TEST_F(CronJobDecide, OneThatAlsoEndedMeanwhileIsNotStartedAgainEither) {
    const CronJob cron = hourly(R"("successfulJobsHistoryLimit": 0)");
    const auto made = job_of(cron, "2024-01-01T01:00:00Z", End::kComplete);
    const CronPlan plan = decide(cron, "2024-01-01T01:10:00Z", {made});
    EXPECT_FALSE(plan.start);
    ASSERT_TRUE(plan.status) << "written before the Job is forgotten";
    EXPECT_EQ(plan.status->last_schedule_time->text(), "2024-01-01T01:00:00Z");
    EXPECT_EQ(plan.status->last_successful_time->text(), "2024-01-01T01:01:00Z");
    EXPECT_THAT(plan.status->active, IsEmpty());
    EXPECT_EQ(plan.history.size(), 1u);
}

TEST_F(CronJobDecide, AJobThatTheControllerDidNotCreateIsReported) {
    const CronJob cron = hourly();
    auto manual = job_of(cron, "2024-01-01T00:10:00Z", End::kNone);
    manual->metadata.name = "by-hand";
    const CronPlan plan = decide(cron, "2024-01-01T00:30:00Z", {manual});
    EXPECT_EQ(reasons(plan), std::vector<std::string>({"UnexpectedJob"}));
    EXPECT_FALSE(plan.status);
}

TEST_F(CronJobDecide, EndsAreSeen) {
    const CronJob base = hourly();
    for (const End end : {End::kComplete, End::kFailed}) {
        const auto ended = job_of(base, "2024-01-01T01:00:00Z", end);
        const CronJob cron = hourly("", active(*ended) + R"(, "lastScheduleTime": "2024-01-01T01:00:00Z")");
        const CronPlan plan = decide(cron, "2024-01-01T01:30:00Z", {ended});
        ASSERT_TRUE(plan.status);
        EXPECT_THAT(plan.status->active, IsEmpty());
        EXPECT_EQ(plan.status->last_successful_time.has_value(), end == End::kComplete);
        ASSERT_EQ(reasons(plan), std::vector<std::string>({"SawCompletedJob"}));
        EXPECT_EQ(plan.notes[0].message, std::string("Saw completed job: c-28401180, condition: ") +
                                             (end == End::kComplete ? "Complete" : "Failed"));
    }
}

TEST_F(CronJobDecide, AnActiveJobThatVanishedIsTakenOffTheList) {
    const auto lost = job_of(hourly(), "2024-01-01T01:00:00Z", End::kNone);
    const CronJob cron = hourly("", active(*lost) + R"(, "lastScheduleTime": "2024-01-01T01:00:00Z")");
    const CronPlan plan = decide(cron, "2024-01-01T01:30:00Z", {}, {lost->metadata.uid});
    ASSERT_TRUE(plan.status);
    EXPECT_THAT(plan.status->active, IsEmpty());
    EXPECT_EQ(reasons(plan), std::vector<std::string>({"MissingJob"}));
    EXPECT_FALSE(decide(cron, "2024-01-01T01:30:00Z").status) << "one that is only not seen yet stays";
}

TEST_F(CronJobDecide, TheLastSuccessIsTheLatest) {
    const CronJob cron = hourly("", R"("lastScheduleTime": "2024-01-01T03:00:00Z",
                                       "lastSuccessfulTime": "2024-01-01T02:01:00Z")");
    EXPECT_FALSE(decide(cron, "2024-01-01T03:30:00Z", {job_of(cron, "2024-01-01T01:00:00Z", End::kComplete)}).status);
    const auto plan = decide(cron, "2024-01-01T03:30:00Z", {job_of(cron, "2024-01-01T03:00:00Z", End::kComplete)});
    ASSERT_TRUE(plan.status);
    EXPECT_EQ(plan.status->last_successful_time->text(), "2024-01-01T03:01:00Z");
}

TEST_F(CronJobDecide, TheOldestBeyondTheLimitsAreForgotten) {
    const CronJob cron = hourly(R"("successfulJobsHistoryLimit": 1, "failedJobsHistoryLimit": 0)",
                                R"("lastScheduleTime": "2024-01-01T04:00:00Z",
                                   "lastSuccessfulTime": "2024-01-01T03:01:00Z")");
    auto going = job_of(cron, "2024-01-01T01:00:00Z", End::kComplete);
    going->metadata.deletion_timestamp = api::Time::from_instant(at("2024-01-01T04:00:00Z"));
    const auto second = job_of(cron, "2024-01-01T02:00:00Z", End::kComplete);
    const auto third = job_of(cron, "2024-01-01T03:00:00Z", End::kComplete);
    const auto failed = job_of(cron, "2024-01-01T04:00:00Z", End::kFailed);
    const CronPlan plan = decide(cron, "2024-01-01T04:30:00Z", {third, failed, second, going});
    EXPECT_THAT(plan.history, ElementsAre(JobToRemove{second->metadata.name, second->metadata.uid},
                                          JobToRemove{failed->metadata.name, failed->metadata.uid}));

    CronJob unlimited = cron;
    unlimited.spec.successful_jobs_history_limit.reset();
    unlimited.spec.failed_jobs_history_limit.reset();
    EXPECT_THAT(decide(unlimited, "2024-01-01T04:30:00Z", {third, failed, second, going}).history, IsEmpty());
}

TEST_F(CronJobDecide, OneThatIsBeingDeletedOnlyKeepsItsStatusTrue) {
    CronJob cron = hourly();
    cron.metadata.deletion_timestamp = api::Time::from_instant(at("2024-01-01T00:30:00Z"));
    const CronPlan plan = decide(cron, "2024-01-01T05:30:00Z", {job_of(cron, "2024-01-01T00:00:00Z", End::kNone)});
    EXPECT_FALSE(plan.start);
    EXPECT_FALSE(plan.wake_at);
    EXPECT_TRUE(plan.status);
}

TEST_F(CronJobDecide, AnIntervalBelowAMinuteStartsOnePerMinute) {
    const CronJob base = hourly(R"("schedule": "@every 20s")");
    const auto running = job_of(base, "2024-01-01T00:00:20Z", End::kNone);
    const CronJob cron =
        hourly(R"("schedule": "@every 20s")", active(*running) + R"(, "lastScheduleTime": "2024-01-01T00:00:20Z")");
    EXPECT_FALSE(decide(cron, "2024-01-01T00:00:40Z", {running}).start);
    EXPECT_EQ(started(decide(cron, "2024-01-01T00:01:00Z", {running})), "2024-01-01T00:01:00Z");
}

TEST_F(CronJobDecide, APlanAppliedLeavesNothingToDo) {
    CronJob cron = hourly();
    const CronPlan plan = decide(cron, "2024-01-01T01:00:00Z");
    const auto job = job_of(cron, "2024-01-01T01:00:00Z", End::kNone);
    cron.status = with_started(cron.status, *job, plan.start->scheduled_at);
    EXPECT_EQ(decide(cron, "2024-01-01T01:00:00Z", {job}), CronPlan{.wake_at = at("2024-01-01T02:00:00Z")});
}

TEST(CronJobMissed, TheMomentIsWrittenAsMailDoes) {
    EXPECT_EQ(format_rfc1123(at("2024-02-09T03:04:05Z")), "Fri, 09 Feb 2024 03:04:05 +0000");
}

}  // namespace cron_job_decide_test
}  // namespace muster::controllers
