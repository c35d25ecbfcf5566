#include "controllers/queue/admission/workloads/reports.h"

#include <algorithm>

#include "api/kinds/kueue/kueue_names.h"
#include "controllers/queue/workload/words.h"
#include "controllers/queue/workload/workload_state.h"
#include "os/log/log.h"

namespace muster::controllers::queue {
namespace {

namespace kueue = api::kueue;

double in_seconds(Duration span) { return std::chrono::duration<double>(std::max(span, Duration(0))).count(); }

}  // namespace

WorkloadReports::WorkloadReports(os::Loop& loop, client::Client& client, AdmissionMetrics& metrics,
                                 const Environment& environment, const Engine& engine)
    : loop_(loop),
      metrics_(metrics),
      environment_(environment),
      engine_(engine),
      recorder_(loop, client, "kueue-admission") {}

Text WorkloadReports::known_queue(const Text& cluster_queue) const {
    return environment_.find_cluster_queue(cluster_queue) ? cluster_queue : Text();
}

Counted WorkloadReports::counted_in(const Text& cluster_queue, const Workload& workload) const {
    const client::ObjectName local_queue{workload.metadata.namespace_, workload.spec.queue_name};
    Counted in;
    in.cluster_queue = known_queue(cluster_queue);
    if (environment_.find_local_queue(local_queue)) in.local_queue = local_queue;
    if (!in.cluster_queue.empty()) in.cohorts = engine_.cohorts_above(in.cluster_queue);
    if (workload.spec.priority_class_ref) in.priority_class = workload.spec.priority_class_ref->name;
    return in;
}

void WorkloadReports::stored(const Workload& workload, const Told& told) {
    const Counted in =
        counted_in(workload.status.admission ? workload.status.admission->cluster_queue : Text(), workload);
    const bool warns =
        told.what == Told::What::kExplanation || told.reason == controllers::reason_of(Word::kChecksRejectedEvent);
    if (!told.reason.empty()) note(workload, told.reason, told.message, warns ? "Warning" : "Normal");
    if (!told.evicted_for.empty()) count_eviction(workload, in, told.evicted_for);
    if (!told.preempt_reason.empty()) metrics_.preempted(known_queue(told.preemptor_queue), told.preempt_reason);
    const double waited = in_seconds(loop_.now() - queue_time(workload, true));
    if (told.what == Told::What::kAdmission) metrics_.reserved(in, waited);
    if (!(told.reason == kueue::kReasonAdmitted)) return;
    const auto* reserved = find_condition(workload.status, kueue::kWorkloadQuotaReserved);
    metrics_.admitted(in, waited, reserved ? in_seconds(loop_.now() - reserved->last_transition_time.instant()) : 0);
}

void WorkloadReports::count_eviction(const Workload& workload, const Counted& in, const Text& reason) {
    const EvictionCause cause = split_eviction(reason);
    bool first = false;
    if (workload.status.scheduling_stats)
        for (const auto& counted : workload.status.scheduling_stats->evictions)
            first |=
                counted.reason == cause.reason && counted.underlying_cause == cause.underlying && counted.count == 1;
    metrics_.evicted(in, cause.reason, cause.underlying, first);
}

void WorkloadReports::settled(const Workload& workload, const Place& before, const Place& now) {
    const bool finished = is_finished(workload.status);
    if (now.over && !before.over && before.holds_quota()) metrics_.finished(counted_in(now.cluster_queue, workload));
    const auto* evicted = find_condition(workload.status, kueue::kWorkloadEvicted);
    if (before.holds_quota() && !now.holds_quota() && is_evicted(workload.status) && !finished)
        metrics_.gave_back(known_queue(before.cluster_queue), split_eviction(evicted->reason).reason,
                           in_seconds(loop_.now() - evicted->last_transition_time.instant()));
    const auto* ready = find_condition(workload.status, kueue::kWorkloadPodsReady);
    const auto* admitted = find_condition(workload.status, kueue::kWorkloadAdmitted);
    const bool gets_ready = before.holds_quota() && before.unready && !now.unready && now.phase == Phase::kAdmitted;
    if (!gets_ready || !ready || !admitted || !(ready->reason == kueue::kPodsReadyStarted)) return;
    const Instant at = ready->last_transition_time.instant();
    metrics_.ready(counted_in(now.cluster_queue, workload), in_seconds(at - queue_time(workload, true)),
                   in_seconds(at - admitted->last_transition_time.instant()));
}

void WorkloadReports::preempts(const Workload& preemptor, const client::ObjectName& victim, const Text& victim_uid,
                               const Text& victim_queue) {
    note(preemptor, controllers::reason_of(Word::kPreemptedWorkloadEvent),
         say(Word::kPreemptedWorkloadEvent, {client::format_name(victim), victim_uid.view(), victim_queue.view()}),
         "Normal");
}

void WorkloadReports::note(const Workload& workload, Text reason, std::string message, const char* type) {
    LOG_INFO(2, "Told of a Workload", {"workload", client::name_of(workload)}, {"reason", reason},
             {"message", message});
    client::Note note;
    note.type = type;
    note.reason = std::move(reason);
    note.message = std::move(message);
    recorder_.note(workload, std::move(note));
}

}  // namespace muster::controllers::queue
