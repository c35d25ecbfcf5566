// At the end of a Job its numbers are what really happened: of every pod there ever was it is known how it stood when
// its finalizer went, and that is what must have been counted. No index counts without a pod of its own that succeeded.
#include <algorithm>
#include <limits>
#include <map>

#include "sim/checkers/job_facts.h"
#include "sim/checkers/list.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

enum class Fate {
    kOpen,  // it has its finalizer still
    kSucceeded,
    kFailed,
    kIgnored,    // failed, and the policy says that it does not count
    kDeleted,    // on its way out, but not ended
    kDismissed,  // running, and not wanted
    kAfterEnd,   // its Job had finished or was going
};

struct PodBook {
    Text job;
    std::int32_t index = -1;
    std::int32_t completions = 0;                                   // of the Job when the finalizer went
    std::int32_t least = std::numeric_limits<std::int32_t>::max();  // of its completions from the pod's end until then
    std::int32_t least_ever = std::numeric_limits<std::int32_t>::max();  // the same, until the Job has finished
    bool ended = false;
    bool was_deleted = false;
    bool named_failed = false;
    bool deleted_first = false;  // before it ended
    Fate fate = Fate::kOpen;
};

class TrueNumbers final : public Checker {
public:
    std::string_view name() const override { return "true-numbers"; }

    void on_backup(World&) override { backup_ = books_; }
    void on_restore(World&) override { books_ = backup_; }

    void on_change(World& world, const Change& change) override {
        if (change.is<Job>())
            on_job(world, change);
        else if (change.is<Pod>())
            on_pod(change);
    }

    void at_rest(World& world) override {
        for (const Job* job : world.history.all<Job>())
            if (is_finished(*job)) check(world, *job);
    }

private:
    void on_job(World& world, const Change& change) {
        if (!change.now) {
            books_.jobs.erase(change.before_as<Job>()->metadata.uid);
            return;
        }
        const Job& now = *change.now_as<Job>();
        books_.jobs[now.metadata.uid] = change.now;
        for (auto& [uid, pod] : books_.pods)
            if (pod.ended && pod.job == now.metadata.uid) note_completions(pod, now);
        // A change of the completions of a finished Job has no effect.
        if (is_finished(now)) books_.final_completions.try_emplace(now.metadata.uid, now.spec.completions.value_or(0));
        if (!is_indexed(now)) return;
        const Job* before = change.before_as<Job>();
        const std::set<std::int32_t> known =
            before ? parse_indexes(before->status.completed_indexes) : std::set<std::int32_t>();
        for (const std::int32_t index : parse_indexes(now.status.completed_indexes))
            if (!known.contains(index) && !books_.succeeded.contains({now.metadata.uid, index}))
                world.fail(name(), now.metadata.name,
                           "index " + std::to_string(index) + " counts, but no pod of it succeeded");
    }

    void on_pod(const Change& change) {
        const Pod* before = change.before_as<Pod>();
        const Pod* now = change.now_as<Pod>();
        const Pod& pod = now ? *now : *before;
        PodBook& book = books_.pods[pod.metadata.uid];
        if (book.job.empty()) book.job = job_uid_of(pod);
        book.index = index_of(pod);
        if (is_deleting(pod) && !has_ended(pod)) book.deleted_first = true;
        if (pod.status.phase == "Succeeded") books_.succeeded.insert({book.job, book.index});
        book.ended |= has_ended(pod);
        const auto job = books_.jobs.find(book.job);
        if (book.ended && job != books_.jobs.end()) note_completions(book, server::as<Job>(*job->second));
        if (before && is_tracked(*before) && (!now || !is_tracked(*now))) on_release(book, *before);
    }

    void note_completions(PodBook& pod, const Job& job) const {
        const std::int32_t completions = job.spec.completions.value_or(0);
        if (pod.fate == Fate::kOpen) pod.least = std::min(pod.least, completions);
        if (!books_.final_completions.contains(job.metadata.uid))
            pod.least_ever = std::min(pod.least_ever, completions);
    }

    void on_release(PodBook& book, const Pod& pod) {
        const auto found = books_.jobs.find(book.job);
        book.was_deleted = is_deleting(pod);
        if (found == books_.jobs.end()) {
            book.fate = Fate::kAfterEnd;
            return;
        }
        const Job& job = server::as<Job>(*found->second);
        book.completions = job.spec.completions.value_or(0);
        const bool named_failed = uncounted_failed(job).contains(pod.metadata.uid);
        book.named_failed = named_failed;
        // A late request may have created an excess pod after the Job's end; such a pod is not counted.
        if (is_deleting(job) || is_finished(job)) {
            book.fate = Fate::kAfterEnd;
        } else if (pod.status.phase == "Succeeded") {
            // One that was deleted before it ended well has failed if a status says so.
            book.fate = book.was_deleted && named_failed ? Fate::kFailed : Fate::kSucceeded;
        } else if (pod.status.phase == "Failed") {
            book.fate = is_ignored_failure(job, pod) && !named_failed ? Fate::kIgnored : Fate::kFailed;
        } else {
            book.fate = is_deleting(pod) ? Fate::kDeleted : Fate::kDismissed;
        }
    }

    void check(World& world, const Job& job) {
        const bool ended_well = has_condition(job, "SuccessCriteriaMet");
        const std::int32_t completions = books_.final_completions[job.metadata.uid];
        std::set<std::int32_t> done;
        std::set<std::int32_t> perhaps_done;  // ended well after they were deleted
        int succeeded = 0;
        int failed = 0;
        // Who is deleted because the Job has succeeded counts only if a status told of it before.
        int perhaps = 0;
        int perhaps_succeeded = 0;
        for (const auto& [uid, pod] : books_.pods) {
            if (!(pod.job == job.metadata.uid)) continue;
            // A pod with an index beyond the completions does not count, unless a status named it before completions
            // was reduced.
            const bool beyond = pod.index < 0 || pod.index >= pod.completions;
            if (is_indexed(job) && beyond && !pod.named_failed) continue;
            // It may have been let go while the Job was smaller, or counted by one who never saw that it was.
            const bool was_beyond = is_indexed(job) && pod.index >= pod.least;
            // A status that was written while the Job was smaller no longer lists the index; only a new pod of it
            // counts.
            const bool was_left_out = is_indexed(job) && pod.index >= pod.least_ever;
            if (pod.fate == Fate::kSucceeded && ((ended_well && pod.deleted_first) || was_left_out)) {
                perhaps_done.insert(pod.index);
                perhaps_succeeded += is_indexed(job) ? 0 : 1;
            } else if (pod.fate == Fate::kSucceeded) {
                ++succeeded;
                if (pod.index >= 0 && pod.index < completions) done.insert(pod.index);
            }
            if (pod.fate != Fate::kFailed && pod.fate != Fate::kDeleted) continue;
            const bool surely = pod.named_failed || !was_beyond;
            ++((ended_well && pod.was_deleted) || !surely ? perhaps : failed);
        }
        if (is_indexed(job)) {
            // An index ends once: it failed first.
            for (const std::int32_t index : parse_indexes(job.status.failed_indexes.value_or(Text())))
                done.erase(index);
            for (const std::int32_t index : parse_indexes(job.status.completed_indexes))
                if (perhaps_done.contains(index)) done.insert(index);
            succeeded = static_cast<int>(done.size());
            if (parse_indexes(job.status.completed_indexes) != done)
                world.fail(
                    name(), job.metadata.name,
                    "other indexes are completed in truth: " + std::to_string(succeeded) + "; " + format_status(job));
        }
        // One that was scaled down and is not elastic any more keeps the number it had.
        const bool kept = is_indexed(job) && job.status.succeeded > std::ssize(done);
        if (job.status.succeeded < succeeded ||
            job.status.succeeded > succeeded + perhaps_succeeded + (kept ? job.status.succeeded : 0))
            world.fail(name(), job.metadata.name,
                       std::to_string(succeeded) + " succeeded in truth; " + format_status(job));
        if (job.status.failed < failed || job.status.failed > failed + perhaps)
            world.fail(name(), job.metadata.name, std::to_string(failed) + " failed in truth; " + format_status(job));
    }

    struct Books {
        std::map<Text, server::KindObjectPtr> jobs;  // by UID
        std::map<Text, std::int32_t> final_completions;
        std::map<Text, PodBook> pods;
        std::set<std::pair<Text, std::int32_t>> succeeded;  // of which Job which index
    };
    Books books_;
    Books backup_;
};

}  // namespace

std::unique_ptr<Checker> make_true_numbers() { return std::make_unique<TrueNumbers>(); }

}  // namespace muster::sim
