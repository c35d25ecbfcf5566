#include "sim/world/upstream_jobs.h"

#include <algorithm>

#include "base/reached.h"
#include "sim/checkers/job_facts.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

using client::ObjectName;
using client::Worked;

constexpr Duration kBatch = 1s;
constexpr Duration kExpectationsLast = 5min;
constexpr std::size_t kUncountedMax = 500;
constexpr const char* kFinalizer = "batch.kubernetes.io/job-tracking";
constexpr const char* kIndexName = "batch.kubernetes.io/job-completion-index";

bool is_modelled(const Job& job) {
    const auto& spec = job.spec;
    return !spec.suspend.value_or(false) && !has_condition(job, "Suspended") && !spec.active_deadline_seconds &&
           !spec.success_policy && !spec.pod_failure_policy && !spec.backoff_limit_per_index &&
           !spec.pod_replacement_policy && spec.completions && spec.template_.spec.restart_policy == "Never";
}

// A pod that is on its way out has failed, whatever it does on the way, unless it has succeeded.
bool has_failed(const Pod& pod) {
    return pod.status.phase == "Failed" || (is_deleting(pod) && !(pod.status.phase == "Succeeded"));
}
bool is_active(const Pod& pod) { return !has_ended(pod) && !is_deleting(pod); }

bool is_index_of(const Job& job, std::int32_t index) { return index >= 0 && index < job.spec.completions.value_or(0); }

std::string format_indexes(const std::set<std::int32_t>& indexes) {
    std::string text;
    for (auto at = indexes.begin(); at != indexes.end();) {
        auto last = at;
        while (std::next(last) != indexes.end() && *std::next(last) == *last + 1) ++last;
        text += (text.empty() ? "" : ",") + std::to_string(*at);
        if (last != at) text += (*last == *at + 1 ? "," : "-") + std::to_string(*last);
        at = std::next(last);
    }
    return text;
}

void set_condition(api::batch::JobStatus& status, const char* type, const char* reason, Instant now) {
    for (const auto& condition : status.conditions)
        if (condition.type == type && condition.status == "True") return;
    api::batch::JobCondition condition;
    condition.type = type;
    condition.status = "True";
    condition.reason = reason;
    condition.last_probe_time = condition.last_transition_time = api::Time::from_instant(now);
    status.conditions.edit().push_back(std::move(condition));
}

// Those that no longer hold a finalizer become numbers.
void settle(List<Text>& uids, const std::set<Text>& held, std::int32_t* number) {
    List<Text> left;
    for (const Text& uid : uids)
        if (held.contains(uid)) left.edit().push_back(uid);
    const auto gone = static_cast<std::int32_t>(uids.size() - left.size());
    if (number) *number += gone;
    uids = std::move(left);
}

bool lists(const List<Text>& uids, const Text& uid) { return std::find(uids.begin(), uids.end(), uid) != uids.end(); }

}  // namespace

UpstreamJobs::UpstreamJobs(World& world)
    : loop_(world.loop, Duration()),
      client_(world, loop_, "kube-controller-manager", true),
      queue_(loop_, {}, {1s, 60s}),
      jobs_(loop_, client_),
      pods_(loop_, client_),
      workers_(loop_, queue_, 5, [this](ObjectName name) { return sync(std::move(name)); }) {
    by_owner_ = pods_.add_index([](const Pod& pod) { return job_uid_of(pod); });
    jobs_.on_change([this](const JobRef& before, const JobRef& now) {
        if (!now) expectations_.erase(before->metadata.uid);
        if (now) queue_.add_after(client::name_of(*now), before ? kBatch : Duration());
    });
    pods_.on_change([this](const PodRef& before, const PodRef& now) { on_pod(before, now); });
    jobs_.start();
    pods_.start();
    workers_.start();
}

void UpstreamJobs::on_pod(const PodRef& before, const PodRef& now) {
    const Pod& pod = now ? *now : *before;
    shown_.insert(pod.metadata.uid);
    Expectations& expected = expectations_[job_uid_of(pod)];
    if (!before && expected.creations > 0) --expected.creations;
    if (!now || is_deleting(pod)) expected.deletions.erase(pod.metadata.uid);
    if (!now || !is_tracked(pod)) expected.releases.erase(pod.metadata.uid);
    for (const auto& owner : pod.metadata.owner_references)
        if (owner.kind == "Job") queue_.add_after({pod.metadata.namespace_, owner.name}, kBatch);
}

os::Task<Worked> UpstreamJobs::sync(ObjectName name) {
    co_await jobs_.wait_synced();
    co_await pods_.wait_synced();
    const JobRef job = jobs_.get(name);
    if (!job || is_finished(*job) || is_deleting(*job) || !is_modelled(*job)) co_return Worked::kDone;
    const Text uid = job->metadata.uid;
    const Expectations& expected = expectations_[uid];
    const bool satisfied = expected.creations == 0 && expected.deletions.empty();
    if (!satisfied && loop_.uptime() < expected.expire_at) {
        queue_.add_after(name, expected.expire_at - loop_.uptime());
        co_return Worked::kLater;
    }
    const std::vector<PodRef> pods = pods_.indexed(by_owner_, uid);
    const Count found = count(*job, pods, expected);
    bool managed = true;
    if (found.ends())
        managed = co_await remove_all(found.active, uid);
    else
        managed = co_await manage(job, found);
    const Result<void> tracked = co_await track(job, pods, found);
    co_return managed&& tracked.ok() ? Worked::kDone : Worked::kRetry;
}

UpstreamJobs::Count UpstreamJobs::count(const Job& job, const std::vector<PodRef>& pods,
                                        const Expectations& expected) const {
    Count count;
    for (const std::int32_t index : parse_indexes(job.status.completed_indexes))
        if (is_index_of(job, index)) count.done.insert(index);
    const std::set<Text> named_succeeded = uncounted_succeeded(job);
    const std::set<Text> named_failed = uncounted_failed(job);
    count.succeeded = job.status.succeeded + static_cast<std::int32_t>(named_succeeded.size());
    count.failed = job.status.failed + static_cast<std::int32_t>(named_failed.size());
    for (const PodRef& pod : pods) {
        const Text& uid = pod->metadata.uid;
        if (is_active(*pod)) count.active.push_back(pod);
        const bool is_new = is_tracked(*pod) && !expected.releases.contains(uid) && !named_succeeded.contains(uid) &&
                            !named_failed.contains(uid);
        if (!is_new) continue;
        const std::int32_t index = index_of(*pod);
        const bool belongs = !is_indexed(job) || is_index_of(job, index);
        if (pod->status.phase == "Succeeded" && is_indexed(job) && belongs) count.done.insert(index);
        if (pod->status.phase == "Succeeded" && !is_indexed(job)) ++count.succeeded;
        if (has_failed(*pod) && belongs) ++count.failed;
    }
    if (is_indexed(job)) count.succeeded = static_cast<std::int32_t>(count.done.size());
    count.complete = count.succeeded >= *job.spec.completions || has_condition(job, "SuccessCriteriaMet");
    count.too_many_failures =
        !has_condition(job, "SuccessCriteriaMet") &&
        (count.failed > job.spec.backoff_limit.value_or(6) || has_condition(job, "FailureTarget"));
    if (count.too_many_failures) count.complete = false;
    return count;
}

os::Task<bool> UpstreamJobs::remove_all(std::vector<PodRef> pods, Text job_uid) {
    bool all = true;
    for (const PodRef& pod : pods) {
        Expectations& expected = expectations_[job_uid];
        expected.deletions.insert(pod->metadata.uid);
        expected.expire_at = loop_.uptime() + kExpectationsLast;
        const ObjectName name = client::name_of(*pod);
        const Result<void> removed = co_await client_.remove<Pod>(name);
        if (removed.ok()) continue;
        expectations_[job_uid].deletions.erase(pod->metadata.uid);
        all = all && client::is_gone(removed.error());
    }
    co_return all;
}

os::Task<bool> UpstreamJobs::manage(JobRef job, Count count) {
    const Text uid = job->metadata.uid;
    std::vector<PodRef> excess;
    std::set<std::int32_t> taken = count.done;
    std::erase_if(count.active, [&](const PodRef& pod) {
        if (!is_indexed(*job)) return false;
        const std::int32_t index = index_of(*pod);
        const bool wanted = is_index_of(*job, index) && taken.insert(index).second;
        if (!wanted) excess.push_back(pod);
        return !wanted;
    });
    const std::int32_t wanted =
        std::min(job->spec.parallelism.value_or(1), std::max(*job->spec.completions - count.succeeded, 0));
    while (std::ssize(count.active) > wanted) {
        excess.push_back(count.active.back());
        count.active.pop_back();
    }
    if (!excess.empty()) co_return co_await remove_all(std::move(excess), uid);
    bool all = true;
    std::int32_t index = 0;
    for (std::int32_t missing = wanted - static_cast<std::int32_t>(count.active.size()); missing > 0 && all;
         --missing) {
        while (is_indexed(*job) && taken.contains(index)) ++index;
        if (is_indexed(*job)) taken.insert(index);
        Expectations& expected = expectations_[uid];
        ++expected.creations;
        expected.expire_at = loop_.uptime() + kExpectationsLast;
        Pod draft = draft_pod(*job, is_indexed(*job) ? index : -1);
        const auto made = co_await client_.create<Pod>(std::move(draft));
        if (made.ok()) continue;
        REACHED("upstream's Job controller gives up on a creation");
        all = false;
        if (expectations_[uid].creations > 0) --expectations_[uid].creations;
    }
    co_return all;
}

UpstreamJobs::Pod UpstreamJobs::draft_pod(const Job& job, std::int32_t index) {
    Pod pod;
    pod.metadata.namespace_ = job.metadata.namespace_;
    pod.metadata.labels = job.spec.template_.metadata.labels;
    pod.metadata.annotations = job.spec.template_.metadata.annotations;
    pod.metadata.finalizers = {kFinalizer};
    api::meta::OwnerReference owner;
    owner.api_version = "batch/v1";
    owner.kind = "Job";
    owner.name = job.metadata.name;
    owner.uid = job.metadata.uid;
    owner.controller = owner.block_owner_deletion = true;
    pod.metadata.owner_references = {owner};
    pod.spec = job.spec.template_.spec;
    std::string name = job.metadata.name.str() + "-";
    if (index >= 0) {
        const std::string number = std::to_string(index);
        name += number + "-";
        pod.metadata.labels.set(kIndexName, number);
        pod.metadata.annotations.set(kIndexName, number);
    }
    pod.metadata.generate_name = name;
    return pod;
}

os::Task<Result<UpstreamJobs::JobRef>> UpstreamJobs::write(JobRef job, api::batch::JobStatus status) {
    if (status == job->status) co_return job;
    Job draft = *job;
    draft.status = std::move(status);
    co_return co_await client_.change_status<Job>(job, std::move(draft));
}

// Names what has ended, then releases it, then makes numbers of the names, each in its turn.
os::Task<Result<void>> UpstreamJobs::track(JobRef job, std::vector<PodRef> pods, Count count) {
    const Text uid = job->metadata.uid;
    api::batch::JobStatus status = job->status;
    if (!status.start_time) status.start_time = api::Time::from_instant(loop_.now());
    auto& uncounted = status.uncounted_terminated_pods.edit();
    std::set<Text> held;
    for (const PodRef& pod : pods)
        if (is_tracked(*pod) && !expectations_[uid].releases.contains(pod->metadata.uid))
            held.insert(pod->metadata.uid);
    // Upstream takes a pod that its view does not show for gone. Beside another controller that would count it before
    // its finalizer goes, which is upstream's affair and not what is simulated here.
    for (const List<Text>* names : {&uncounted.succeeded, &uncounted.failed})
        for (const Text& name : *names)
            if (!shown_.contains(name)) held.insert(name);
    settle(uncounted.succeeded, held, is_indexed(*job) ? nullptr : &status.succeeded);
    settle(uncounted.failed, held, &status.failed);

    std::vector<PodRef> release;
    std::set<std::int32_t> done;
    for (const std::int32_t index : parse_indexes(status.completed_indexes))
        if (is_index_of(*job, index)) done.insert(index);
    std::int32_t terminating = 0;
    std::int32_t active = 0;
    std::int32_t ready = 0;
    for (const PodRef& pod : pods) {
        const Text& pod_uid = pod->metadata.uid;
        terminating += is_deleting(*pod) && !has_ended(*pod) ? 1 : 0;
        active += is_active(*pod) ? 1 : 0;
        for (const auto& condition : pod->status.conditions)
            ready += is_active(*pod) && condition.type == "Ready" && condition.status == "True" ? 1 : 0;
        if (!held.contains(pod_uid) || release.size() >= kUncountedMax) continue;
        const std::int32_t index = index_of(*pod);
        const bool belongs = !is_indexed(*job) || is_index_of(*job, index);
        if (pod->status.phase == "Succeeded" && !lists(uncounted.failed, pod_uid)) {
            if (is_indexed(*job) && belongs) done.insert(index);
            if (!is_indexed(*job) && !lists(uncounted.succeeded, pod_uid))
                uncounted.succeeded.edit().push_back(pod_uid);
            release.push_back(pod);
        } else if (has_failed(*pod) || lists(uncounted.failed, pod_uid)) {
            if (belongs && !lists(uncounted.failed, pod_uid)) uncounted.failed.edit().push_back(pod_uid);
            release.push_back(pod);
        }
    }
    if (is_indexed(*job)) {
        status.completed_indexes = format_indexes(done);
        status.succeeded = static_cast<std::int32_t>(done.size());
    }
    status.active = active;
    status.ready = ready;
    status.terminating = terminating;
    if (count.complete) set_condition(status, "SuccessCriteriaMet", "CompletionsReached", loop_.now());
    if (count.too_many_failures) set_condition(status, "FailureTarget", "BackoffLimitExceeded", loop_.now());
    const bool over = count.ends() && held.empty() && active == 0 && terminating == 0 && uncounted.succeeded.empty() &&
                      uncounted.failed.empty();
    if (over && count.complete) {
        set_condition(status, "Complete", "CompletionsReached", loop_.now());
        status.completion_time = api::Time::from_instant(loop_.now());
    } else if (over) {
        set_condition(status, "Failed", "BackoffLimitExceeded", loop_.now());
    }
    if (over) REACHED("upstream's Job controller ends a Job");
    CO_TRY_ASSIGN(job, co_await write(job, std::move(status)));

    for (const PodRef& pod : release) {
        expectations_[uid].releases.insert(pod->metadata.uid);
        client::MetadataPatch patch;
        patch.remove_finalizers.emplace_back(kFinalizer);
        const ObjectName name = client::name_of(*pod);
        const auto released = co_await client_.patch_metadata<Pod>(name, std::move(patch));
        if (released.ok() || client::is_gone(released.error())) continue;
        expectations_[uid].releases.erase(pod->metadata.uid);
        co_return released.error();
    }
    co_return Result<void>();
}

}  // namespace muster::sim
