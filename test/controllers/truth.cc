#include "controllers/truth.h"

#include <algorithm>

#include "controllers/node.h"
#include "server/kind_object/kind_object.h"

namespace muster::worlds {
namespace {

using api::batch::Job;
using api::core::Pod;

template <class K>
client::Ref<K> as(const store::ObjectPtr& object) {
    return {object, &static_cast<const server::TypedObject<K>&>(*object).value};
}

template <class K>
std::string prefix_of() {
    return server::list_prefix(api::kind_info<K>(), "");
}

bool is_active(const Pod& pod) { return !has_ended(pod) && !is_deleting(pod); }
bool replaces_only_failed(const Job& job) { return job.spec.pod_replacement_policy == Text("Failed"); }

std::vector<Text> uncounted(const Job& job) {
    std::vector<Text> uids;
    if (!job.status.uncounted_terminated_pods) return uids;
    for (const auto* list :
         {&job.status.uncounted_terminated_pods->succeeded, &job.status.uncounted_terminated_pods->failed})
        for (const Text& uid : *list) uids.push_back(uid);
    return uids;
}

bool was_named_failed(const Job& job, const Pod& pod) {
    if (!job.status.uncounted_terminated_pods) return false;
    const auto& failed = job.status.uncounted_terminated_pods->failed;
    return std::find(failed.begin(), failed.end(), pod.metadata.uid) != failed.end();
}

std::string text(std::int64_t number) { return std::to_string(number); }

}  // namespace

std::string format_status(const Job& job) {
    const auto& status = job.status;
    std::string line = "@" + job.metadata.resource_version.str() + " gen " + text(job.metadata.generation);
    line += " active " + text(status.active) + " ready " + text(status.ready.value_or(-1));
    line += " terminating " + text(status.terminating.value_or(-1));
    line += " succeeded " + text(status.succeeded) + " failed " + text(status.failed);
    if (!status.completed_indexes.empty()) line += " completed [" + status.completed_indexes.str() + "]";
    if (status.failed_indexes) line += " failed [" + status.failed_indexes->str() + "]";
    for (const Text& uid : uncounted(job)) line += " ~" + uid.str().substr(0, 8);
    for (const auto& condition : status.conditions)
        line += " " + condition.type.str() + "=" + condition.status.str() + "(" + condition.reason.str() + ")";
    if (job.metadata.deletion_timestamp) line += " deleting";
    return line;
}

void Truth::open(store::Store& store) {
    std::set<Text> seen;
    const store::Listing jobs = store.list(prefix_of<Job>()).value();
    const store::Listing pods = store.list(prefix_of<Pod>()).value();
    for (const store::Stored& stored : jobs.items) {
        seen.insert(as<Job>(stored.object)->metadata.uid);
        on_job(as<Job>(stored.object), false);
    }
    for (const store::Stored& stored : pods.items) {
        seen.insert(as<Pod>(stored.object)->metadata.uid);
        on_pod(as<Pod>(stored.object), false);
    }
    for (auto& [uid, pod] : pods_)
        if (!pod.gone && !seen.contains(uid)) on_pod(client::Ref<Pod>(pod.last), true);
    for (auto& [uid, job] : jobs_)
        if (!job.gone && !seen.contains(uid)) on_job(client::Ref<Job>(job.versions.back()), true);
    job_watch_ = store.watch(prefix_of<Job>(), store.revision(), store::Visibility::kDurable).value();
    pod_watch_ = store.watch(prefix_of<Pod>(), store.revision(), store::Visibility::kDurable).value();
}

void Truth::close() {
    (void)look();
    job_watch_.reset();
    pod_watch_.reset();
}

bool Truth::look() {
    if (!job_watch_) return false;
    std::vector<Change> changes;
    while (const store::Event* event = job_watch_->next().value()) {
        const bool deleted = event->type == store::EventType::kDeleted;
        changes.push_back({event->revision, true, as<Job>(deleted ? event->previous : event->object), {}, deleted});
    }
    while (const store::Event* event = pod_watch_->next().value()) {
        const bool deleted = event->type == store::EventType::kDeleted;
        changes.push_back({event->revision, false, {}, as<Pod>(deleted ? event->previous : event->object), deleted});
    }
    std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.revision < b.revision; });
    for (const Change& change : changes) take(change);
    return !changes.empty();
}

void Truth::take(const Change& change) {
    if (change.is_job)
        on_job(change.job, change.deleted);
    else
        on_pod(change.pod, change.deleted);
}

void Truth::on_job(const client::Ref<Job>& now, bool deleted) {
    JobTruth& job = jobs_[now->metadata.uid];
    if (deleted) {
        job.gone = true;
        return;
    }
    if (job.versions.empty())
        job_by_name_[now->metadata.name.str()] = now->metadata.uid;
    else if (!(job.last().metadata.resource_version == now->metadata.resource_version))
        check_status(job.last(), *now);
    job.versions.push_back(now);
}

void Truth::check_status(const Job& before, const Job& now) {
    const auto& was = before.status;
    const auto& is = now.status;
    const auto blame_here = [&](const std::string& what) {
        blame(now.metadata.name.str() + " " + format_status(now) + ": " + what);
    };
    if (is.failed < was.failed) blame_here("failed fell from " + text(was.failed));
    const bool shrunk = now.spec.completions < before.spec.completions || is_indexed(now);
    if (is.succeeded < was.succeeded && !shrunk) blame_here("succeeded fell from " + text(was.succeeded));
    if (is_indexed(now)) {
        const auto done = parse_indexes(is.completed_indexes);
        for (const std::int32_t index : parse_indexes(was.completed_indexes))
            if (index < now.spec.completions.value_or(0) && !done.contains(index))
                blame_here("index " + text(index) + " is no longer completed");
        if (is.succeeded != static_cast<int>(done.size())) blame_here("succeeded is not the number of indexes");
    }
    if (is_finished(before) && !(is == was)) blame_here("a finished Job's status changed");
    if (is.ready.value_or(0) > is.active) blame_here("more are ready than active");
    if (has_condition(now, "Complete") && !has_condition(now, "SuccessCriteriaMet"))
        blame_here("Complete without SuccessCriteriaMet");
    if (has_condition(now, "Failed") && !has_condition(now, "FailureTarget"))
        blame_here("Failed without FailureTarget");
    if (is_finished(now) && !uncounted(now).empty()) blame_here("finished with uncounted pods");
    std::vector<Text> names = uncounted(now);
    std::sort(names.begin(), names.end(), [](const Text& a, const Text& b) { return a.view() < b.view(); });
    if (std::adjacent_find(names.begin(), names.end()) != names.end()) blame_here("a UID is there twice");
    for (const Text& uid : names) {
        const auto pod = pods_.find(uid);
        if (pod == pods_.end() || !(pod->second.job == now.metadata.uid))
            blame_here("a UID that is no pod of this Job: " + uid.str());
    }
}

void Truth::on_pod(const client::Ref<Pod>& now, bool deleted) {
    PodTruth& pod = pods_[now->metadata.uid];
    const client::Ref<Pod> before = pod.last;
    pod.last = now;
    if (!before) {
        on_new_pod(pod);
    } else if (is_tracked(*before) && (deleted || !is_tracked(*now))) {
        on_release(pod, *before);
    } else if (!is_tracked(*before) && is_tracked(*now) && pod.fate == Fate::kUntracked) {
        pod.fate = Fate::kOpen;  // adopted
    }
    if (const auto* owner = job_of(*now); owner && pod.job.empty()) pod.job = owner->uid;
    if (has_ended(*now) && !now->status.container_statuses.empty() &&
        now->status.container_statuses[0].state.terminated)
        pod.exit_code = now->status.container_statuses[0].state.terminated->exit_code;
    pod.gone = deleted;
}

void Truth::on_new_pod(PodTruth& pod) {
    const Pod& now = *pod.last;
    pod.index = index_of(now);
    if (!is_tracked(now)) pod.fate = Fate::kUntracked;
    const auto* owner = job_of(now);
    if (!owner) return;
    pod.job = owner->uid;
    const auto job = jobs_.find(owner->uid);
    if (job == jobs_.end()) return;
    int parallelism = 0;
    for (const auto& version : job->second.versions)
        parallelism = std::max(parallelism, version->spec.parallelism.value_or(1));
    int active = 0;
    int same_index = 0;
    const bool with_terminating = replaces_only_failed(job->second.last());
    for (const auto& [uid, other] : pods_) {
        const auto* other_owner = job_of(*other.last);
        if (other.gone || !other_owner || !(other_owner->uid == pod.job) || has_ended(*other.last)) continue;
        // Deleted pods without the finalizer do not count as active.
        if (is_deleting(*other.last) && (!with_terminating || !is_tracked(*other.last))) continue;
        ++active;
        if (pod.index >= 0 && other.index == pod.index) ++same_index;
    }
    job->second.active_max = std::max(job->second.active_max, active);
    const std::string where = owner->name.str() + ": " + now.metadata.name.str() + " is ";
    if (active > parallelism + excess_allowed)
        blame(where + "pod " + text(active) + " at parallelism " + text(parallelism));
    if (same_index > 1 + excess_allowed) blame(where + "the second of its index");
}

void Truth::on_release(PodTruth& pod, const Pod& before) {
    const auto found = jobs_.find(pod.job);
    pod.was_deleted = is_deleting(before);
    if (found == jobs_.end() || found->second.gone || found->second.last().metadata.deletion_timestamp) {
        pod.fate = Fate::kAfterEnd;
        return;
    }
    const Job& job = found->second.last();
    pod.completions = job.spec.completions.value_or(0);
    if (has_ended(before)) {
        pod.fate = before.status.phase == "Succeeded" ? Fate::kSucceeded : Fate::kFailed;
        // One that was deleted before it ended well has failed if a status says so.
        if (pod.was_deleted && was_named_failed(job, before)) pod.fate = Fate::kFailed;
        check_accounted(pod, before, job);
    } else if (is_finished(job)) {
        pod.fate = Fate::kAfterEnd;
    } else {
        pod.fate = is_deleting(before) ? Fate::kDeleted : Fate::kDismissed;
    }
}

// KEP-2307: a finalizer goes only after a status that accounts for the pod is stored.
void Truth::check_accounted(const PodTruth& pod, const Pod& before, const Job& job) {
    const std::vector<Text> names = uncounted(job);
    if (!is_tracking) return;
    if (std::find(names.begin(), names.end(), before.metadata.uid) != names.end()) return;
    if (is_indexed(job)) {
        if (pod.index < 0 || pod.index >= job.spec.completions.value_or(0)) return;
        if (before.status.phase == "Succeeded" && parse_indexes(job.status.completed_indexes).contains(pod.index))
            return;
    }
    if (before.status.phase == "Failed" && (is_ignored(pod) || has_condition(job, "SuccessCriteriaMet"))) return;
    blame(before.metadata.name.str() + " (" + before.status.phase.str() +
          ") lost its finalizer unaccounted for: " + format_status(job));
}

const Job* Truth::job(std::string_view name) const {
    const JobTruth* found = story(name);
    return found && !found->gone ? &found->last() : nullptr;
}

const JobTruth* Truth::story(std::string_view name) const {
    const auto uid = job_by_name_.find(std::string(name));
    return uid == job_by_name_.end() ? nullptr : &jobs_.at(uid->second);
}

std::vector<client::Ref<Pod>> Truth::present_pods() const {
    std::vector<client::Ref<Pod>> present;
    for (const auto& [uid, pod] : pods_)
        if (!pod.gone) present.push_back(pod.last);
    return present;
}

std::vector<client::Ref<Pod>> Truth::active_pods() const {
    std::vector<client::Ref<Pod>> active = present_pods();
    std::erase_if(active, [](const auto& pod) { return !is_active(*pod); });
    return active;
}

std::size_t Truth::tracked() const {
    std::size_t count = 0;
    for (const auto& [uid, pod] : pods_) count += !pod.gone && is_tracked(*pod.last) ? 1 : 0;
    return count;
}

void Truth::check_counts(std::string_view job_name) {
    const Job& job = story(job_name)->last();
    const bool ended_well = has_condition(job, "SuccessCriteriaMet");
    const bool by_policy = ended_well && find_condition(job, "SuccessCriteriaMet")->reason == "SuccessPolicy";
    std::set<std::int32_t> done;
    int succeeded = 0;
    int failed = 0;
    for (const auto& [uid, pod] : pods_) {
        if (!(pod.job == job.metadata.uid)) continue;
        if (is_indexed(job) && (pod.index < 0 || pod.index >= pod.completions)) continue;
        if (pod.fate == Fate::kSucceeded) {
            ++succeeded;
            if (pod.index >= 0 && pod.index < job.spec.completions.value_or(0)) done.insert(pod.index);
        }
        if (pod.fate == Fate::kFailed && !is_ignored(pod) && !(by_policy && pod.was_deleted)) ++failed;
        if (pod.fate == Fate::kDeleted && !by_policy) ++failed;
    }
    if (is_indexed(job)) {
        succeeded = static_cast<int>(done.size());
        if (parse_indexes(job.status.completed_indexes) != done)
            blame("completed are " + job.status.completed_indexes.str() + ", but " + text(succeeded) + " in truth");
    }
    if (job.status.succeeded != succeeded)
        blame("succeeded is " + text(job.status.succeeded) + ", but " + text(succeeded) + " in truth");
    if (job.status.failed != failed)
        blame("failed is " + text(job.status.failed) + ", but " + text(failed) + " in truth");
}

std::string Truth::format_story(std::string_view job_name) const {
    std::string out;
    const JobTruth* found = story(job_name);
    if (!found) return "no such Job\n";
    for (const auto& version : found->versions) out += format_status(*version) + "\n";
    static constexpr const char* kFates[] = {"open",    "untracked", "succeeded",    "failed",
                                             "deleted", "dismissed", "after the end"};
    for (const auto& [uid, pod] : pods_) {
        out += uid.str().substr(0, 8) + " " + pod.last->metadata.name.str() + " index " + text(pod.index) + " " +
               pod.last->status.phase.str() + " @" + pod.last->metadata.resource_version.str() + " " +
               kFates[static_cast<int>(pod.fate)] + (is_deleting(*pod.last) ? " deleting" : "") +
               (pod.gone ? " gone" : "") + "\n";
    }
    return out;
}

}  // namespace muster::worlds
