// Carries out what the admission engine decides: writes who got quota and who has to give it back, and keeps checks and
// time limits. Quota is counted from the moment of the decision until a Workload is seen without it: whatever is still
// being written, was lost on the way or failed counts until the Workload has been read again. After a start nothing is
// decided before all Workloads have been seen.
// Who gets quota is one decision about all Workloads, made when anything has changed, and not the sync of a key. What
// becomes of one Workload apart from that is (controllers/reconciler.h).
// The controller connects its parts, each of which can be tested alone. queues/: what Workloads depend on
// (environment), what the engine knows of it (queue_register), how many Workloads a queue has (queue_ledger), and what
// its status says (status_writer). workloads/: what is known of each Workload (workload_table), where it stands
// (place), what becomes of it apart from getting quota (lifecycle), what is written about it (drafts, writes), what
// users are told about it (reports), and why it waits (explainer).
#pragma once

#include "api/kinds/kueue/kueue.h"
#include "client/client.h"
#include "client/metrics.h"
#include "client/mirror.h"
#include "controllers/queue/admission/engine/engine.h"
#include "controllers/queue/admission/model/options.h"
#include "controllers/queue/admission/queues/admission_metrics.h"
#include "controllers/queue/admission/queues/environment.h"
#include "controllers/queue/admission/queues/queue_ledger.h"
#include "controllers/queue/admission/queues/queue_register.h"
#include "controllers/queue/admission/queues/status_writer.h"
#include "controllers/queue/admission/workloads/explainer.h"
#include "controllers/queue/admission/workloads/reports.h"
#include "controllers/queue/admission/workloads/workload_table.h"
#include "controllers/queue/admission/workloads/writes.h"
#include "controllers/reconciler.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::controllers {

class AdmissionController {
public:
    // All must outlive the controller; destroying it stops it.
    AdmissionController(os::Loop& loop, client::Client& client, client::Metrics& metrics,
                        AdmissionOptions options = {});
    ~AdmissionController();
    void start();
    // How long decisions took, all together, and how many there were.
    Duration deciding_time() const { return deciding_time_; }
    std::size_t decisions() const { return decisions_; }

private:
    using Workload = api::kueue::Workload;
    using WorkloadRef = client::Ref<Workload>;
    using Name = client::ObjectName;
    using ItemId = queue::ItemId;

    queue::Environment::Listener environment_listener();
    queue::Explainer::Calls explainer_calls();

    // Workloads come, change and go.
    void on_workload(const WorkloadRef& before, const WorkloadRef& now);
    ItemId track(const Workload& workload);
    void forget(ItemId item);
    void release(ItemId item);
    // Takes the Workload as it is now as the truth.
    void settle(ItemId item, const Workload& workload);
    queue::Place place(ItemId item, const Workload& workload);
    queue::LedgerEntry entry_of(ItemId item) const;
    // Tells the engine when it was preempted, by the number in its status. Times are kept in memory: after a start only
    // the last preemption is known, as it has a condition.
    void note_preemptions(ItemId item, const Workload& workload);
    queue::Surroundings surroundings(const Workload& workload) const;
    Instant ordered_at(const Workload& workload, const queue::Tracked& tracked) const;
    os::Task<Worked> sync_lifecycle(Name name);

    // Queues change: passes them to the engine, and settles again all Workloads concerned, yielding to the loop
    // regularly. No decision is made before that ends.
    queue::Concerned refresh_queues();
    os::Task<void> settle_concerned(std::shared_ptr<const queue::Concerned> by);
    bool is_concerned(const queue::Concerned& by, const queue::Tracked& tracked) const;

    // Decisions.
    os::Task<void> run_decisions();
    bool may_decide() const;
    bool is_blocked() const;
    void decide_once();
    void arm_looking_again();
    void carry_out(const queue::Admit& admit);
    void carry_out(const queue::Evict& evict);
    void on_write_ended(ItemId item);
    // The Workload, if it is known as it is stored; null otherwise.
    WorkloadRef find_stored(const queue::Tracked& tracked) const;

    os::Loop& loop_;
    const AdmissionOptions options_;
    queue::AdmissionMetrics metrics_;
    queue::Engine engine_;
    queue::Environment environment_;
    client::Mirror<Workload> workloads_;
    queue::QueueRegister queues_;
    queue::QueueLedger ledger_;
    queue::WorkloadTable table_;
    queue::WorkloadReports reports_;
    queue::WorkloadWrites writes_;
    queue::QueueStatusWriter status_writer_;
    queue::Explainer explainer_;

    bool ready_ = false;  // all mirrors have been read
    bool queues_stale_ = false;
    bool all_concerned_ = false;
    os::TimerId look_again_timer_ = 0;
    Duration deciding_time_{};
    std::size_t decisions_ = 0;

    os::Event wake_;
    Reconciler<Name> lifecycle_;
    os::TaskScope tasks_;
};

}  // namespace muster::controllers
