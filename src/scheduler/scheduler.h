// The scheduler: watches pods and nodes, decides in rounds (decide.h) which pod goes where, and carries that out. Pods
// placed in one round are bound all at once, while the next round is already being decided: a pod counts on its node
// from the moment the round says so. A binding that fails gives the room back, and the pod is tried again later. It can
// be stopped at any point and started again: bindings and nominations are all it remembers, and they are stored.
// It does not sync keys as controllers do: a round decides about many pods together, in the order of their priority.
#pragma once

#include <set>
#include <unordered_set>

#include "api/kinds/core/namespace.h"
#include "client/client.h"
#include "client/metrics.h"
#include "client/mirror.h"
#include "client/recorder.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"
#include "scheduler/queue.h"
#include "scheduler/snapshot.h"

namespace muster::scheduler {

struct SchedulerOptions {
    std::size_t round_max = 4096;  // pods
    QueueLimits queue{};
    std::size_t tellings_max = 200;  // pods told a second why they wait: two writes each
    bool note_bindings = true;       // an event for each pod that got its node
};

class Scheduler {
public:
    // All must outlive it; destroying it stops it.
    Scheduler(os::Loop& loop, client::Client& client, client::Metrics& metrics, SchedulerOptions options = {});
    ~Scheduler();

    void start();
    std::uint64_t bound() const { return bound_; }

private:
    using Pod = api::core::Pod;
    using Node = api::core::Node;
    using Namespace = api::core::Namespace;
    using Budget = api::policy::PodDisruptionBudget;

    void on_pod(const PodRef& before, const PodRef& now);
    void on_assigned(const PodRef& before, const PodRef& now);
    void on_gone(const Text& uid);
    void on_node(const NodeRef& before, const NodeRef& now);
    void on_namespace(const client::Ref<Namespace>& before, const client::Ref<Namespace>& now);
    // Something happened that may let waiting pods fit.
    void wake(unsigned what);

    os::Task<void> run();
    os::Task<void> wait_for_turn();
    void run_round();
    void spawn_for(const PodRef& pod, os::Task<void> task);
    os::Task<void> bind(PodRef pod, Text node);
    os::Task<void> make_room(Refusal refusal);
    os::Task<Result<void>> mark_victim(PodRef victim);
    os::Task<void> remove_victim(PodRef victim, PodRef preemptor, Text node);
    os::Task<void> tell_waiting();
    os::Task<void> tell(PodRef pod, std::string message, Text nominated_node);
    void show_queue();

    os::Loop& loop_;
    client::Client& client_;
    client::Metrics& metrics_;
    SchedulerOptions options_;
    client::Recorder recorder_;
    client::Mirror<Pod> pods_;
    client::Mirror<Node> nodes_;
    client::Mirror<Namespace> namespaces_;
    client::Mirror<Budget> budgets_;
    Snapshot snapshot_;
    PodQueue queue_;
    std::unordered_set<Text> binding_;  // UIDs of pods whose binding the watch has not shown yet
    unsigned happened_ = 0;             // what to wake for, before the next round
    std::uint64_t bound_ = 0;
    os::Event changed_;
    os::TimerId timer_ = 0;
    os::TaskScope tasks_;
};

}  // namespace muster::scheduler
