#include "assembly/cluster/job_watch.h"

#include "api/kinds/job_state.h"

namespace muster {
namespace {

using api::batch::Job;
using api::meta::ManagedFieldsEntry;
using client::MetricInfo;

const MetricInfo kForeignWrites{"muster_foreign_status_writes_total",
                                "Writes by others to the status of Jobs that this process manages, by their field "
                                "manager. Any is a sign of a second Job controller."};

bool is_of_status(const ManagedFieldsEntry& entry) { return entry.subresource == "status"; }

const ManagedFieldsEntry* same_entry(const Job& job, const ManagedFieldsEntry& entry) {
    for (const ManagedFieldsEntry& one : job.metadata.managed_fields)
        if (is_of_status(one) && one.manager == entry.manager && one.operation == entry.operation) return &one;
    return nullptr;
}

}  // namespace

std::optional<Text> foreign_status_writer(const Job& before, const Job& now, std::string_view self) {
    for (const ManagedFieldsEntry& entry : now.metadata.managed_fields) {
        if (!is_of_status(entry) || entry.manager == self) continue;
        const ManagedFieldsEntry* known = same_entry(before, entry);
        if (!known || known->time != entry.time) return entry.manager;
    }
    return std::nullopt;
}

bool needs_other_pods(const Job& job, const controllers::jobs::Ownership& ownership, bool queue) {
    if (!job.spec.manual_selector.value_or(false) || api::batch::is_finished(job.status)) return false;
    return queue || controllers::jobs::is_owned(job, ownership);
}

JobWatch::JobWatch(os::Loop& loop, client::Client& client, client::Metrics& metrics, JobWatchOptions options)
    : metrics_(metrics), options_(std::move(options)), recorder_(loop, client, "job-controller"), jobs_(loop, client) {}

void JobWatch::start() {
    jobs_.on_change([this](const JobRef& before, const JobRef& now) { on_job(before, now); });
    jobs_.start();
}

void JobWatch::on_job(const JobRef& before, const JobRef& now) {
    if (!now) return;
    if (needs_other_pods(*now, options_.ownership, options_.queue)) options_.on_other_pods();
    if (!before || !controllers::jobs::is_owned(*now, options_.ownership)) return;
    if (const auto writer = foreign_status_writer(*before, *now, options_.field_manager))
        on_foreign_write(*now, *writer);
}

void JobWatch::on_foreign_write(const Job& job, const Text& writer) {
    metrics_.count(kForeignWrites, {{"manager", writer.str()}});
    const std::string what = writer.str() +
                             " has written the status of a Job that this process manages: two Job "
                             "controllers are at work, and more pods than wanted may run";
    recorder_.note(job, client::Note::warning("ForeignStatusWrite", what));
    if (told_.insert(writer).second && options_.problem)
        options_.problem(what + " (first seen with Job " + client::format_name(client::name_of(job)) +
                         "; kube-controller-manager must run with --controllers=*,-job-controller beside --job-mode "
                         "all)");
}

}  // namespace muster
