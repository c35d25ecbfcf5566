#include "controllers/queue/orphans/controller.h"

#include <algorithm>

#include "api/kinds/core/pod_phase.h"
#include "api/kinds/kueue/kueue_names.h"
#include "controllers/queue/jobs/decide.h"
#include "controllers/queue/pods/group/compose.h"
#include "controllers/queue/pods/group/gate.h"
#include "controllers/queue/workload/queued_metadata.h"
#include "controllers/queue/workload/workload_state.h"
#include "controllers/queue/workload/workload_writer.h"

namespace muster::controllers {
namespace {

namespace names = api::kueue;

constexpr std::size_t kOrphansAtOnceMax = 64;
// The next check of an orphan for which an object exists that may still become its owner.
constexpr Duration kClaimantRetry = 1s;

// The Workload whose quota the pod uses; see inject_start.
Text paying_workload(const api::core::Pod& pod) {
    if (!pod.metadata.labels.contains(names::kPodSetLabel) || api::core::has_ended(pod)) return {};
    const Text name = value_under(pod.metadata.annotations, names::kWorkloadAnnotation);
    return name.empty() ? Text() : Text(client::format_name({pod.metadata.namespace_, name}));
}

// A mirror of queued pods shows them; other started pods are of Jobs.
bool is_queued_itself(const api::core::Pod& pod) {
    const Text* managed = pod.metadata.labels.find(names::kManagedLabel);
    return managed && *managed == names::kTrue;
}

Text single_workload(const api::core::Pod& pod) {
    if (!podqueue::is_managed(pod) || !podqueue::group_of(pod).empty()) return {};
    return client::format_name({pod.metadata.namespace_, podqueue::single_workload_name(pod)});
}

Text job_workload(const api::batch::Job& job) {
    return client::format_name({job.metadata.namespace_, jobqueue::workload_name_of(job)});
}

}  // namespace

OrphanedWorkloads::OrphanedWorkloads(os::Loop& loop, client::Client& client, client::Metrics& metrics,
                                     const std::string& job_pod_labels)
    : loop_(loop),
      client_(client),
      recorder_(loop, client, "kueue-workload"),
      workloads_(loop, client),
      pods_(loop, client, kManagedPods),
      job_pods_(loop, client, job_pod_labels),
      jobs_(loop, client),
      reconciler_(loop, client::QueueMetrics(metrics, "orphaned_workloads"), kOrphansAtOnceMax,
                  [this](client::ObjectName name) { return sync(std::move(name)); }) {
    started_pods_ =
        pods_.add_index([](const Pod& pod) { return is_queued_itself(pod) ? paying_workload(pod) : Text(); });
    started_job_pods_ =
        job_pods_.add_index([](const Pod& pod) { return is_queued_itself(pod) ? Text() : paying_workload(pod); });
    single_pods_ = pods_.add_index(single_workload);
    jobs_by_workload_ = jobs_.add_index(job_workload);
}

void OrphanedWorkloads::start() {
    workloads_.on_change([this](const WorkloadRef&, const WorkloadRef& now) {
        if (now && queue::is_orphan(*now)) reconciler_.add(client::name_of(*now));
    });
    pods_.on_change([this](const auto& before, const auto& now) {
        if (before && is_queued_itself(*before)) on_pod(before, now);
    });
    job_pods_.on_change([this](const auto& before, const auto& now) {
        if (before && !is_queued_itself(*before)) on_pod(before, now);
    });
    pods_.start();
    job_pods_.start();
    jobs_.start();
    workloads_.start();
    reconciler_.start_after(jobs_, pods_, job_pods_, workloads_);
}

void OrphanedWorkloads::on_pod(const client::Ref<Pod>& before, const client::Ref<Pod>& now) {
    if (!before || paying_workload(*before).empty()) return;
    const bool leaves = now && now->metadata.deletion_timestamp && !before->metadata.deletion_timestamp;
    if (now && !leaves && !paying_workload(*now).empty()) return;
    const client::ObjectName name(before->metadata.namespace_,
                                  value_under(before->metadata.annotations, names::kWorkloadAnnotation));
    const WorkloadRef workload = workloads_.get(name);
    if (workload && queue::is_orphan(*workload)) reconciler_.add(name);
}

bool OrphanedWorkloads::has_claimant(const Workload& workload) const {
    const Text name = client::format_name(client::name_of(workload));
    const auto jobs = jobs_.indexed(jobs_by_workload_, name);
    const bool of_job =
        std::any_of(jobs.begin(), jobs.end(), [](const auto& job) { return !job->metadata.deletion_timestamp; });
    // A pod's end is counted for its Workload, though it may be on its way out.
    return of_job || !pods_.indexed(single_pods_, name).empty();
}

os::Task<bool> OrphanedWorkloads::stop(client::Ref<Pod> pod, WorkloadRef workload) {
    const auto removed = co_await client_.remove<Pod>(client::name_of(*pod), client::Removal(pod->metadata.uid));
    if (!removed.ok() && !is_gone(removed.error())) co_return false;
    const api::meta::Condition* evicted = find_condition(workload->status, names::kWorkloadEvicted);
    recorder_.note(*pod, client::Note::normal("Stopped", evicted ? evicted->message.str() : ""));
    co_return true;
}

os::Task<Worked> OrphanedWorkloads::sync(client::ObjectName name) {
    const WorkloadRef workload = workloads_.get(name);
    if (!workload || !queue::is_orphan(*workload)) co_return Worked::kDone;
    if (has_claimant(*workload)) {
        reconciler_.add_after(name, kClaimantRetry);
        co_return Worked::kLater;
    }
    const Text key = client::format_name(name);
    std::vector<client::Ref<Pod>> seen = pods_.indexed(started_pods_, key);
    for (client::Ref<Pod>& pod : job_pods_.indexed(started_job_pods_, key)) seen.push_back(std::move(pod));
    queue::OrphanPlan plan = queue::decide_orphan(*workload, seen, loop_.now());
    if (plan.release) {
        // Quota is given back, so the pods are read as they are now: the mirror may not have shown the last of them.
        const auto listing = co_await client_.list<Pod>(name.namespace_.str());
        if (!listing.ok()) co_return Worked::kRetry;
        std::vector<client::Ref<Pod>> started;
        for (const client::Ref<Pod>& pod : listing->items)
            if (paying_workload(*pod) == key) started.push_back(pod);
        plan = queue::decide_orphan(*workload, started, loop_.now());
    }
    if (plan.wake_at) reconciler_.add_after(name, *plan.wake_at - loop_.now());
    if (!plan.why.empty()) recorder_.note(*workload, client::Note::normal("ResourceInUse", plan.why));
    for (std::size_t i = 0; i < plan.remove.size(); ++i) {
        const bool removed = co_await stop(plan.remove[i], workload);
        if (!removed) co_return Worked::kRetry;
    }
    // What was written is seen as a change and looked at again.
    WorkloadWriter::Memory memory;
    WorkloadWriter writer(client_, memory, workload);
    if (plan.status) {
        const Result<void> stored = co_await writer.change_status(*plan.status);
        if (!stored.ok()) co_return is_gone(stored.error()) ? Worked::kDone : Worked::kRetry;
    }
    if (!plan.release) co_return Worked::kLater;
    const Result<void> released = co_await writer.release();
    co_return released.ok() || released.error().code == Code::kConflict ? Worked::kDone : Worked::kRetry;
}

}  // namespace muster::controllers
