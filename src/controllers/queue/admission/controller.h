// Carries out what the admission engine decides: watches queues, flavors and Workloads, writes who got quota and who
// has to give it back, keeps checks and time limits, says in words why others wait, and keeps the queues' status. Quota
// is counted from the moment of the decision until a Workload is seen without it: whatever is still being written, was
// lost on the way or failed counts until the Workload has been read again. After a start nothing is decided before all
// Workloads have been seen. There is one write at a time for a Workload.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "api/kinds/core/namespace.h"
#include "api/kinds/kueue/kueue.h"
#include "api/kinds/runtime.h"
#include "api/selector/label_selector.h"
#include "client/client.h"
#include "client/metrics.h"
#include "client/mirror.h"
#include "client/recorder.h"
#include "client/work_queue.h"
#include "controllers/queue/admission/admission_metrics.h"
#include "controllers/queue/admission/engine.h"
#include "controllers/queue/admission/lifecycle.h"
#include "controllers/queue/admission/model/ledger.h"
#include "controllers/queue/admission/model/options.h"
#include "controllers/queue/admission/queue_status.h"
#include "controllers/queue/admission/requests.h"
#include "controllers/queue/workload/words.h"
#include "controllers/workers.h"
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
    using ClusterQueue = api::kueue::ClusterQueue;
    using LocalQueue = api::kueue::LocalQueue;
    using WorkloadRef = client::Ref<Workload>;
    using Draft = std::shared_ptr<Workload>;
    using Name = client::ObjectName;
    using ItemId = queue::ItemId;

    // Awaited of a Workload that was not there when it was read: no version of it is the one, and what the mirror still
    // shows of it is left alone until it tells of its end.
    static constexpr std::uint64_t kVersionOfGone = UINT64_MAX;
    // What is known of a Workload, by its number in the engine.
    struct Tracked {
        std::vector<std::pair<Text, queue::Amount>> asks{};  // while it waits: what it asks for, by resource
        Name name{};
        Text uid{};
        client::AwaitedVersion awaited{};  // that we wrote or read, and the mirror has not shown
        Instant waiting_since{};
        Instant explained_at{};
        Text cluster_queue{};  // where it is counted
        Text local_queue{};
        Text explained_reason{};
        Text obstacle_reason{};  // why it is not even in the queue
        Text obstacle{};
        std::uint32_t sequence = 0;                 // order of arrival, for those created in one second
        std::optional<std::int32_t> preemptions{};  // how many its status told of last
        queue::Phase phase = queue::Phase::kNone;
        bool busy = false;     // something is being written
        bool gone = false;     // meanwhile
        bool unready = false;  // admitted, and its pods are not ready
        bool over = false;     // finished
    };
    // Which version of an object the engine knows.
    struct Meaning {
        Text uid{};
        std::int64_t generation = 0;
        bool operator==(const Meaning&) const = default;
    };
    template <class K>
    static Meaning meaning_of(const K& object) {
        return {object.metadata.uid, object.metadata.generation};
    }
    struct QueueInfo {
        Meaning meaning{};
        queue::Activity activity{};
        api::LabelSelector namespaces = api::LabelSelector::nothing();
    };
    // Whose surroundings have changed since they were settled.
    struct Concerned {
        bool all = false;
        std::set<Text> cluster_queues{};
        std::set<Name> local_queues{};
        std::set<Text> namespaces{};
        std::set<Text> runtime_classes{};
    };
    // What a write was about, for events and metrics when it has succeeded.
    struct Told {
        enum class What : std::uint8_t { kAdmission, kPreemption, kLifecycle, kExplanation } what{};
        Text reason{};
        std::string message{};
        Text preemptor_queue{};
        Text preempt_reason{};
        Text evicted_for{};
    };
    using ToldRef = std::shared_ptr<const Told>;

    // Queues and what they need (controller_queues.cc).
    void watch_queues();
    void on_queues_changed() {
        queues_stale_ = true;
        wake_.notify();
    }
    void refresh_flavors();
    void refresh_cohorts();
    void refresh_queues();
    void note_activity(const ClusterQueue& one, bool in_cycle, QueueInfo* before);
    // Settles again all Workloads that configuration changes affect, and yields to the loop regularly. No decision is
    // made before it ends.
    os::Task<void> settle_concerned();
    bool is_concerned(const Concerned& by, const Tracked& tracked) const;
    os::Task<void> run_statuses();
    void report_cohorts();
    std::vector<Text> cohorts_over(const Text& cohort) const;
    os::Task<bool> write_cluster_queue(Text name);
    os::Task<bool> write_local_queue(Name name);
    os::Task<bool> write_cohort(Text name);
    // Something about its workloads is being written.
    bool is_being_written(const Text& cluster_queue) const;

    // Workloads.
    void on_workload(const WorkloadRef& before, const WorkloadRef& now);
    ItemId track(const Workload& workload);
    void forget(ItemId item);
    void release(ItemId item);
    // Takes the Workload as it is now as the truth.
    void settle(ItemId item, const Workload& workload);
    void place(ItemId item, const Workload& workload);
    // Counts what has changed since it was settled last: quota that was given back, pods that are ready.
    void observe(const Workload& workload, const Tracked& before, const Tracked& now);
    std::vector<std::pair<Text, queue::Amount>> asks_of(const Workload& workload) const;
    void place_waiting(ItemId item, const Workload& workload);
    bool find_obstacle(const Workload& workload, Tracked& tracked);
    static bool note_obstacle(Tracked& tracked, Word word, std::initializer_list<std::string_view> values = {});
    bool find_queue_obstacle(const Workload& workload, Tracked& tracked);
    void count(ItemId item, int sign);
    // Tells the engine when it was preempted, by the number in its status. Times are kept in memory: after a start only
    // the last preemption is known, as it has a condition.
    void note_preemptions(ItemId item, const Workload& workload);
    queue::PodRules pod_rules(const Text& namespace_) const;
    queue::Surroundings surroundings(const Workload& workload) const;
    Instant ordered_at(const Workload& workload, const Tracked& tracked) const;

    os::Task<void> run_decisions();
    bool may_decide() const;
    void decide_once();
    void arm_looking_again();
    void carry_out(const queue::Plan& plan);
    void carry_out(const queue::Admit& admit);
    void carry_out(const queue::Evict& evict);
    os::Task<Worked> sync_lifecycle(Name name);

    // Stores the status, or with `spec` the rest, and afterwards knows what is stored.
    os::Task<void> store(ItemId item, WorkloadRef before, Draft draft, bool spec, ToldRef told);
    // Asks until there is an answer.
    os::Task<std::uint64_t> learn_version(Name name);
    void finish_store(ItemId item);
    // The name, or none when there is no such queue.
    Text known_queue(const Text& cluster_queue) const;
    // Where a Workload of that ClusterQueue is counted: in queues that exist.
    queue::Counted counted_in(const Text& cluster_queue, const Workload& workload) const;
    void tell(const Workload& workload, const Told& told);
    void note(const Workload& workload, Text reason, std::string message, const char* type = "Normal");

    // Says why workloads wait, a few at a time and behind everything else.
    void arm_explaining();
    void explain_some();
    // Whether there was something to look at.
    bool explain_one(ItemId item);
    bool is_blocked() const { return options_.pods_ready && options_.pods_ready->block_admission && unready_ > 0; }

    os::Loop& loop_;
    client::Client& client_;
    const AdmissionOptions options_;
    client::Recorder recorder_;
    queue::AdmissionMetrics metrics_;
    queue::Engine engine_;

    client::Mirror<ClusterQueue> cluster_queues_;
    client::Mirror<LocalQueue> local_queues_;
    client::Mirror<api::kueue::ResourceFlavor> flavors_;
    client::Mirror<api::kueue::Cohort> cohorts_;
    client::Mirror<api::kueue::AdmissionCheck> checks_;
    client::Mirror<api::core::Namespace> namespaces_;
    client::Mirror<api::core::LimitRange> limit_ranges_;
    client::Mirror<api::runtime::RuntimeClass> runtime_classes_;
    client::Mirror<Workload> workloads_;
    client::Mirror<api::core::LimitRange>::IndexId limit_ranges_by_namespace_;
    queue::FindRuntimeClass find_runtime_class_;

    std::map<Name, ItemId> items_;
    std::vector<Tracked> tracked_;
    std::map<Text, QueueInfo> infos_;  // of ClusterQueues
    std::map<Text, Meaning> known_flavors_;
    std::map<Text, Meaning> known_cohorts_;
    Concerned concerned_;
    std::map<Text, queue::QueueCounts> cluster_counts_;
    std::map<Name, queue::QueueCounts> local_counts_;
    std::set<Text> stale_cluster_queues_;
    std::set<Name> stale_local_queues_;
    bool cohorts_stale_ = false;

    std::uint32_t arrivals_ = 0;
    std::size_t writing_ = 0;
    std::size_t unready_ = 0;
    std::size_t waiting_ = 0;
    ItemId explain_next_ = 0;
    bool ready_ = false;
    bool queues_stale_ = false;
    os::TimerId explain_timer_ = 0;
    os::TimerId look_again_timer_ = 0;
    Duration deciding_time_{};
    std::size_t decisions_ = 0;

    os::Event wake_;
    os::Event status_wake_;
    client::WorkQueue<Name> lifecycle_;
    Workers<Name> workers_;
    os::TaskScope tasks_;
};

}  // namespace muster::controllers
