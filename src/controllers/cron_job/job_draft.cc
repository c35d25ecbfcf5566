#include "controllers/cron_job/job_draft.h"

#include <chrono>

#include "controllers/cron_job/decide.h"
#include "controllers/owners.h"

namespace muster::controllers {
namespace {

using api::batch::CronJob;
using api::batch::Job;

std::string two_digits(std::int64_t number) {
    return {static_cast<char>('0' + number / 10), static_cast<char>('0' + number % 10)};
}

}  // namespace

Text tick_name(const CronJob& cron, Instant scheduled_at) {
    return Text(cron.metadata.name + ("-" + std::to_string(scheduled_at.unix_seconds() / 60)));
}

Job draft_job(const CronJob& cron, Instant scheduled_at, const TimeZone& zone) {
    const auto& shape = cron.spec.job_template;
    Job job;
    job.metadata.namespace_ = cron.metadata.namespace_;
    job.metadata.name = tick_name(cron, scheduled_at);
    job.metadata.labels = shape.metadata.labels;
    job.metadata.annotations = shape.metadata.annotations;
    job.metadata.annotations.set(kScheduledTimestampAnnotation, format_rfc3339(scheduled_at, zone));
    job.metadata.owner_references.edit().push_back(controller_reference(kCronJobOwner, cron.metadata));
    job.spec = shape.spec;
    return job;
}

api::core::ObjectReference reference_to(const Job& job) {
    api::core::ObjectReference reference;
    reference.kind = "Job";
    reference.api_version = "batch/v1";
    reference.namespace_ = job.metadata.namespace_;
    reference.name = job.metadata.name;
    reference.uid = job.metadata.uid;
    reference.resource_version = job.metadata.resource_version;
    return reference;
}

std::string format_rfc3339(Instant instant, const TimeZone& zone) {
    const std::int32_t offset = zone.offset_at(instant);
    std::string text = api::Time::from_unix_seconds(instant.unix_seconds() + offset).text();
    if (offset == 0) return text;
    const std::int32_t minutes = (offset < 0 ? -offset : offset) / 60;
    text.back() = offset < 0 ? '-' : '+';
    return text.append(two_digits(minutes / 60)).append(":").append(two_digits(minutes % 60));
}

std::string format_rfc1123(Instant instant) {
    static constexpr const char* kWeekdays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                              "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const std::chrono::sys_seconds at{std::chrono::seconds(instant.unix_seconds())};
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date(day);
    const std::int64_t second = (at - day).count();
    std::string text = kWeekdays[std::chrono::weekday(day).c_encoding()];
    text.append(", ").append(two_digits(static_cast<unsigned>(date.day())));
    text.append(" ").append(kMonths[static_cast<unsigned>(date.month()) - 1]);
    text.append(" ").append(std::to_string(static_cast<int>(date.year()))).append(" ");
    text.append(two_digits(second / 3600)).append(":").append(two_digits(second / 60 % 60));
    return text.append(":").append(two_digits(second % 60)).append(" +0000");
}

}  // namespace muster::controllers
