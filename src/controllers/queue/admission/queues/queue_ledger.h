// How many Workloads each ClusterQueue and LocalQueue has and what they use, and which of these numbers the queues'
// status does not tell yet. Every Workload is counted in one ClusterQueue and one LocalQueue by what it was settled as,
// and is counted out exactly so before it is settled again. No I/O.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "client/object_name.h"
#include "controllers/queue/admission/model/ledger.h"

namespace muster::controllers::queue {

using Asks = std::vector<std::pair<Text, Amount>>;  // by resource

// A Workload as it is counted. It is read during the call only.
struct LedgerEntry {
    Phase phase = Phase::kNone;
    bool unready = false;  // its pods are not ready
    const Text& cluster_queue;
    client::ObjectName local_queue{};
    const Usage& usage;  // while it holds quota
    const Asks& asks;    // while it waits: what it asks for
};

class QueueLedger {
public:
    void add(const LedgerEntry& entry) { count(entry, 1); }
    void remove(const LedgerEntry& entry) { count(entry, -1); }

    std::size_t waiting() const { return waiting_; }
    // Of those that hold quota.
    std::size_t unready() const { return unready_; }

    // Null for a queue in which nothing was counted since it was forgotten.
    const QueueCounts* find(const Text& cluster_queue) const;
    // The numbers that its status tells from now on; the next change of them makes the status stale.
    const QueueCounts& tell(const Text& cluster_queue);
    const QueueCounts& tell(const client::ObjectName& local_queue);
    // For queues that are not there: nothing is remembered of one without Workloads. Otherwise the next change of its
    // numbers makes it stale, so that it is forgotten later.
    void forget_unused(const Text& cluster_queue);
    void forget_unused(const client::ObjectName& local_queue);
    // How many queues are remembered.
    std::size_t size() const { return cluster_queues_.size() + local_queues_.size(); }

    // Queues whose status has to be written.
    bool is_stale() const { return !stale_cluster_queues_.empty() || !stale_local_queues_.empty(); }
    void mark_stale(const Text& cluster_queue) { stale_cluster_queues_.insert(cluster_queue); }
    void mark_stale(const client::ObjectName& local_queue) { stale_local_queues_.insert(local_queue); }
    void mark_fresh(const Text& cluster_queue) { stale_cluster_queues_.erase(cluster_queue); }
    void mark_fresh(const client::ObjectName& local_queue) { stale_local_queues_.erase(local_queue); }
    std::set<Text> take_stale_cluster_queues() { return std::exchange(stale_cluster_queues_, {}); }
    std::set<client::ObjectName> take_stale_local_queues() { return std::exchange(stale_local_queues_, {}); }

private:
    void count(const LedgerEntry& entry, int sign);

    std::map<Text, QueueCounts> cluster_queues_;
    std::map<client::ObjectName, QueueCounts> local_queues_;
    std::set<Text> stale_cluster_queues_;
    std::set<client::ObjectName> stale_local_queues_;
    std::size_t waiting_ = 0;
    std::size_t unready_ = 0;
};

}  // namespace muster::controllers::queue
