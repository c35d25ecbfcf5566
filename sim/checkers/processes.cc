// No process starts twice for one attempt of a pod's container, and no two attempts run at once; a pod that is not to
// be restarted has one attempt only; none starts for a pod that is not there; and none outlives its pod for long, once
// all is healed. No two pods of a machine have one address, and each has the one that its processes were told.
#include <map>

#include "sim/checkers/job_facts.h"
#include "sim/checkers/list.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

class Processes final : public Checker {
public:
    std::string_view name() const override { return "processes"; }

    void on_change(World& world, const Change& change) override {
        if (!change.is<Pod>()) return;
        const Pod* pod = change.now ? change.now_as<Pod>() : change.before_as<Pod>();
        PodBook& book = pods_[pod->metadata.uid];
        book.name = pod->metadata.name;
        book.node = pod->spec.node_name;
        book.restarts = !(pod->spec.restart_policy == "Never");
        book.there = change.now != nullptr;
        if (pod->status.pod_ip.empty()) return;
        for (const auto& machine : world.machines()) {
            // A pod whose binding was lost with a restore may have had processes elsewhere.
            if (!(machine->name() == pod->spec.node_name)) continue;
            const auto& processes = machine->processes();
            const auto first = processes.lower_bound({pod->metadata.uid, {}, 0});
            if (first == processes.end() || !(first->first.pod_uid == pod->metadata.uid)) continue;
            if (!(first->second.record.pod_ip == pod->status.pod_ip))
                blame(world, first->second.record, "was told another address than its pod shows");
        }
    }

    // Pods that came since the backup are gone, and pods that went since are there again.
    void on_restore(World& world) override {
        for (auto& [uid, book] : pods_) book.there = false;
        for (const Pod* pod : world.history.all<Pod>()) {
            PodBook& book = pods_[pod->metadata.uid];
            book.name = pod->metadata.name;
            book.node = pod->spec.node_name;
            book.restarts = !(pod->spec.restart_policy == "Never");
            book.there = true;
        }
    }

    void on_run(World& world, const Machine& machine, const ProcessTruth& process) override {
        const node::RunRecord& record = process.record;
        if (process.starts > 1) blame(world, record, "was started twice");
        if (record.state != node::RunState::kIntended) return;
        // It may start from here on.
        const auto pod = pods_.find(record.key.pod_uid);
        if (pod == pods_.end()) return blame(world, record, "starts for a pod that was never durable");
        if (!(pod->second.node == machine.name())) blame(world, record, "starts on a machine that is not its pod's");
        if (!pod->second.restarts && record.key.attempt > 0) blame(world, record, "starts again though it must not");
        for (const auto& [key, other] : machine.processes()) {
            if (!(key.pod_uid == record.key.pod_uid) && other.record.active() && other.record.pod_ip == record.pod_ip)
                blame(world, record, "has another pod's address");
            if (key.pod_uid == record.key.pod_uid && key.container == record.key.container && other.record.active() &&
                key.attempt != record.key.attempt)
                blame(world, record, "starts beside another attempt");
        }
    }

    void at_rest(World& world) override {
        for (const auto& machine : world.machines()) {
            for (const auto& [key, process] : machine->processes()) {
                const auto pod = pods_.find(key.pod_uid);
                if (process.record.active() && (pod == pods_.end() || !pod->second.there))
                    blame(world, process.record, "outlives its pod");
            }
        }
    }

private:
    struct PodBook {
        Text name;
        Text node;
        bool restarts = false;
        bool there = true;
    };
    void blame(World& world, const node::RunRecord& record, const std::string& what) {
        const auto pod = pods_.find(record.key.pod_uid);
        world.fail(name(), pod == pods_.end() ? record.key.pod_uid : pod->second.name,
                   "the process of pod " + record.key.pod_uid.str() + ", attempt " +
                       std::to_string(record.key.attempt) + ", " + what);
    }

    std::map<Text, PodBook> pods_;
};

}  // namespace

std::unique_ptr<Checker> make_processes() { return std::make_unique<Processes>(); }

}  // namespace muster::sim
