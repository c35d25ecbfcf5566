#include "api/validation/job/cron_job.h"

#include <gtest/gtest.h>

#include "api/defaults/job.h"
#include "api/testing/drafts.h"

namespace muster::api {
namespace cron_job_test {

batch::CronJob make_cron_job(std::string_view patch) {
    batch::CronJob cron_job = make_object<batch::CronJob>(kCronJobBase, patch);
    default_cron_job(cron_job);
    prepare_cron_job_create(cron_job);
    return cron_job;
}

bool knows_europe(std::string_view zone) { return zone == "Europe/Paris" || zone == "Etc/GMT+5"; }

struct CreateCase {
    const char* name;
    const char* patch;
    const char* errors;
};

const CreateCase kCreateCases[] = {
    {"the least that a CronJob needs", "{}", ""},
    {"everything it can have",
     "{'spec': {'timeZone': 'Europe/Paris', 'concurrencyPolicy': 'Forbid', 'startingDeadlineSeconds': 10, "
     "'successfulJobsHistoryLimit': 0, 'failedJobsHistoryLimit': 0, 'schedule': '@hourly'}}",
     ""},
    {"a schedule is needed", "{'spec': {'schedule': ''}}", "spec.schedule: Required value"},
    {"a schedule must be one", "{'spec': {'schedule': 'every day'}}",
     "spec.schedule: Invalid value: \"every day\": expected exactly 5 fields, found 2: [every day]"},
    {"a schedule has no time zone in it", "{'spec': {'schedule': 'TZ=UTC 0 0 * * *'}}",
     "spec.schedule: Invalid value: \"TZ=UTC 0 0 * * *\": cannot use TZ or CRON_TZ in schedule, use timeZone field "
     "instead"},
    {"a zone with digits and signs", "{'spec': {'timeZone': 'Etc/GMT+5'}}", ""},
    {"a zone must be known", "{'spec': {'timeZone': 'Mars/Base'}}",
     "spec.timeZone: Invalid value: \"Mars/Base\": unknown time zone Mars/Base"},
    {"a zone has a name", "{'spec': {'timeZone': ''}}",
     "spec.timeZone: Invalid value: \"\": timeZone must be nil or non-empty string"},
    {"a zone is not a path", "{'spec': {'timeZone': '../etc/passwd'}}",
     "spec.timeZone: Invalid value: \"../etc/passwd\": unknown time zone ../etc/passwd"},
    {"a zone is not wherever we are", "{'spec': {'timeZone': 'LOCAL'}}",
     "spec.timeZone: Invalid value: \"LOCAL\": timeZone must be an explicit time zone as defined in "
     "https://www.iana.org/time-zones"},
    {"a policy must be known", "{'spec': {'concurrencyPolicy': 'Maybe'}}",
     "spec.concurrencyPolicy: Unsupported value: \"Maybe\": supported values: \"Allow\", \"Forbid\", \"Replace\""},
    {"no number may be negative",
     "{'spec': {'startingDeadlineSeconds': -1, 'successfulJobsHistoryLimit': -2, 'failedJobsHistoryLimit': -3}}",
     "spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0\n"
     "spec.successfulJobsHistoryLimit: Invalid value: -2: must be greater than or equal to 0\n"
     "spec.failedJobsHistoryLimit: Invalid value: -3: must be greater than or equal to 0"},
    {"the Jobs must be right", "{'spec': {'jobTemplate': {'spec': {'backoffLimit': -1}}}}",
     "spec.jobTemplate.spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0"},
    {"the Jobs get selectors of their own",
     "{'spec': {'jobTemplate': {'spec': {'manualSelector': true, 'selector': {'matchLabels': {'a': 'b'}}}}}}",
     "spec.jobTemplate.spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"b\"}}: `selector` will be "
     "auto-generated\n"
     "spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: \"nil\", \"false\""},
    {"52 characters fit", "{'metadata': {'name': 'a123456789-123456789-123456789-123456789-123456789-1'}}", ""},
    {"the Jobs' names are longer", "{'metadata': {'name': 'a123456789-123456789-123456789-123456789-123456789-12'}}",
     "metadata.name: Invalid value: \"a123456789-123456789-123456789-123456789-123456789-12\": must be no more than 52 "
     "characters"},
};

TEST(CronJobCreate, KeepsTheRules) {
    for (const CreateCase& test : kCreateCases) {
        SCOPED_TRACE(test.name);
        EXPECT_EQ(print_errors(validate_cron_job_create(make_cron_job(test.patch), knows_europe)), test.errors);
    }
}

TEST(CronJobUpdate, KeepsWhatWasAllowedBefore) {
    const struct {
        const char* name;
        const char* before;
        const char* now;
        const char* errors;
    } cases[] = {
        {"everything may change", "{}", "{'spec': {'schedule': '@daily', 'timeZone': 'Europe/Paris'}}", ""},
        {"a zone from before is not asked for", "{'spec': {'timeZone': 'Old/Name'}}",
         "{'spec': {'timeZone': 'Old/Name', 'suspend': true}}", ""},
        {"a new zone is", "{'spec': {'timeZone': 'Old/Name'}}", "{'spec': {'timeZone': 'New/Name'}}",
         "spec.timeZone: Invalid value: \"New/Name\": unknown time zone New/Name"},
        {"a zone in the schedule may stay", "{'spec': {'schedule': 'TZ=UTC 0 0 * * *'}}",
         "{'spec': {'schedule': 'TZ=UTC 0 1 * * *'}}", ""},
        {"but there is one zone", "{'spec': {'schedule': 'TZ=UTC 0 0 * * *'}}",
         "{'spec': {'schedule': 'TZ=UTC 0 1 * * *', 'timeZone': 'Europe/Paris'}}",
         "spec.schedule: Invalid value: \"TZ=UTC 0 1 * * *\": cannot use both timeZone field and TZ or CRON_TZ in "
         "schedule"},
        {"a long name from before is kept",
         "{'metadata': {'name': 'a123456789-123456789-123456789-123456789-123456789-12'}}",
         "{'metadata': {'name': 'a123456789-123456789-123456789-123456789-123456789-12'}, 'spec': {'suspend': true}}",
         ""},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.name);
        const batch::CronJob old = make_cron_job(test.before);
        batch::CronJob cron_job = make_cron_job(test.now);
        prepare_cron_job_update(cron_job, old);
        EXPECT_EQ(print_errors(validate_cron_job_update(cron_job, old, knows_europe)), test.errors);
    }
}

TEST(TimeZoneName, StaysInItsDirectory) {
    for (const char* name : {"UTC", "Europe/Paris", "America/Argentina/Ushuaia", "Etc/GMT+5", "EST5EDT"})
        EXPECT_TRUE(is_time_zone_name(name)) << name;
    for (const char* name :
         {"", "/", "/UTC", "UTC/", "a//b", ".", "..", "../x", "a/../b", "-a", "a b", "a:b", "abcdefghijklmno"}) {
        EXPECT_FALSE(is_time_zone_name(name)) << name;
    }
}

}  // namespace cron_job_test
}  // namespace muster::api
