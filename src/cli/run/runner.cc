#include "cli/run/runner.h"

#include <algorithm>

#include "api/kinds/core/pod_phase.h"
#include "api/kinds/job_state.h"
#include "api/kinds/kueue/kueue_names.h"
#include "api/kinds/kueue/workload.h"
#include "api/rules/kind_rules.h"
#include "cli/run/command_job.h"
#include "cli/run/pod_facts.h"
#include "cli/run/work.h"

namespace muster::cli {
namespace {

constexpr Duration kTick = 100ms;
constexpr Duration kLostAfter = 1s;
constexpr Duration kRemovalPatience = 10s;
constexpr int kAttemptsMax = 50;
constexpr std::int64_t kTailLines = 10;
constexpr std::size_t kTailBytes = 4096;

bool runs(const api::core::Pod& pod) { return pod.status.phase == "Running"; }
bool lives(const api::core::Pod& pod) { return !api::core::has_ended(pod); }

Text queue_of(const api::batch::Job& job) {
    const Text* queue = job.metadata.labels.find(api::kueue::kQueueNameLabel);
    return queue ? *queue : Text();
}

bool is_owned_by(const api::meta::ObjectMeta& metadata, const Text& uid) {
    const auto& owners = metadata.owner_references;
    return std::any_of(owners.begin(), owners.end(), [&](const auto& owner) { return owner.uid == uid; });
}

std::string describe_suspension(const api::batch::Job& job) {
    const Text queue = queue_of(job);
    if (queue.empty()) return ": is suspended and waits to be resumed";
    return ": waits in the queue " + queue.str();
}

// The last bytes of what there is.
os::Task<std::string> read_tail(std::unique_ptr<client::LogStream> log) {
    std::string text;
    const Result<> opened = co_await log->open();
    while (opened.ok()) {
        const auto part = co_await log->next();
        if (!part.ok() || !*part) break;
        text += **part;
        if (text.size() > kTailBytes) text.erase(0, text.size() - kTailBytes);
    }
    co_return text;
}

Error refused(std::string message) { return {Code::kInvalid, std::move(message)}; }

}  // namespace

Runner::Runner(RunnerSetup setup)
    : setup_(std::move(setup)),
      jobs_(setup_.loop, setup_.client),
      pods_(setup_.loop, setup_.client),
      by_job_(pods_.add_index([](const Pod& pod) { return job_uid_of(pod); })),
      changed_(setup_.loop),
      tasks_(setup_.loop) {
    jobs_.on_change([this](const JobRef& before, const JobRef& now) { on_job(before, now); });
    pods_.on_change([this](const PodRef& before, const PodRef& now) { on_pod(before, now); });
}

Runner::~Runner() = default;

os::Task<RunOutcome> Runner::run(std::vector<Job> drafts) {
    started_ = setup_.loop.uptime();
    jobs_.start();
    pods_.start();
    // A server that is gone never shows anything: the tick wakes us to see that.
    tasks_.spawn(tick());
    Duration in_touch = setup_.loop.uptime();
    while (!jobs_.synced() || !pods_.synced()) {
        if (!setup_.is_lost || !setup_.is_lost()) in_touch = setup_.loop.uptime();
        if (setup_.loop.uptime() - in_touch > kLostAfter) co_return RunOutcome::kLost;
        co_await os::yield(setup_.loop);
        if (!jobs_.synced() || !pods_.synced()) co_await os::sleep_for(setup_.loop, 1ms);
    }
    for (Job& draft : drafts) {
        const Result<void> ensured = co_await ensure(std::move(draft));
        if (ensured.ok()) continue;
        if (ensured.error().code == Code::kUnavailable || ensured.error().code == Code::kTimeout)
            co_return RunOutcome::kLost;
        setup_.report.problem(ensured.error().message);
        co_return RunOutcome::kRefused;
    }
    co_return co_await follow_all();
}

// Looks the Job up by its name, and creates it, resumes it, or recreates it if it has finished.
os::Task<Result<void>> Runner::ensure(Job draft) {
    if (draft.metadata.name.empty()) {
        CO_TRY_ASSIGN(const JobRef created, co_await setup_.client.create<Job>(std::move(draft)));
        follow(created, false);
        co_return Result<void>();
    }
    const client::ObjectName name(draft.metadata.namespace_, draft.metadata.name);
    for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
        auto stored = co_await setup_.client.get<Job>(name);
        if (!stored.ok() && stored.error().code != Code::kNotFound) co_return std::move(stored).error();
        bool resumed = false;
        Result<JobRef> made = Error{Code::kConflict, "it is being removed"};
        if (!stored.ok()) {
            made = co_await setup_.client.create<Job>(draft);
        } else if ((*stored)->metadata.deletion_timestamp) {
            co_await os::sleep_for(setup_.loop, kTick);
        } else if (api::batch::is_finished((*stored)->status) && !(setup_.again && is_same_work(**stored, draft))) {
            made = co_await recreate(*stored, draft);
        } else if (!is_same_work(**stored, draft)) {
            co_return refused("the Job \"" + name.name.str() +
                              "\" is there, has not ended and is other work than this; choose another name, or remove "
                              "it: muster delete job " +
                              name.name.str());
        } else {
            resumed = true;
            made = co_await take_up(*stored, draft);
        }
        if (made.ok()) {
            follow(*made, resumed);
            co_return Result<void>();
        }
        const Code code = made.error().code;
        if (code != Code::kConflict && code != Code::kAlreadyExists && (code != Code::kNotFound || !stored.ok()))
            co_return std::move(made).error();
    }
    co_return Error{Code::kConflict, "the Job \"" + name.name.str() + "\" is being removed and does not go"};
}

os::Task<Result<Runner::JobRef>> Runner::recreate(JobRef old, Job draft) {
    client::Removal removal(old->metadata.uid);
    removal.propagation = client::Propagation::kBackground;
    const client::ObjectName name = client::name_of(*old);
    CO_TRY(co_await setup_.client.remove<Job>(name, removal));
    co_return co_await setup_.client.create<Job>(std::move(draft));
}

// Continues a Job that has not finished, with the parallelism and the TTL of this command; resumes it if it was
// interrupted.
os::Task<Result<Runner::JobRef>> Runner::take_up(JobRef stored, Job draft) {
    api::find_rules(api::kind_info<Job>())->fill_defaults(&draft);
    Job job = *stored;
    job.metadata.annotations.erase(api::batch::kInterruptedAnnotation);
    // When a Job in a queue starts is the queue's affair.
    if (queue_of(job).empty()) job.spec.suspend = draft.spec.suspend;
    job.spec.parallelism = draft.spec.parallelism;
    job.spec.ttl_seconds_after_finished = draft.spec.ttl_seconds_after_finished;
    if (job.spec == stored->spec && job.metadata.annotations == stored->metadata.annotations) co_return stored;
    const bool was_interrupted = stored->metadata.annotations.contains(api::batch::kInterruptedAnnotation);
    if (was_interrupted && !queue_of(job).empty()) {
        const Text name_space = job.metadata.namespace_;
        const Text uid = job.metadata.uid;
        CO_TRY(co_await want_quota(name_space, uid, true));
    }
    co_return co_await setup_.client.change<Job>(stored, std::move(job));
}

void Runner::follow(JobRef job, bool resumed) {
    auto track = std::make_shared<Track>();
    track->job = job;
    tracks_[job->metadata.uid] = track;
    const Progress progress = progress_of(*job);
    if (!setup_.again) setup_.report.started(progress.name, resumed, progress.done, progress.total);
    if (api::batch::is_suspended(job->spec)) setup_.report.note(progress.name + describe_suspension(*job));
    // What has happened before we looked. The failures of an earlier run were told by it.
    for (const PodRef& pod : pods_.indexed(by_job_, job->metadata.uid)) take_pod(track, nullptr, pod, !resumed);
    if (const JobRef seen = jobs_.get(client::name_of(*job)); seen && seen->metadata.uid == job->metadata.uid)
        track->job = seen;
    pace_.add(setup_.loop.uptime(), this->progress().done);
}

os::Task<RunOutcome> Runner::follow_all() {
    Duration in_touch = setup_.loop.uptime();
    while (true) {
        bool all_ended = true;
        bool all_stopped = true;
        bool all_complete = true;
        for (const auto& [uid, track] : tracks_) {
            const bool ended = check_end(*track);
            if (ended && track->succeeded && setup_.remove_complete) co_await remove_job(track);
            all_ended = all_ended && ended;
            all_stopped = all_stopped && (ended || is_stopped(*track));
            all_complete = all_complete && track->succeeded;
        }
        if (all_ended) co_return all_complete ? RunOutcome::kComplete : RunOutcome::kFailed;
        if (interrupts_ > 1 || (stopping_ && all_stopped)) co_return RunOutcome::kInterrupted;
        if (interrupts_ > 0 && !stopping_) {
            stopping_ = true;
            co_await suspend_all();
            continue;
        }
        if (!setup_.is_lost || !setup_.is_lost()) in_touch = setup_.loop.uptime();
        if (setup_.loop.uptime() - in_touch > kLostAfter) co_return RunOutcome::kLost;
        co_await changed_.wait();
    }
}

void Runner::interrupt() {
    ++interrupts_;
    changed_.notify();
}

os::Task<void> Runner::suspend_all() {
    setup_.report.note(
        "Interrupted: stopping running pods. Run the same command to resume. Press Ctrl-C again to exit now.");
    std::vector<TrackRef> open;
    for (const auto& [uid, track] : tracks_)
        if (!track->told && !track->gone) open.push_back(track);
    for (const TrackRef& track : open) {
        const client::ObjectName name = client::name_of(*track->job);
        const Text uid = track->job->metadata.uid;
        const Result<void> suspended = co_await suspend(name, uid);
        if (!suspended.ok()) setup_.report.problem("cannot suspend the Job: " + suspended.error().message);
    }
}

os::Task<Result<void>> Runner::suspend(client::ObjectName name, Text uid) {
    for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
        CO_TRY_ASSIGN(const JobRef stored, co_await setup_.client.get<Job>(name));
        if (stored->metadata.uid != uid || api::batch::is_finished(stored->status)) co_return Result<void>();
        const bool queued = !queue_of(*stored).empty();
        Job job = *stored;
        // A Job that its queue has started gets its template back, as when the queue stops it.
        if (queued && !api::batch::is_suspended(job.spec))
            job.metadata.annotations.set(api::kueue::kStoppingAnnotation, "true");
        job.spec.suspend = true;
        job.metadata.annotations.set(api::batch::kInterruptedAnnotation, "true");
        const auto updated = co_await setup_.client.change<Job>(stored, std::move(job));
        if (updated.ok() && queued) co_return co_await want_quota(name.namespace_, uid, false);
        if (updated.ok()) co_return Result<void>();
        if (updated.error().code != Code::kConflict) co_return updated.error();
    }
    co_return Error{Code::kConflict, "it changes too fast"};
}

// Work that stands still keeps no quota from others: its Workload is inactive meanwhile.
os::Task<Result<void>> Runner::want_quota(Text name_space, Text job_uid, bool wanted) {
    for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
        CO_TRY_ASSIGN(const auto workloads, co_await setup_.client.list<api::kueue::Workload>(name_space.str()));
        bool conflict = false;
        for (const auto& workload : workloads.items) {
            if (!is_owned_by(workload->metadata, job_uid) || workload->spec.active.value_or(true) == wanted) continue;
            api::kueue::Workload draft = *workload;
            draft.spec.active = wanted;
            const auto updated = co_await setup_.client.change<api::kueue::Workload>(workload, std::move(draft));
            if (updated.ok()) continue;
            if (updated.error().code != Code::kConflict) co_return updated.error();
            conflict = true;
        }
        if (!conflict) co_return Result<void>();
    }
    co_return Error{Code::kConflict, "its Workload changes too fast"};
}

os::Task<void> Runner::remove_job(TrackRef track) {
    if (track->gone) co_return;
    track->gone = true;
    const Text uid = track->job->metadata.uid;
    client::Removal removal(uid);
    removal.propagation = client::Propagation::kBackground;
    const client::ObjectName name = client::name_of(*track->job);
    const Result<void> removed = co_await setup_.client.remove<Job>(name, removal);
    if (!removed.ok() && removed.error().code != Code::kNotFound) {
        setup_.report.problem(removed.error().message);
        co_return;
    }
    const Duration begun = setup_.loop.uptime();
    while (!pods_.indexed(by_job_, uid).empty() && setup_.loop.uptime() - begun < kRemovalPatience)
        co_await os::sleep_for(setup_.loop, 5ms);
}

// Redraws the progress, and wakes coroutines that wait for a change without an event.
os::Task<void> Runner::tick() {
    while (true) {
        co_await os::sleep_for(setup_.loop, kTick);
        const Progress now = progress();
        pace_.add(setup_.loop.uptime(), now.done);
        if (!tracks_.empty()) setup_.report.progress(now);
        changed_.notify();
    }
}

Progress Runner::progress() const {
    Progress sum;
    for (const auto& [uid, track] : tracks_) {
        const Progress one = progress_of(*track->job);
        sum.name = tracks_.size() == 1 ? one.name : std::to_string(tracks_.size()) + " jobs";
        const bool first = track == tracks_.begin()->second;
        sum.total =
            one.total && (first || sum.total) ? std::optional(sum.total.value_or(0) + *one.total) : std::nullopt;
        sum.done += one.done;
        sum.failed += one.failed;
        sum.running += track->running;
    }
    sum.rate = pace_.rate();
    return sum;
}

void Runner::on_job(const JobRef& before, const JobRef& now) {
    const auto found = tracks_.find((now ? now : before)->metadata.uid);
    if (found == tracks_.end()) {
        // The Job was recreated under the same name: the old one is gone.
        const auto old = before ? tracks_.find(before->metadata.uid) : tracks_.end();
        if (old != tracks_.end()) old->second->gone = true;
        if (old != tracks_.end()) changed_.notify();
        return;
    }
    if (now)
        found->second->job = now;
    else
        found->second->gone = true;
    changed_.notify();
}

void Runner::on_pod(const PodRef& before, const PodRef& now) {
    const auto found = tracks_.find(job_uid_of(now ? *now : *before));
    if (found == tracks_.end()) return;
    take_pod(found->second, before, now, true);
    changed_.notify();
}

void Runner::take_pod(const TrackRef& track, const PodRef& before, const PodRef& now, bool tell) {
    track->running += (now && runs(*now) ? 1 : 0) - (before && runs(*before) ? 1 : 0);
    track->live += (now && lives(*now) ? 1 : 0) - (before && lives(*before) ? 1 : 0);
    if (!now) {
        read_output(track, before);
        return;
    }
    const bool ended_now = !lives(*now) && (!before || lives(*before));
    if (setup_.stream_output && (tell || lives(*now))) read_output(track, now);
    if (!tell) return;
    if (ended_now && api::core::has_failed(*now) && !stopping_) {
        ++track->telling;
        tasks_.spawn(tell_failure(track, now));
    }
    if (ended_now && setup_.print_output) {
        ++track->telling;
        tasks_.spawn(print_whole(track, now));
    }
    if (lives(*now) && !stopping_)
        if (const auto obstacle = describe_obstacle(*now); obstacle && track->obstacles.insert(*obstacle).second)
            setup_.report.note(track->job->metadata.name.str() + ": pod " + now->metadata.name.str() +
                               " waits: " + *obstacle);
}

// Starts reading what has started. A log that is followed ends by itself.
void Runner::read_output(const TrackRef& track, const PodRef& pod) {
    if (!setup_.stream_output) return;
    for (const api::core::ContainerStatus& status : pod->status.container_statuses) {
        const bool has_run = status.state.running || status.state.terminated;
        const std::string run =
            pod->metadata.uid.str() + '/' + status.name.str() + '/' + std::to_string(status.restart_count);
        if (!has_run || !read_.insert(run).second) continue;
        for (const Stream stream : streams()) {
            ++track->telling;
            tasks_.spawn(tell_output(track, pod, status.name, stream, true));
        }
    }
}

std::vector<Stream> Runner::streams() const {
    if (!setup_.logs.splits_streams) return {Stream::kOut};
    return {Stream::kOut, Stream::kErr};
}

os::Task<void> Runner::tell_output(TrackRef track, PodRef pod, Text container, Stream stream, bool follow) {
    api::core::PodLogOptions options;
    options.container = container;
    options.follow = follow;
    if (setup_.logs.splits_streams) options.stream = stream == Stream::kOut ? "Stdout" : "Stderr";
    auto log = setup_.logs.open(*pod, options);
    Result<> opened = Error{Code::kNotFound, "there is no log"};
    if (log.ok()) opened = co_await (*log)->open();
    while (opened.ok()) {
        const auto part = co_await (*log)->next();
        // A log that breaks off is not told further; how the Job ends is told all the same.
        if (!part.ok() || !*part) break;
        setup_.report.output(stream, track->job->metadata.name.str(), completion_index_of(*pod), **part);
    }
    --track->telling;
    changed_.notify();
}

os::Task<void> Runner::print_whole(TrackRef track, PodRef pod) {
    for (const api::core::Container& container : pod->spec.containers) {
        for (const Stream stream : streams()) {
            ++track->telling;
            co_await tell_output(track, pod, container.name, stream, false);
        }
    }
    --track->telling;
    changed_.notify();
}

os::Task<void> Runner::tell_failure(TrackRef track, PodRef pod) {
    PodFailure failure = describe_failure(*pod, track->job->metadata.name.str());
    api::core::PodLogOptions options;
    options.container = container_to_blame(*pod);
    options.tail_lines = kTailLines;
    auto log = setup_.logs.open(*pod, options);
    std::string tail;
    if (log.ok()) tail = co_await read_tail(std::move(*log));
    if (!setup_.print_output) failure.log_tail = tail;  // else it is printed whole
    failure.log_path = setup_.logs.place(*pod, options.container);
    setup_.report.failed(failure);
    --track->telling;
    changed_.notify();
}

// Whether it has ended and everything about it is told.
bool Runner::check_end(Track& track) {
    if (track.told) return true;
    const bool finished = api::batch::is_finished(track.job->status);
    if ((!finished && !track.gone) || track.telling > 0) return false;
    track.told = true;
    if (!finished) {
        setup_.report.problem("the Job \"" + track.job->metadata.name.str() + "\" was deleted before it ended");
        return true;
    }
    JobEnd end = describe_end(*track.job);
    end.took = setup_.loop.uptime() - started_;
    track.succeeded = end.complete;
    setup_.report.ended(end);
    return true;
}

bool Runner::is_stopped(const Track& track) const {
    return track.live == 0 && api::batch::has_condition(track.job->status, api::batch::kConditionSuspended);
}

}  // namespace muster::cli
