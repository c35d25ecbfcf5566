#include "sim/judge/judge.h"

#include <istream>

#include "sim/checkers/job_facts.h"
#include "sim/judge/recorded_change.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

// What a cluster is like for the checkers. The others judge what only a simulation can know.
Scenario judged_scenario(bool one_controller) {
    std::string text = "world layout=cluster nodes=0\n";
    // Where two Job controllers act, a pod may be created twice.
    if (!one_controller) text += "fault handover\n";
    for (const std::unique_ptr<Checker>& checker : make_checkers()) {
        const std::string_view name = checker->name();
        if (name != "exact-count" && name != "true-numbers" && name != "job-status" && name != "parallelism")
            text += "without " + std::string(name) + "\n";
    }
    return parse_scenario("judged", text).value().draw(1);
}

}  // namespace

Result<Verdict> judge_history(std::istream& lines, bool one_controller) {
    World world(1, judged_scenario(one_controller), Trace::Want::kKeep);
    Verdict verdict;
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (line.empty()) continue;
        Result<std::optional<RecordedChange>> change = read_recorded_change(line);
        if (!change.ok())
            return Error{Code::kBadRequest, "line " + std::to_string(number) + ": " + change.error().message};
        if (!*change) continue;
        ++verdict.changes;
        world.history.record((*change)->kind, (*change)->key, (*change)->revision, std::move((*change)->object));
    }
    for (const Job* job : world.history.all<Job>()) {
        if (is_finished(*job))
            ++verdict.finished;
        else
            world.fail("at-rest", job->metadata.name, "the Job has not finished; " + format_status(*job));
    }
    if (const std::optional<Failure> failure = world.judge_at_rest())
        verdict.failure = failure->checker + ": " + failure->subject + ": " + failure->reason;
    return verdict;
}

}  // namespace muster::sim
