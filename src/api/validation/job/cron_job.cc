#include "api/validation/job/cron_job.h"

#include <algorithm>

#include "api/validation/job/job.h"
#include "api/validation/rules/immutable.h"
#include "api/validation/rules/metadata.h"
#include "api/value/cron_schedule.h"

namespace muster::api {
namespace {

using batch::CronJob;
using batch::CronJobSpec;

// A Job of it is named after it and the minute it is for, eleven characters more; pods must fit 63.
constexpr std::size_t kNameBytesMax = 52;
constexpr std::size_t kZonePartBytesMax = 14;

bool has_zone(const Text& schedule) { return schedule.view().find("TZ") != std::string_view::npos; }

void check_schedule(const CronJobSpec& spec, const CronJobSpec* old, const FieldPath& path, FieldErrors& errors) {
    if (spec.schedule.empty()) {
        errors.add_required(path, "");
        return;
    }
    const auto parsed = CronSchedule::parse(spec.schedule);
    if (!parsed.ok()) errors.add_invalid(path, spec.schedule, parsed.error().message);
    if (!has_zone(spec.schedule)) return;
    if (!old || !has_zone(old->schedule)) {
        errors.add_invalid(path, spec.schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
    } else if (spec.time_zone) {
        errors.add_invalid(path, spec.schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule");
    }
}

bool is_local(std::string_view zone) {
    constexpr std::string_view kLocal = "local";
    return std::equal(zone.begin(), zone.end(), kLocal.begin(), kLocal.end(),
                      [](char c, char lower) { return (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) == lower; });
}

void check_time_zone(const Text& zone, const KnowsTimeZone& knows_time_zone, const FieldPath& path,
                     FieldErrors& errors) {
    if (zone.empty()) {
        errors.add_invalid(path, zone, "timeZone must be nil or non-empty string");
        return;
    }
    const bool well_formed = is_time_zone_name(zone);
    if (well_formed && is_local(zone)) {
        errors.add_invalid(path, zone,
                           "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
    } else if (!well_formed || !knows_time_zone(zone)) {
        errors.add_invalid(path, zone, "unknown time zone " + zone.str());
    }
}

void check_concurrency_policy(const Text& policy, const FieldPath& path, FieldErrors& errors) {
    if (policy.empty()) {
        errors.add_required(path, "");
    } else if (!(policy == "Allow") && !(policy == "Forbid") && !(policy == "Replace")) {
        errors.add_not_supported(path, policy, {"Allow", "Forbid", "Replace"});
    }
}

// Its selector will be made for each Job; it cannot have one of its own.
void check_job_template(const batch::JobTemplateSpec& job, const FieldPath& path, FieldErrors& errors) {
    check_job_spec(job.spec, path.child("spec"), errors);
    if (job.spec.selector) {
        errors.add_invalid(path.child("spec", "selector"), shown_json(*job.spec.selector),
                           "`selector` will be auto-generated");
    }
    if (job.spec.manual_selector.value_or(false))
        errors.add_not_supported(path.child("spec", "manualSelector"), true, {"nil", "false"});
}

void check_spec(const CronJobSpec& spec, const CronJobSpec* old, const KnowsTimeZone& knows_time_zone,
                FieldErrors& errors) {
    const FieldPath path("spec");
    check_schedule(spec, old, path.child("schedule"), errors);
    if (spec.starting_deadline_seconds)
        check_non_negative(path.child("startingDeadlineSeconds"), *spec.starting_deadline_seconds, errors);
    if (spec.time_zone && (!old || old->time_zone != spec.time_zone))
        check_time_zone(*spec.time_zone, knows_time_zone, path.child("timeZone"), errors);
    check_concurrency_policy(spec.concurrency_policy, path.child("concurrencyPolicy"), errors);
    check_job_template(spec.job_template, path.child("jobTemplate"), errors);
    if (spec.successful_jobs_history_limit)
        check_non_negative(path.child("successfulJobsHistoryLimit"), *spec.successful_jobs_history_limit, errors);
    if (spec.failed_jobs_history_limit)
        check_non_negative(path.child("failedJobsHistoryLimit"), *spec.failed_jobs_history_limit, errors);
}

}  // namespace

bool is_time_zone_name(std::string_view name) {
    for (;;) {
        const std::size_t end = name.find('/');
        const std::string_view part = name.substr(0, end);
        const bool well_formed = std::all_of(part.begin(), part.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
                   c == '_' || c == '+';
        });
        if (!well_formed || part.empty() || part.size() > kZonePartBytesMax || part == "." || part == ".." ||
            part.front() == '-') {
            return false;
        }
        if (end == std::string_view::npos) return true;
        name.remove_prefix(end + 1);
    }
}

FieldErrors validate_cron_job_create(const CronJob& cron_job, const KnowsTimeZone& knows_time_zone) {
    FieldErrors errors;
    check_metadata(cron_job.metadata, true, is_dns1123_subdomain, FieldPath("metadata"), errors);
    check_spec(cron_job.spec, nullptr, knows_time_zone, errors);
    if (cron_job.metadata.name.size() > kNameBytesMax) {
        errors.add_invalid(FieldPath("metadata").child("name"), cron_job.metadata.name,
                           max_length_sentence(kNameBytesMax));
    }
    return errors;
}

FieldErrors validate_cron_job_update(const CronJob& cron_job, const CronJob& old,
                                     const KnowsTimeZone& knows_time_zone) {
    FieldErrors errors;
    check_spec(cron_job.spec, &old.spec, knows_time_zone, errors);
    return errors;
}

std::vector<std::string> cron_job_warnings(const CronJob& cron_job, const CronJob* old) {
    std::vector<std::string> warnings;
    if (!old || old->metadata.generation != cron_job.metadata.generation)
        warnings = job_spec_warnings(FieldPath("spec").child("jobTemplate", "spec"), cron_job.spec.job_template.spec);
    if (!old && !is_dns1123_label(cron_job.metadata.name).empty()) {
        warnings.push_back("metadata.name: Jobs, pods and host names are named after it, so it is better a DNS label");
    }
    if (old && has_zone(cron_job.spec.schedule))
        warnings.push_back("spec.schedule: a time zone within the schedule is no longer supported; use timeZone");
    return warnings;
}

}  // namespace muster::api
