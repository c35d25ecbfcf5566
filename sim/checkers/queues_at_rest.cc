// At rest nothing of queueing is left over: no Workload holds quota, none is half deleted, only waiting pods have the
// finalizer, and the status of each waiting object says why it waits. The counts in the queues' status agree.
#include <map>

#include "api/kinds/kueue/cluster_queue.h"
#include "sim/checkers/list.h"
#include "sim/checkers/queue_facts.h"

namespace muster::sim {
namespace {

class QueuesAtRest final : public Checker {
public:
    std::string_view name() const override { return "queues-at-rest"; }

    void at_rest(World& world) override {
        for (const QueuedWork* work : world.history.all<QueuedWork>()) {
            if (holds_quota(*work)) world.fail(name(), work->metadata.name, "it still holds quota");
            if (work->metadata.deletion_timestamp) world.fail(name(), work->metadata.name, "it is half deleted");
        }
        for (const Pod* pod : world.history.all<Pod>()) {
            if (is_held(*pod) && !is_gated(*pod))
                world.fail(name(), pod->metadata.name, "the finalizer of queueing is still there");
            if (is_gated(*pod) && !is_told_why(world, group_name_of(*pod), pod->metadata.uid))
                world.fail(name(), pod->metadata.name, "waits, and no status says why");
        }
        for (const Job* job : world.history.all<Job>()) {
            const bool queued = job->metadata.labels.contains("kueue.x-k8s.io/queue-name");
            if (queued && !is_finished(*job) && !is_told_why(world, {}, job->metadata.uid))
                world.fail(name(), job->metadata.name, "waits, and no status says why");
        }
        for (const auto* queue : world.history.all<api::kueue::ClusterQueue>())
            if (queue->status.reserving_workloads != 0 || queue->status.admitted_workloads != 0)
                world.fail(name(), queue->metadata.name,
                           "says that " + std::to_string(queue->status.reserving_workloads) + " hold quota and " +
                               std::to_string(queue->status.admitted_workloads) + " are admitted");
    }

private:
    static bool is_told_why(const World& world, const Text& group, const Text& uid) {
        const QueuedWork* work = find_work(world, group, uid);
        const auto* quota = work ? find_condition(*work, "QuotaReserved") : nullptr;
        return quota && quota->status == "False" && !quota->message.empty();
    }
};

}  // namespace

std::unique_ptr<Checker> make_queues_at_rest() { return std::make_unique<QueuesAtRest>(); }

}  // namespace muster::sim
