// A Job's status never takes anything back: counters do not fall, completed indexes stay, conditions that are final
// stay, and what it says hangs together.
#include <algorithm>

#include "sim/checkers/job_facts.h"
#include "sim/checkers/list.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

class JobStatusChecker final : public Checker {
public:
    std::string_view name() const override { return "job-status"; }

    void on_change(World& world, const Change& change) override {
        if (!change.is<Job>() || !change.now || !change.before) return;
        const Job& before = *change.before_as<Job>();
        const Job& now = *change.now_as<Job>();
        const auto blame = [&](const std::string& what) {
            world.fail(name(), now.metadata.name, what + "; " + format_status(now));
        };
        if (!(before.metadata.uid == now.metadata.uid)) return blame("another object under the same name");
        const auto& was = before.status;
        const auto& is = now.status;
        if (is.failed < was.failed) blame("failed fell from " + std::to_string(was.failed));
        if (!is_indexed(now) && is.succeeded < was.succeeded)
            blame("succeeded fell from " + std::to_string(was.succeeded));
        if (is_indexed(now)) check_indexes(before, now, blame);
        if (is_finished(before) && !(is == was)) blame("a finished Job's status changed");
        if (is.ready.value_or(0) > is.active) blame("more are ready than active");
        if (has_condition(now, "Complete") && !has_condition(now, "SuccessCriteriaMet"))
            blame("Complete without SuccessCriteriaMet");
        if (has_condition(now, "Failed") && !has_condition(now, "FailureTarget")) blame("Failed without FailureTarget");
        if (has_condition(now, "Complete") && has_condition(now, "Failed")) blame("both Complete and Failed");
        if (is_finished(now) && (!uncounted_succeeded(now).empty() || !uncounted_failed(now).empty()))
            blame("finished with uncounted pods");
        if (is_finished(now) && is.active != 0) blame("finished with active pods");
        for (const auto& condition : is.conditions)
            if (std::count_if(is.conditions.begin(), is.conditions.end(),
                              [&](const auto& other) { return other.type == condition.type; }) > 1)
                blame("condition " + condition.type.str() + " is there twice");
    }

private:
    template <class Blame>
    static void check_indexes(const Job& before, const Job& now, const Blame& blame) {
        const std::set<std::int32_t> done = parse_indexes(now.status.completed_indexes);
        const std::set<std::int32_t> lost = parse_indexes(now.status.failed_indexes.value_or(Text()));
        for (const std::int32_t index : parse_indexes(before.status.completed_indexes))
            if (index < now.spec.completions.value_or(0) && !done.contains(index))
                blame("index " + std::to_string(index) + " is no longer completed");
        for (const std::int32_t index : done)
            if (lost.contains(index)) blame("index " + std::to_string(index) + " is completed and failed");
        // Scaled down and then made inelastic, its number stays: the API's rules let it fall in elastic Jobs only.
        const bool kept = now.status.succeeded == before.status.succeeded && now.status.succeeded > std::ssize(done);
        const bool was_scaled = before.metadata.generation != now.metadata.generation ||
                                before.status.succeeded != std::ssize(parse_indexes(before.status.completed_indexes)) ||
                                !(before.status.completed_indexes == now.status.completed_indexes);
        if (now.status.succeeded != std::ssize(done) && !(kept && was_scaled))
            blame("succeeded is not the number of indexes");
    }
};

}  // namespace

std::unique_ptr<Checker> make_job_status() { return std::make_unique<JobStatusChecker>(); }

}  // namespace muster::sim
