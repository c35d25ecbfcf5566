// The node agent: watches the pods that are bound to its nodes, and for one pod at a time carries out what pod_state.h
// decides, through its runtime (node/runtime/pod_runtime.h), and stores the status that status.h makes. It knows
// nothing of how containers run.
//
//     pod or run changes → decide_pod → start and signal → store the status → (deleted and ended: remove it)
//
// Durable before visible: nothing of a pod starts before its binding is durable, and nothing is signalled for a
// deletion that a crash could take back. That it was started is the runtime's to remember, through a loss of power,
// too: so a pod needs no status of ours before its start, and one that is over at once gets a single status. What it
// knows of runs comes from the runtime alone; so it can be stopped at any point and started again.
// It has a work queue of its own and not the Reconciler of controllers: its memory is of a UID and not of the queue's
// key, as runs outlive their pod's name, and work stops whenever the runtime is out of touch.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/kinds/core/config.h"
#include "client/client.h"
#include "client/metrics.h"
#include "client/mirror.h"
#include "client/recorder.h"
#include "client/work_queue.h"
#include "client/workers.h"
#include "node/pods/care.h"
#include "node/pods/pod_admission.h"
#include "node/pods/pod_state.h"
#include "node/pods/status.h"
#include "node/registration.h"
#include "node/runtime/pod_runtime.h"
#include "node/storage_watch.h"

namespace muster::node {

struct AgentOptions {
    std::vector<NodeDescription> nodes{};
    RegistrationOptions registration{};
    std::size_t syncs_at_once_max = 512;
};

class Agent {
public:
    // All must outlive the agent; destroying it stops it, and leaves what runs alone.
    Agent(os::Loop& loop, client::Client& client, client::Metrics& metrics, const MakePodRuntime& make_runtime,
          AgentOptions options);

    void start();
    PodRuntime& runtime() { return *runtime_; }

private:
    using Pod = api::core::Pod;
    using PodRef = client::Ref<Pod>;

    // What is remembered of a pod from one look to the next.
    struct Memory {
        RunsByContainer runs;
        std::optional<Stop> stop;
        PodPlace place;
        bool taken = false;                // the node has taken it: its room is counted
        bool durable = false;              // so that something may start
        client::AwaitedVersion written{};  // of our last status; the mirror may not have shown it yet
        Text told_mount;                   // why a volume could not be made, as it was told last
    };
    using MemoryRef = std::shared_ptr<Memory>;

    void on_pod(const PodRef& before, const PodRef& now);
    void on_run(const RunRecord& record);
    void on_touch();
    void on_waits(const RunKey& key, const std::string& why);
    void on_notice(const char* reason, const std::string& text);
    void forget_strays();
    void on_touch_lost();
    void evict(const PodRef& pod, const std::string& why);
    bool is_ours(const Pod& pod) const { return registration_.find(pod.spec.node_name) != nullptr; }
    // Its end is stored and it is not being deleted: a sync would do nothing.
    bool is_settled(const Pod& pod) const;
    MemoryRef memory_of(const Pod& pod);
    // Null when there is none.
    PodRef find_pod(const Text& uid) const;
    // Addresses of stored pods must not be given to other pods.
    void reserve_addresses();
    NodeFacts facts_of(const Pod& pod) const;
    // Pods that began before this process are not asked again.
    void take_begun();
    void take(const Pod& pod, Memory& memory);
    // Whether the node takes the pod; an error when it cannot tell yet.
    Result<std::optional<PodRefusal>> check_admission(const Pod& pod) const;
    os::Task<bool> reject(PodRef pod, MemoryRef memory, Text reason, Text message);

    os::Task<client::Worked> work_on(client::ObjectName name);
    // The pod is tried again, later each time; the others go on.
    void on_exception(const client::ObjectName& name, const std::string& why);
    // Whether all went well.
    os::Task<bool> sync(client::ObjectName name);
    os::Task<bool> sync_pod(PodRef pod, MemoryRef memory);
    // Whether everything that the mirror of pods shows is durable. It is not when the server's data was restored from a
    // backup and the mirror has not noticed that yet.
    os::Task<bool> confirm();
    os::Task<bool> store_status(PodRef pod, MemoryRef memory, bool ended);
    os::Task<bool> write_status(PodRef pod, MemoryRef memory, Pod draft);
    os::Task<void> start_container(PodRef pod, MemoryRef memory, StartStep step);
    void signal_container(const Pod& pod, Memory& memory, const SignalStep& step);
    void tell_killing(const Pod& pod, const Memory& memory, const Text& container);
    os::Task<void> forget(Text pod_uid);
    void forget_apart(const Text& pod_uid);
    void tell_backoffs(const PodView& view, Memory& memory);
    void tell_pod(const Pod& pod, bool warning, const char* reason, std::string message);
    void tell(const Pod& pod, const Text& container, bool init, bool warning, const char* reason, std::string message);

    os::Loop& loop_;
    client::Client& client_;
    const AgentOptions options_;
    Registration registration_;
    client::Recorder recorder_;
    client::WorkQueue<client::ObjectName> queue_;
    client::Mirror<Pod> pods_;
    // All that the mirror shows. An index of the mirror would have a map for each UID.
    std::unordered_map<Text, PodRef> pods_by_uid_;
    client::Mirror<api::core::Node> node_objects_;
    const std::unique_ptr<PodRuntime> runtime_;
    StorageWatch storage_;
    Care care_;
    std::map<Text, TakenRoom> rooms_;             // by node
    std::unordered_map<Text, MemoryRef> memory_;  // by the pod's UID
    bool in_touch_ = false;                       // and the stored pods are known
    std::uint64_t touches_ = 0;                   // found or lost
    client::Workers<client::ObjectName> workers_;
    os::TaskScope tasks_;
};

}  // namespace muster::node
