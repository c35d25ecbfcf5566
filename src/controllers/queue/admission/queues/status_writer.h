// Writes the status of ClusterQueues, LocalQueues and cohorts, and shows the same numbers as metrics: at most once in
// `status_every` for a queue, and behind everything else.
#pragma once

#include <functional>

#include "client/client.h"
#include "controllers/queue/admission/model/options.h"
#include "controllers/queue/admission/queues/admission_metrics.h"
#include "controllers/queue/admission/queues/environment.h"
#include "controllers/queue/admission/queues/queue_ledger.h"
#include "controllers/queue/admission/queues/queue_register.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::controllers::queue {

class QueueStatusWriter {
public:
    // Where the numbers come from. All must outlive the writer.
    struct Sources {
        const Environment& environment;
        const QueueRegister& queues;
        QueueLedger& ledger;
        Engine& engine;
        // Something about Workloads of that ClusterQueue is being written.
        std::function<bool(const Text& cluster_queue)> is_being_written;
    };

    QueueStatusWriter(os::Loop& loop, client::Client& client, const AdmissionOptions& options,
                      AdmissionMetrics& metrics, Sources sources);
    // Destroying it stops it.
    void start();

    // The ledger has stale queues.
    void wake() { wake_.notify(); }
    // The status of all cohorts has to be written.
    void mark_cohorts_stale() {
        cohorts_stale_ = true;
        wake();
    }
    void forget_cluster_queue(const Text& name);
    void forget_local_queue(const client::ObjectName& name);

private:
    using Name = client::ObjectName;

    os::Task<void> run();
    void show_cohorts();
    os::Task<bool> write_cluster_queue(Text name);
    os::Task<bool> write_local_queue(Name name);
    os::Task<bool> write_cohort(Text name);
    // Shares are told under fair sharing only.
    std::optional<Share> told(const Share& share) const;

    os::Loop& loop_;
    client::Client& client_;
    const AdmissionOptions& options_;
    AdmissionMetrics& metrics_;
    const Sources from_;
    bool cohorts_stale_ = false;
    os::Event wake_;
    os::TaskScope tasks_;
};

}  // namespace muster::controllers::queue
