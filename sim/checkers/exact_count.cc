// Every pod is counted exactly once, by the order of KEP-2307: its UID is stored, then its finalizer goes, then the
// number rises and the UID leaves, in one write. No UID comes back, none leaves while the pod still has its finalizer,
// and no pod loses its finalizer unaccounted for.
#include <algorithm>
#include <map>

#include "sim/checkers/job_facts.h"
#include "sim/checkers/list.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

class ExactCount final : public Checker {
public:
    std::string_view name() const override { return "exact-count"; }

    void on_backup(World&) override { backup_ = books_; }
    void on_restore(World&) override { books_ = backup_; }

    void on_change(World& world, const Change& change) override {
        if (change.is<Job>())
            on_job(world, change);
        else if (change.is<Pod>())
            on_pod(world, change);
    }

private:
    struct JobBook {
        std::shared_ptr<const server::KindObject> last;
        std::set<Text> counted;
        const Job& job() const { return server::as<Job>(*last); }
    };

    void blame(World& world, const Job& job, const std::string& what) {
        world.fail(name(), job.metadata.name, what + "; " + format_status(job));
    }

    void on_job(World& world, const Change& change) {
        if (!change.now) {
            books_.jobs.erase(change.before_as<Job>()->metadata.uid);
            return;
        }
        const Job& now = *change.now_as<Job>();
        world.trace.note(world.loop.uptime(), now.metadata.name, [&] { return format_status(now); });
        JobBook& book = books_.jobs[now.metadata.uid];
        book.last = change.now;
        for (auto& [pod, least] : books_.least_completions)
            if (books_.held[pod] == now.metadata.uid) least = std::min(least, now.spec.completions.value_or(0));
        if (!change.before || !(change.before_as<Job>()->metadata.uid == now.metadata.uid)) return;
        const Job& before = *change.before_as<Job>();
        // Where they may be late, a pod may come after its Job's end.
        if (is_finished(now) && !is_finished(before) && !world.requests_may_be_late()) check_none_held(world, now);
        const int succeeded = take_names(world, now, book, uncounted_succeeded(before), uncounted_succeeded(now));
        const int failed = take_names(world, now, book, uncounted_failed(before), uncounted_failed(now));
        if (now.status.failed - before.status.failed != failed)
            blame(world, now,
                  "failed rose from " + std::to_string(before.status.failed) + ", but " + std::to_string(failed) +
                      " names left");
        if (!is_indexed(now) && now.status.succeeded - before.status.succeeded != succeeded)
            blame(world, now,
                  "succeeded rose from " + std::to_string(before.status.succeeded) + ", but " +
                      std::to_string(succeeded) + " names left");
    }

    void check_none_held(World& world, const Job& job) {
        for (const auto& [pod, owner] : books_.held)
            if (owner == job.metadata.uid) blame(world, job, "it finishes before pod " + pod.str() + " is let go");
    }

    // Gives how many names became numbers.
    int take_names(World& world, const Job& job, JobBook& book, const std::set<Text>& before,
                   const std::set<Text>& now) {
        int left = 0;
        for (const Text& uid : now)
            if (book.counted.contains(uid)) blame(world, job, "pod " + uid.str() + " is named again after its count");
        for (const Text& uid : before) {
            if (now.contains(uid)) continue;
            ++left;
            if (!book.counted.insert(uid).second) blame(world, job, "pod " + uid.str() + " is counted twice");
            // A pod that was orphaned is no longer this Job's to wait for.
            const auto held = books_.held.find(uid);
            if (held != books_.held.end() && held->second == job.metadata.uid)
                blame(world, job, "pod " + uid.str() + " is counted before its finalizer is gone");
        }
        return left;
    }

    void on_pod(World& world, const Change& change) {
        const Pod* before = change.before_as<Pod>();
        const Pod* now = change.now_as<Pod>();
        if (now && is_deleting(*now) && !has_ended(*now)) books_.deleted_first.insert(now->metadata.uid);
        if (now && is_tracked(*now)) {
            books_.held[now->metadata.uid] = job_uid_of(*now);
            const auto book = books_.jobs.find(job_uid_of(*now));
            if (book != books_.jobs.end() && has_ended(*now))
                books_.least_completions.try_emplace(now->metadata.uid,
                                                     book->second.job().spec.completions.value_or(0));
        }
        if (!before || !is_tracked(*before) || (now && is_tracked(*now))) return;
        books_.held.erase(before->metadata.uid);
        const auto book = books_.jobs.find(job_uid_of(*before));
        if (book != books_.jobs.end() && has_ended(*before)) check_accounted(world, *before, book->second.job());
        books_.least_completions.erase(before->metadata.uid);
    }

    void check_accounted(World& world, const Pod& pod, const Job& job) {
        if (is_deleting(job) || is_finished(job)) return;
        if (uncounted_succeeded(job).contains(pod.metadata.uid) || uncounted_failed(job).contains(pod.metadata.uid))
            return;
        const bool succeeded = pod.status.phase == "Succeeded";
        if (is_indexed(job)) {
            const std::int32_t index = index_of(pod);
            // An index that was beyond the Job's completions since its pod ended is none of the Job's any more, also
            // when the Job has been made larger again before the pod was let go.
            if (index < 0 || index >= least_completions(pod, job)) return;
            if (succeeded && parse_indexes(job.status.completed_indexes).contains(index)) return;
            // An index ends once: a pod too many that succeeds after its failure changes nothing.
            if (succeeded && parse_indexes(job.status.failed_indexes.value_or(Text())).contains(index)) return;
        }
        if (!succeeded && is_ignored_failure(job, pod)) return;
        // What goes because the Job has succeeded without it needs no telling, unless it succeeded before that.
        if (has_condition(job, "SuccessCriteriaMet") && (!succeeded || books_.deleted_first.contains(pod.metadata.uid)))
            return;
        blame(
            world, job,
            "pod " + pod.metadata.name.str() + " (" + pod.status.phase.str() + ") lost its finalizer unaccounted for");
    }

    std::int32_t least_completions(const Pod& pod, const Job& job) const {
        const std::int32_t now = job.spec.completions.value_or(0);
        const auto least = books_.least_completions.find(pod.metadata.uid);
        return least == books_.least_completions.end() ? now : std::min(now, least->second);
    }

    struct Books {
        std::map<Text, JobBook> jobs;                    // by UID
        std::set<Text> deleted_first;                    // before they ended
        std::map<Text, Text> held;                       // pods that have the finalizer, and whose they are
        std::map<Text, std::int32_t> least_completions;  // of their Job since they ended, of those
    };
    Books books_;
    Books backup_;
};

}  // namespace

std::unique_ptr<Checker> make_exact_count() { return std::make_unique<ExactCount>(); }

}  // namespace muster::sim
