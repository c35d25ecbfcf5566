// A pod's status tells the truth of its processes: one that Succeeded has a process that ended with 0, and an exit code
// in a status is the code that the machine saw.
#include <map>
#include <set>

#include "sim/checkers/job_facts.h"
#include "sim/checkers/list.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

class Outcomes final : public Checker {
public:
    std::string_view name() const override { return "outcomes"; }

    void on_run(World&, const Machine&, const ProcessTruth& process) override {
        const node::RunRecord& record = process.record;
        if (record.state == node::RunState::kEnded)
            codes_[{record.key.pod_uid, record.key.attempt}].insert(record.signal != 0 ? 128 + record.signal
                                                                                       : record.code);
    }

    void on_change(World& world, const Change& change) override {
        if (!change.is<Pod>() || !change.now) return;
        const Pod& pod = *change.now_as<Pod>();
        if (!has_ended(pod) || (change.before && has_ended(*change.before_as<Pod>()))) return;
        world.trace.note(world.loop.uptime(), pod.metadata.name, [&] {
            return pod.status.phase.str() + " code " + std::to_string(exit_code_of(pod)) + " " + pod.metadata.uid.str();
        });
        if (pod.status.container_statuses.empty()) {
            if (pod.status.phase == "Succeeded") world.fail(name(), pod.metadata.name, "succeeded without a process");
            return;
        }
        const auto& status = pod.status.container_statuses[0];
        if (!status.state.terminated) return;
        const auto truth = codes_.find({pod.metadata.uid, status.restart_count});
        const std::string& reason = status.state.terminated->reason.str();
        if (pod.status.phase == "Succeeded" && (truth == codes_.end() || !truth->second.contains(0)))
            world.fail(name(), pod.metadata.name, "succeeded, but its process did not end with 0");
        const bool known = reason == "Completed" || reason == "Error";
        if (known && truth != codes_.end() && !truth->second.contains(status.state.terminated->exit_code))
            world.fail(name(), pod.metadata.name,
                       "says exit code " + std::to_string(status.state.terminated->exit_code) + ", and it was " +
                           std::to_string(*truth->second.begin()));
    }

private:
    // By the pod's UID and the attempt. Of a pod whose binding was lost with a restore there may be several.
    std::map<std::pair<Text, int>, std::set<int>> codes_;
};

}  // namespace

std::unique_ptr<Checker> make_outcomes() { return std::make_unique<Outcomes>(); }

}  // namespace muster::sim
