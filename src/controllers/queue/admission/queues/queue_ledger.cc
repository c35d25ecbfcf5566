#include "controllers/queue/admission/queues/queue_ledger.h"

#include "base/check.h"

namespace muster::controllers::queue {
namespace {

void change(std::size_t& count, int sign) {
    CHECK(sign > 0 || count > 0, "a Workload was counted out that was not counted");
    count += static_cast<std::size_t>(sign);
}

template <class Queues, class Name>
const QueueCounts& tell_counts(Queues& queues, const Name& name) {
    QueueCounts& counts = queues[name];
    counts.told = true;
    return counts;
}

template <class Queues, class Name>
void forget_counts(Queues& queues, const Name& name) {
    const auto found = queues.find(name);
    if (found == queues.end()) return;
    found->second.told = true;
    if (found->second.nothing()) queues.erase(found);
}

}  // namespace

void QueueLedger::count(const LedgerEntry& entry, int sign) {
    if (entry.unready && entry.phase >= Phase::kReserving) change(unready_, sign);
    if (entry.phase == Phase::kNone) return;
    if (entry.phase < Phase::kReserving) change(waiting_, sign);
    const Usage nothing;
    const Usage& usage = entry.phase >= Phase::kReserving ? entry.usage : nothing;
    QueueCounts& in_cluster_queue = cluster_queues_[entry.cluster_queue];
    in_cluster_queue.count(entry.phase, usage, sign);
    in_cluster_queue.ask(entry.asks, sign);
    if (std::exchange(in_cluster_queue.told, false)) mark_stale(entry.cluster_queue);
    QueueCounts& in_local_queue = local_queues_[entry.local_queue];
    in_local_queue.count(entry.phase, usage, sign);
    if (std::exchange(in_local_queue.told, false)) mark_stale(entry.local_queue);
}

const QueueCounts* QueueLedger::find(const Text& cluster_queue) const {
    const auto found = cluster_queues_.find(cluster_queue);
    return found == cluster_queues_.end() ? nullptr : &found->second;
}

const QueueCounts& QueueLedger::tell(const Text& cluster_queue) { return tell_counts(cluster_queues_, cluster_queue); }
const QueueCounts& QueueLedger::tell(const client::ObjectName& local_queue) {
    return tell_counts(local_queues_, local_queue);
}

void QueueLedger::forget_unused(const Text& cluster_queue) { forget_counts(cluster_queues_, cluster_queue); }
void QueueLedger::forget_unused(const client::ObjectName& local_queue) { forget_counts(local_queues_, local_queue); }

}  // namespace muster::controllers::queue
