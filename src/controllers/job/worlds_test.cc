// Generated worlds: random Jobs whose pods run, fail and are deleted, and whose every API call may fail, lose its
// answer or be the last before a crash. Whatever happens, plans are bounded and repeatable, statuses pass the rules,
// and in the end the numbers are the truth.
#include <map>
#include <set>

#include "api/kinds/job_state.h"
#include "base/prng.h"
#include "controllers/job/backoff.h"
#include "controllers/job/pods/pod_state.h"
#include "controllers/job/testing/cases.h"
#include "tally/index_set.h"

namespace muster::controllers::jobs {
namespace worlds_test {

using api::batch::JobStatus;

// The true history of a pod, independent of the controller's counts.
struct History {
    std::int32_t index = kNoIndex;
    std::string phase = "Pending";
    int exit_code = 0;
    bool dismissed = false;  // lost its finalizer for being one too many
    bool disturbed = false;  // was deleted before it ended: may count as a failure though it ends well, or not at all
    bool released = false;
};

struct Options {
    bool faults = false;
    bool disturb = false;  // delete pods, suspend, scale
    bool flip_gate = false;
    bool delete_job = false;
};

class World {
public:
    World(std::uint64_t seed, Options options) : prng_(seed), options_(options), job_(make_random_job()) {
        limits_.uncounted_max = 1 + prng_.below(5);
        limits_.create_delete_max = 1 + prng_.below(5);
        limits_.backoff_max = 40s;
    }

    void run() {
        for (int step = 0; step < 4000 && !is_settled(); ++step) {
            now_ = now_ + std::chrono::seconds(prng_.below(4));
            if (step < 60) disturb(step);
            if (step == 60) calm_down();
            progress();
            sync();
            if (::testing::Test::HasFailure()) return;
        }
        ASSERT_TRUE(is_settled()) << "does not settle: " << print(job_.status);
        check_end();
    }

    std::string describe() const { return description_; }

private:
    using Pods = std::map<std::string, PodRef>;

    Job make_random_job() {
        const bool indexed = prng_.chance(1, 2);
        const bool per_index = indexed && prng_.chance(1, 2);
        const bool policy = prng_.chance(1, 3);
        elastic_ = indexed && options_.disturb && prng_.chance(1, 3);
        const std::string parallelism = std::to_string(1 + prng_.below(5));
        const std::string completions = elastic_ ? parallelism : std::to_string(prng_.below(9));
        std::string spec = "'parallelism': " + parallelism;
        if (indexed || prng_.chance(3, 4)) spec += ", 'completions': " + completions;
        if (indexed) spec += ", 'completionMode': 'Indexed'";
        if (per_index) spec += ", 'backoffLimitPerIndex': " + std::to_string(prng_.below(3));
        if (prng_.chance(1, 2)) spec += ", 'backoffLimit': " + std::to_string(prng_.below(12));
        if (policy) {
            spec += std::string(", 'podFailurePolicy': {'rules': [") +
                    "{'action': 'Ignore', 'onExitCodes': {'operator': 'In', 'values': [7]}}, " +
                    (per_index ? "{'action': 'FailIndex', 'onExitCodes': {'operator': 'In', 'values': [8]}}, " : "") +
                    "{'action': 'FailJob', 'onExitCodes': {'operator': 'In', 'values': [9]}}]}";
        } else if (prng_.chance(1, 2)) {
            spec += ", 'podReplacementPolicy': 'Failed'";
        }
        if (indexed && prng_.chance(1, 4)) spec += ", 'successPolicy': {'rules': [{'succeededCount': 2}]}";
        if (prng_.chance(1, 8)) spec += ", 'activeDeadlineSeconds': " + std::to_string(20 + prng_.below(200));
        if (prng_.chance(1, 8)) spec += ", 'suspend': true";
        description_ = spec;
        return api::make_job("{'spec': {" + spec + "}}");
    }

    bool fault() { return options_.faults && prng_.chance(1, 8); }
    bool is_tracked() const { return tracking_of(job_, gates_) == Tracking::kFinalizers; }

    // --- what others do ---

    void disturb(int step) {
        if (options_.flip_gate && prng_.chance(1, 20))
            gates_.tracking_with_finalizers = !gates_.tracking_with_finalizers;
        if (options_.delete_job && step == 30) job_.metadata.deletion_timestamp = api::Time::from_instant(now_);
        if (!options_.disturb || api::batch::is_finished(job_.status)) return;
        if (prng_.chance(1, 10)) job_.spec.suspend = !job_.spec.suspend.value_or(false);
        if (prng_.chance(1, 10)) scale(static_cast<std::int32_t>(prng_.below(6)));
        if (pods_.empty() || !prng_.chance(1, 6)) return;
        auto at = pods_.begin();
        std::advance(at, static_cast<std::ptrdiff_t>(prng_.below(pods_.size())));
        remove_pod(at->first);
    }
    // An elastic Job keeps as many completions; what lies beyond is forgotten.
    void scale(std::int32_t parallelism) {
        if (elastic_) parallelism = std::max(parallelism, 1);
        job_.spec.parallelism = parallelism;
        if (!elastic_) return;
        job_.spec.completions = parallelism;
        completions_min_ = std::min(completions_min_, parallelism);
    }
    void calm_down() {
        gates_.tracking_with_finalizers = true;
        job_.spec.suspend = false;
        if (job_.spec.parallelism == 0) job_.spec.parallelism = 2;
        options_.faults = options_.disturb = false;
    }

    // Nodes carry on; the garbage collector follows a deleted Job.
    void progress() {
        for (auto at = pods_.begin(); at != pods_.end();) {
            const std::string name = (at++)->first;
            const Pod& pod = *pods_.at(name);
            if (job_.metadata.deletion_timestamp && !is_deleting(pod)) remove_pod(name);
            if (!pods_.contains(name) || has_ended(*pods_.at(name)) || !prng_.chance(1, 3)) continue;
            if (is_deleting(*pods_.at(name))) {
                finish(name, prng_.chance(1, 5));
            } else if (pods_.at(name)->status.phase == "Pending") {
                change(name, [](Pod& p) {
                    p.status.phase = "Running";
                    p.spec.node_name = "node";
                });
            } else {
                finish(name, prng_.chance(2, 3));
            }
        }
    }
    void finish(const std::string& name, bool well) {
        const int codes[] = {1, 7, 8, 9};
        const int code = well ? 0 : codes[prng_.chance(1, 20) ? 3 : prng_.below(3)];
        change(name, [&](Pod& pod) {
            pod.status.phase = well ? "Succeeded" : "Failed";
            auto& status = pod.status.container_statuses.edit().emplace_back();
            status.name = "c";
            status.state.terminated.edit().exit_code = code;
            status.state.terminated.edit().finished_at = api::Time::from_instant(now_);
        });
        history_.at(name).exit_code = code;
        collect(name);
    }

    // --- the API, as far as it matters ---

    template <class Change>
    void change(const std::string& name, Change apply) {
        Pod pod = *pods_.at(name);
        apply(pod);
        history_.at(name).phase = pod.status.phase.str();
        pods_.at(name) = std::make_shared<const Pod>(std::move(pod));
    }
    void remove_pod(const std::string& name) {
        if (!pods_.contains(name)) return;
        if (!has_ended(*pods_.at(name))) history_.at(name).disturbed = true;
        change(name, [&](Pod& pod) {
            if (!is_deleting(pod)) pod.metadata.deletion_timestamp = api::Time::from_instant(now_);
        });
        collect(name);
    }
    void release(const std::string& name) {
        if (!pods_.contains(name)) return;
        change(name, [](Pod& pod) { pod.metadata.finalizers.reset(); });
        collect(name);
    }
    // Removes a deleted pod once it has ended or was never bound, and has no finalizers.
    void collect(const std::string& name) {
        const Pod& pod = *pods_.at(name);
        const bool over = has_ended(pod) || pod.spec.node_name.empty();
        if (is_deleting(pod) && over && pod.metadata.finalizers.empty()) pods_.erase(name);
    }
    void create(Pod pod) {
        const std::string number = std::to_string(1000 + history_.size());
        pod.metadata.name = pod.metadata.generate_name + number;
        pod.metadata.uid = "uid-" + number;
        pod.metadata.creation_timestamp = api::Time::from_instant(now_);
        pod.status.phase = "Pending";
        const std::string name = pod.metadata.name.str();
        history_[name].index = index_of(pod);
        pods_[name] = std::make_shared<const Pod>(std::move(pod));
    }

    // --- the shell ---

    void sync() {
        std::vector<PodRef> shown;
        for (const auto& [name, pod] : pods_)
            if (needs_all_pods(job_, gates_) || !has_ended(*pod) || has_tracking_finalizer(*pod)) shown.push_back(pod);
        const Job job = job_;
        const JobView view{job, shown, backoff_, gates_, limits_, now_};
        const PodsPlan plan = decide_pods(view);
        ASSERT_EQ(print(plan), print(decide_pods(view)));
        check_plan(view, plan);
        if (plan.mark_lingering) {
            if (!fault()) job_.metadata.annotations.set(kLingeringAnnotation, "true");
            return;
        }
        const PodsOutcome outcome = carry_out(plan);
        if (fault()) return crash();
        const StatusPlan status = decide_status(view, plan, outcome);
        check_status(view, status);
        if (status.status) {
            if (fault()) return;
            store(*status.status);
            if (fault()) return crash();
        }
        backoff_ = status.backoff;
        for (const PodRef& pod : status.release) {
            if (fault()) return;
            check_release(*pod);
            history_.at(pod->metadata.name.str()).released = true;
            release(pod->metadata.name.str());
            if (fault()) return crash();
        }
        if (status.empty() && plan.empty() && plan.wake_at && prng_.chance(1, 2)) now_ = std::max(now_, *plan.wake_at);
    }
    void crash() {
        std::vector<PodRef> all;
        for (const auto& [name, pod] : pods_) all.push_back(pod);
        backoff_ = rebuild_backoff(job_, gates_, all, now_);
    }

    PodsOutcome carry_out(const PodsPlan& plan) {
        PodsOutcome outcome;
        for (const Removal& removal : plan.remove) {
            const std::string name = removal.pod->metadata.name.str();
            const bool fails = fault();
            const bool loses_answer = fails && prng_.chance(1, 3);
            if (removal.release_first && (!fails || prng_.chance(1, 2))) {
                history_.at(name).dismissed = true;
                release(name);
            }
            if (!fails || (loses_answer && !removal.release_first)) remove_pod(name);
            outcome.removed.push_back(!fails);
        }
        const PodMold mold(job_, is_tracked());
        for (const PodDraft& draft : plan.create) {
            const bool fails = fault();
            if (!fails || prng_.chance(1, 3)) create(mold.make(draft));
            if (fails) break;
            ++outcome.created;
        }
        check_live(plan);
        return outcome;
    }

    void store(const JobStatus& status) {
        if (is_tracked()) follow_names(status);
        job_.status = status;
    }

    // --- what must hold ---

    void check_plan(const JobView& view, const PodsPlan& plan) const {
        ASSERT_LE(plan.create.size(), limits_.create_delete_max);
        ASSERT_TRUE(plan.create.empty() || plan.remove.empty());
        if (!api::batch::is_suspended(view.job.spec) && !plan.remove.empty() && plan.remove[0].release_first) {
            ASSERT_LE(plan.remove.size(), limits_.create_delete_max);
        }
        ASSERT_TRUE(!plan.wake_at || *plan.wake_at >= now_);
    }
    void check_live(const PodsPlan& plan) const {
        if (plan.create.empty()) return;
        std::int32_t active = 0;
        std::set<std::int32_t> indexes;
        for (const auto& [name, pod] : pods_) {
            if (!is_active(*pod)) continue;
            ++active;
            if (api::batch::is_indexed(job_.spec)) {
                ASSERT_TRUE(indexes.insert(index_of(*pod)).second) << "two pods of index " << index_of(*pod);
                ASSERT_LT(index_of(*pod), *job_.spec.completions);
            }
        }
        ASSERT_LE(active, *job_.spec.parallelism);
    }
    void check_status(const JobView& view, const StatusPlan& plan) const {
        ASSERT_LE(plan.release.size(), limits_.uncounted_max);
        if (!plan.status) return;
        Job written = view.job;
        written.status = *plan.status;
        ASSERT_EQ(api::print_errors(api::validate_job_status_update(written, view.job)), "")
            << print(view.job.status) << " -> " << print(*plan.status);
        if (!elastic_) {
            ASSERT_GE(plan.status->succeeded, view.job.status.succeeded);
        }
        ASSERT_GE(plan.status->failed, view.job.status.failed);
        const auto& uncounted = plan.status->uncounted_terminated_pods;
        if (!uncounted) return;
        ASSERT_LE(uncounted->succeeded.size() + uncounted->failed.size(), limits_.uncounted_max);
    }
    // Names become numbers, each once.
    void follow_names(const JobStatus& next) {
        std::set<std::string> names;
        const auto& uncounted = next.uncounted_terminated_pods;
        ASSERT_TRUE(uncounted);
        for (const auto* list : {&uncounted->succeeded, &uncounted->failed})
            for (const Text& uid : *list) names.insert(uid.str());
        std::int32_t left = 0;
        for (const std::string& uid : names_) {
            if (names.contains(uid)) continue;
            ++left;
            ASSERT_TRUE(counted_.insert(uid).second) << uid << " is counted twice";
        }
        for (const std::string& uid : names) ASSERT_FALSE(counted_.contains(uid)) << uid << " is named again";
        const bool indexed = api::batch::is_indexed(job_.spec);
        const std::int32_t risen =
            next.failed - job_.status.failed + (indexed ? 0 : next.succeeded - job_.status.succeeded);
        ASSERT_EQ(risen, left);
        names_ = std::move(names);
    }
    // Who ended and is to be counted loses the finalizer only after being told of.
    void check_release(const Pod& pod) const {
        const History& history = history_.at(pod.metadata.name.str());
        if (!is_tracked() || !has_ended(pod) || job_.metadata.deletion_timestamp) return;
        if (has_failed(pod) && history.exit_code == 7 && job_.spec.pod_failure_policy) return;
        if (api::batch::is_finished(job_.status)) return;
        if (elastic_ && history.index >= *job_.spec.completions) return;
        // Removed because the Job had succeeded without it.
        if (is_deleting(pod) && api::batch::has_condition(job_.status, api::batch::kConditionSuccessCriteriaMet))
            return;
        const bool named = names_.contains(pod.metadata.uid.str());
        const bool done = has_succeeded(pod) && api::batch::is_indexed(job_.spec);
        ASSERT_TRUE(named || done) << pod.metadata.name.view() << " was not told of: " << print(job_.status);
    }

    bool is_settled() const {
        if (job_.metadata.deletion_timestamp) return pods_.empty();
        if (!api::batch::is_finished(job_.status)) return false;
        for (const auto& [name, pod] : pods_)
            if (!has_ended(*pod)) return false;
        return true;
    }

    void check_end() {
        for (const auto& [name, pod] : pods_) ASSERT_FALSE(has_tracking_finalizer(*pod)) << name;
        if (job_.metadata.deletion_timestamp) return;
        const JobStatus& status = job_.status;
        ASSERT_EQ(status.active, 0);
        ASSERT_EQ(status.ready, 0);
        ASSERT_EQ(status.terminating, 0);
        if (job_.metadata.annotations.contains(kLingeringAnnotation)) {
            check_lingering_end();
        } else {
            check_numbers();
            check_tries();
        }
        const Job job = job_;
        std::vector<PodRef> none;
        const JobView view{job, none, backoff_, gates_, limits_, now_};
        const PodsPlan plan = decide_pods(view);
        EXPECT_TRUE(plan.empty());
        EXPECT_TRUE(decide_status(view, plan, {}).empty());
    }

    // No index is tried more often than its limit allows: its pods hand the number on.
    void check_tries() {
        if (!job_.spec.backoff_limit_per_index || disturbed_) return;
        std::map<std::int32_t, std::int32_t> failures;
        for (const auto& [name, history] : history_) {
            if (history.phase != "Failed" || history.disturbed || history.dismissed) continue;
            if (history.exit_code != 7 || !job_.spec.pod_failure_policy) ++failures[history.index];
        }
        for (const auto& [index, count] : failures)
            ASSERT_LE(count, *job_.spec.backoff_limit_per_index + 1) << "index " << index;
    }

    void check_numbers() {
        const bool indexed = api::batch::is_indexed(job_.spec);
        std::int32_t succeeded = 0;
        std::int32_t failed = 0;
        std::int32_t unsure = 0;
        std::set<std::int32_t> done;
        std::set<std::int32_t> may_be_done;
        for (const auto& [name, history] : history_) {
            if (history.dismissed) continue;
            if (history.phase == "Succeeded") may_be_done.insert(history.index);
            if (history.disturbed || history.index >= completions_min_) {
                ++unsure;
            } else if (history.phase == "Succeeded") {
                ++succeeded;
                done.insert(history.index);
            } else if (history.exit_code != 7 || !job_.spec.pod_failure_policy) {
                ++failed;
            }
        }
        const std::string told = print(job_.status);
        ASSERT_GE(job_.status.failed, failed) << told;
        ASSERT_LE(job_.status.failed, failed + unsure) << told;
        if (!indexed) {
            ASSERT_GE(job_.status.succeeded, succeeded) << told;
            ASSERT_LE(job_.status.succeeded + job_.status.failed, succeeded + failed + unsure) << told;
            return;
        }
        const auto completed = tally::IndexSet::parse(job_.status.completed_indexes, *job_.spec.completions);
        const auto lost = tally::IndexSet::parse(job_.status.failed_indexes.value_or(Text()), *job_.spec.completions);
        ASSERT_EQ(job_.status.succeeded, completed.size()) << told;
        for (const std::int32_t index : done)
            ASSERT_TRUE(completed.contains(index) || lost.contains(index)) << index << " is done: " << told;
        for (std::int32_t index = 0; index < *job_.spec.completions; ++index)
            ASSERT_TRUE(!completed.contains(index) || may_be_done.contains(index)) << index << " is not: " << told;
    }
    void check_lingering_end() {
        if (!api::batch::is_complete(job_.status) || !job_.spec.completions || job_.spec.success_policy) return;
        if (elastic_) return;  // it may have been scaled up after its end was announced
        ASSERT_GE(job_.status.succeeded, *job_.spec.completions);
    }

    Prng prng_;
    Options options_;
    const bool disturbed_ = options_.disturb;
    std::string description_;
    bool elastic_ = false;
    std::int32_t completions_min_ = 1000;  // that an elastic Job ever had: indexes beyond may have gone uncounted
    Job job_;
    Gates gates_;
    Limits limits_;
    Instant now_ = kNow;
    BackoffRecord backoff_;
    Pods pods_;
    std::map<std::string, History> history_;
    std::set<std::string> names_;    // in the stored status
    std::set<std::string> counted_;  // have been, and are not any more
};

void run_worlds(std::uint64_t first, std::uint64_t count, Options options) {
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        World world(seed, options);
        world.run();
        if (::testing::Test::HasFailure()) {
            ADD_FAILURE() << "world " << seed << ": " << world.describe();
            return;
        }
    }
}

TEST(Worlds, QuietOnesCountTheTruth) { run_worlds(1, 400, {}); }
TEST(Worlds, WhateverCallFailsTheNumbersAreTheTruth) { run_worlds(10000, 400, {.faults = true}); }
TEST(Worlds, DeletedPodsSuspensionAndScalingCountNothingTwice) { run_worlds(20000, 400, {.disturb = true}); }
TEST(Worlds, BothAtOnce) { run_worlds(30000, 600, {.faults = true, .disturb = true}); }
TEST(Worlds, ADeletedJobLeavesNoPod) { run_worlds(40000, 200, {.faults = true, .disturb = true, .delete_job = true}); }
TEST(Worlds, TurningTrackingOffAndOnEndsWell) {
    run_worlds(50000, 300, {.faults = true, .disturb = true, .flip_gate = true});
}

}  // namespace worlds_test
}  // namespace muster::controllers::jobs
