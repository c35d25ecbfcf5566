// The scenarios of scenario.h: NonIndexed Jobs, Indexed Jobs, and both while they are deleted.
#include "controllers/scenario.h"

namespace muster::worlds {
namespace {

using When = std::function<bool(const World&)>;
using Act = std::function<void(World&)>;

const api::batch::JobStatus* status_of(const World& world) {
    const Job* job = world.truth.job("j");
    return job ? &job->status : nullptr;
}
When succeeded(int count) {
    return [count](const World& world) { return status_of(world) && status_of(world)->succeeded >= count; };
}
When failed(int count) {
    return [count](const World& world) { return status_of(world) && status_of(world)->failed >= count; };
}
When running(int count) {
    return [count](const World& world) {
        int found = 0;
        for (const auto& pod : world.truth.active_pods()) found += pod->status.phase == "Running" ? 1 : 0;
        return found >= count;
    };
}
// So many have ever run, whatever became of them.
When started(std::size_t count) {
    return [count](const World& world) { return world.node_memory.endings.size() >= count; };
}
When suspended() {
    return [](const World& world) { return world.truth.job("j") && has_condition(*world.truth.job("j"), "Suspended"); };
}
When at_rest() {
    return [](const World& world) {
        return status_of(world) && status_of(world)->active == 0 && world.truth.tracked() == 0;
    };
}
When both(When a, When b) {
    return [=](const World& world) { return a(world) && b(world); };
}

Act edit(std::function<void(api::batch::JobSpec&)> change) {
    return [change](World& world) {
        const auto done = world.change_job("j", [&](Job& job) { change(job.spec); });
        CHECK(done.ok(), done.ok() ? "" : format_error(done.error()));
    };
}
Act set_suspend(bool suspend) {
    return edit([suspend](auto& spec) { spec.suspend = suspend; });
}
Act set_parallelism(int parallelism) {
    return edit([parallelism](auto& spec) { spec.parallelism = parallelism; });
}
Act set_size(int size) {
    return edit([size](auto& spec) {
        spec.completions = size;
        spec.parallelism = size;
    });
}
Act remove_job(const char* propagation) {
    return [propagation](World& world) { (void)world.remove<Job>("j", propagation); };
}
// As an eviction would: the first that runs.
Act remove_a_pod() {
    return [](World& world) {
        for (const auto& pod : world.truth.active_pods())
            if (pod->status.phase == "Running") return (void)world.remove<Pod>(pod->metadata.name);
    };
}

Script first_fail(int failures) {
    return [failures](const PodRun& run) { return run.ordinal < failures ? fail() : succeed(); };
}
// Indexes differ in how long they take, so that they do not all end in one turn.
Duration span_of(const PodRun& run) { return 1s + std::chrono::milliseconds(300 * (run.index % 3)); }
Script index_fails_once(int index) {
    return [index](const PodRun& run) {
        return run.index == index && run.attempt == 0 ? fail(1, 500ms) : succeed(span_of(run));
    };
}
Script index_fails(int index, int exit_code = 1) {
    return [=](const PodRun& run) { return run.index == index ? fail(exit_code, 500ms) : succeed(span_of(run)); };
}
Script runs_long() {
    return [](const PodRun&) { return succeed(20s); };
}

std::vector<Scenario> non_indexed() {
    const char* plain = "completions: 5, parallelism: 2";
    return {
        {"NonIndexedPlain", job_manifest(plain)},
        {"NonIndexedWithFailures", job_manifest("completions: 5, parallelism: 3, backoffLimit: 5"), first_fail(2)},
        {"NonIndexedFails",
         job_manifest("completions: 6, parallelism: 3, backoffLimit: 1"),
         [](const PodRun& run) { return run.ordinal % 3 == 2 ? succeed(30s) : fail(1, 500ms); },
         {},
         "Failed: BackoffLimitExceeded"},
        {"NonIndexedSuspendedAndResumed",
         job_manifest("completions: 5, parallelism: 3"),
         [](const PodRun& run) { return succeed(run.ordinal % 2 == 0 ? 1s : 2s); },
         {{both(succeeded(1), running(1)), set_suspend(true)}, {both(suspended(), at_rest()), set_suspend(false)}}},
        {"NonIndexedScaledDownAndUp",
         job_manifest("completions: 6, parallelism: 4"),
         [](const PodRun& run) { return succeed(1s + std::chrono::milliseconds(200 * (run.ordinal % 4))); },
         {{started(4), set_parallelism(1)}, {succeeded(2), set_parallelism(3)}}},
        {"NonIndexedPodsEvicted",
         job_manifest("completions: 4, parallelism: 2"),
         [](const PodRun&) { return succeed(2s); },
         {{running(2), remove_a_pod()}, {both(failed(1), running(2)), remove_a_pod()}}},
        {"NonIndexedEvictedAndReplacedWhenFailed",
         job_manifest("completions: 3, parallelism: 2, podReplacementPolicy: Failed"),
         [](const PodRun&) { return succeed(2s); },
         {{running(2), remove_a_pod()}}},
        {"NonIndexedDeadline",
         job_manifest("completions: 5, parallelism: 2, activeDeadlineSeconds: 5"),
         [](const PodRun& run) { return run.ordinal < 2 ? succeed(1s) : succeed(60s); },
         {},
         "Failed: DeadlineExceeded"},
        {"NonIndexedWorkQueue", job_manifest("parallelism: 3"),
         [](const PodRun& run) { return succeed(1s + std::chrono::milliseconds(500 * run.ordinal)); }},
        {"NonIndexedFailJobPolicy",
         job_manifest("completions: 5, parallelism: 3, podFailurePolicy: {rules: [{action: Ignore, onExitCodes: "
                      "{operator: In, values: [9]}}, {action: FailJob, onExitCodes: {operator: In, values: [42]}}]}"),
         [](const PodRun& run) { return run.ordinal == 0   ? fail(9)
                                        : run.ordinal == 3 ? fail(42)
                                                           : succeed(3s); },
         {},
         "Failed: PodFailurePolicy",
         [](const PodTruth& pod) { return pod.exit_code == 9; }},
        {"NonIndexedInSmallBatches",
         job_manifest("completions: 7, parallelism: 7, backoffLimit: 9"),
         first_fail(2),
         {},
         "Complete: CompletionsReached",
         [](const PodTruth&) { return false; },
         [](WorldOptions& options) {
             options.job.limits.uncounted_max = 2;
             options.job.limits.create_delete_max = 3;
         }},
    };
}

std::vector<Scenario> indexed() {
    return {
        {"IndexedPlain", job_manifest("completionMode: Indexed, completions: 5, parallelism: 2"),
         [](const PodRun& run) { return succeed(span_of(run)); }},
        {"IndexedWithAFailure", job_manifest("completionMode: Indexed, completions: 5, parallelism: 3"),
         index_fails_once(1)},
        {"IndexedFails",
         job_manifest("completionMode: Indexed, completions: 5, parallelism: 3, backoffLimit: 1"),
         index_fails(1),
         {},
         "Failed: BackoffLimitExceeded"},
        {"IndexedSuspendedAndResumed",
         job_manifest("completionMode: Indexed, completions: 5, parallelism: 3"),
         [](const PodRun& run) { return succeed(1s * (1 + run.index % 2)); },
         {{both(succeeded(1), running(1)), set_suspend(true)}, {both(suspended(), at_rest()), set_suspend(false)}}},
        {"IndexedScaledDownAndUp",
         job_manifest("completionMode: Indexed, completions: 5, parallelism: 4"),
         [](const PodRun& run) { return succeed(span_of(run)); },
         {{started(4), set_parallelism(1)}, {succeeded(2), set_parallelism(3)}}},
        {"IndexedElastic",
         job_manifest("completionMode: Indexed, completions: 4, parallelism: 4"),
         [](const PodRun& run) { return succeed(run.index < 3 ? 3s : 1s); },
         {{started(4), set_size(6)}, {succeeded(2), set_size(3)}}},
        {"IndexedPerIndexBackoff",
         job_manifest("completionMode: Indexed, completions: 5, parallelism: 3, backoffLimitPerIndex: 1"),
         [](const PodRun& run) {
             if (run.index == 1) return fail(1, 500ms);
             return run.index == 3 && run.attempt == 0 ? fail(1, 700ms) : succeed(span_of(run));
         },
         {},
         "Failed: FailedIndexes"},
        {"IndexedMaxFailedIndexes",
         job_manifest("completionMode: Indexed, completions: 6, parallelism: 3, backoffLimitPerIndex: 0, "
                      "maxFailedIndexes: 1"),
         [](const PodRun& run) { return run.index < 3 ? fail(1, span_of(run)) : succeed(30s); },
         {},
         "Failed: MaxFailedIndexesExceeded"},
        {"IndexedFailIndexPolicy",
         job_manifest(
             "completionMode: Indexed, completions: 4, parallelism: 2, backoffLimitPerIndex: 2, podFailurePolicy: "
             "{rules: [{action: FailIndex, onExitCodes: {operator: In, values: [42]}}, {action: Ignore, "
             "onPodConditions: [{type: DisruptionTarget}]}]}"),
         [](const PodRun& run) {
             if (run.index == 0) return fail(42, 500ms);
             Ending disrupted = fail(77, 500ms);
             disrupted.condition = "DisruptionTarget";
             return run.index == 2 && run.attempt == 0 ? disrupted : succeed(span_of(run));
         },
         {},
         "Failed: FailedIndexes",
         [](const PodTruth& pod) { return pod.exit_code == 77; }},
        {"IndexedSuccessPolicy",
         job_manifest("completionMode: Indexed, completions: 5, parallelism: 4, backoffLimit: 0, successPolicy: "
                      "{rules: [{succeededIndexes: 0-1}]}"),
         [](const PodRun& run) { return run.index < 2 ? succeed(1s * (1 + run.index)) : succeed(60s); },
         {},
         "Complete: SuccessPolicy"},
    };
}

std::vector<Scenario> deletions() {
    std::vector<Scenario> out;
    for (const char* mode : {"NonIndexed", "Indexed"}) {
        for (const char* propagation : {"Background", "Foreground", "Orphan"}) {
            Scenario scenario{std::string(mode) + "Deleted" + propagation,
                              job_manifest(std::string("completions: 4, parallelism: 3, completionMode: ") + mode)};
            scenario.script = [](const PodRun& run) { return run.ordinal == 0 ? succeed(500ms) : succeed(20s); };
            scenario.steps = {{both(started(4), running(2)), remove_job(propagation)}};
            scenario.end = "gone";
            scenario.orphans = std::string_view(propagation) == "Orphan";
            scenario.tune = [](WorldOptions& options) { options.faults_in_garbage = true; };
            out.push_back(std::move(scenario));
        }
    }
    for (const char* mode : {"NonIndexed", "Indexed"}) {
        Scenario scenario{std::string(mode) + "GoneWithItsTime",
                          job_manifest(std::string("completions: 2, parallelism: 2, ttlSecondsAfterFinished: 5, "
                                                   "completionMode: ") +
                                       mode)};
        scenario.end = "gone";
        scenario.tune = [](WorldOptions& options) { options.ttl = options.faults_in_garbage = true; };
        out.push_back(std::move(scenario));
    }
    Scenario while_suspended{"IndexedDeletedWhileSuspending",
                             job_manifest("completions: 4, parallelism: 3, completionMode: Indexed"), runs_long()};
    while_suspended.steps = {{running(3), set_suspend(true)},
                             {[](const World&) { return true; }, remove_job("Foreground")}};
    while_suspended.end = "gone";
    out.push_back(std::move(while_suspended));
    return out;
}

}  // namespace

std::vector<Scenario> all_scenarios() {
    std::vector<Scenario> all;
    for (auto* part : {non_indexed, indexed, deletions})
        for (Scenario& scenario : part()) all.push_back(std::move(scenario));
    return all;
}

}  // namespace muster::worlds
