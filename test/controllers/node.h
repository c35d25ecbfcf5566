// What stands in for scheduler and kubelet: pods that appear run and end as a script says, pods that are deleted are
// stopped and let go. It writes through a client of its own.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "api/kinds/core/pod.h"
#include "client/client.h"
#include "os/loop/task.h"
#include "sim/checkers/job_facts.h"

namespace muster::worlds {

// What is read off Jobs and pods without the product's help.
using sim::find_condition;
using sim::has_condition;
using sim::has_ended;
using sim::index_of;
using sim::is_deleting;
using sim::is_finished;
using sim::is_indexed;
using sim::is_tracked;
using sim::parse_indexes;

// A run of a pod, as a script tells them apart.
struct PodRun {
    std::string job;
    std::int32_t index = -1;
    int attempt = 0;  // of this index, from 0
    int ordinal = 0;  // of this Job's pods, from 0
};

struct Ending {
    enum class What { kSucceed, kFail, kHang } what = What::kSucceed;
    Duration after = 1s;
    int exit_code = 1;
    std::string condition{};  // of a failed pod: DisruptionTarget
    int restarts = 0;         // of its container, before it ends
};
inline Ending succeed(Duration after = 1s) { return {Ending::What::kSucceed, after}; }
inline Ending fail(int exit_code = 1, Duration after = 1s) { return {Ending::What::kFail, after, exit_code}; }
inline Ending hang() { return {Ending::What::kHang, 0s}; }
using Script = std::function<Ending(const PodRun&)>;

// Whose run ended how is remembered when the process dies: the world does not forget.
struct NodeMemory {
    std::map<Text, Ending> endings;  // by the pod's UID
    std::map<std::pair<Text, std::int32_t>, int> attempts;
    std::map<Text, int> ordinals;
};

struct NodeOptions {
    Script script = [](const PodRun&) { return succeed(); };
    Duration start_delay = 50ms;
    Duration stop_delay = 300ms;
    bool ends_deleted_pods = true;  // a pod that is stopped is Failed before it goes
};

class Node {
public:
    // All must outlive it; destroying it stops it.
    Node(os::Loop& loop, client::Client& client, NodeMemory& memory, const NodeOptions& options)
        : loop_(loop), client_(client), memory_(memory), options_(options), tasks_(loop) {}
    void start() { tasks_.spawn(follow()); }

private:
    using Pod = api::core::Pod;
    using Edit = std::function<void(Pod&)>;
    struct Known {
        bool running = false;
        bool stopping = false;
    };

    os::Task<void> follow();
    void on_pod(const client::Ref<Pod>& pod);
    os::Task<void> run(client::Ref<Pod> pod);
    os::Task<void> stop(client::Ref<Pod> pod);
    // False when the pod is no longer there.
    os::Task<bool> edit_status(client::Ref<Pod> pod, Edit edit);
    const Ending& ending_of(const Pod& pod);

    os::Loop& loop_;
    client::Client& client_;
    NodeMemory& memory_;
    const NodeOptions& options_;
    std::map<Text, Known> known_;
    os::TaskScope tasks_;
};

// The Job that controls it; null when none does.
const api::meta::OwnerReference* job_of(const api::core::Pod& pod);

}  // namespace muster::worlds
