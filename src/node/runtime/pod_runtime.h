// The interface between the node agent and a runtime. The agent decides about pods: which containers start and stop,
// and what their status is. A runtime makes a pod's sandbox (its volumes, its network, its view of the machine) and its
// containers, gives them input and output, runs commands inside them, measures them and reports their ends.
//
//     create → start → records of the run → signal → the record of its end → forget
//
// There are runtimes of processes (node/process/) and of simulated containers (node/simulated/). The agent does not
// know which it has: it makes its runtime with a MakePodRuntime, and owns it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/kinds/core/pod.h"
#include "client/client.h"
#include "client/mirror.h"
#include "client/pods/pod_access.h"
#include "node/environment/downward.h"
#include "node/runtime/actions.h"
#include "node/runtime/pod_addresses.h"
#include "node/runtime/run.h"
#include "node/runtime/storage_use.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::node {

// One attempt of a container, to be started. Constructors, because Tasks take it.
struct ContainerStart {
    using PodRef = client::Ref<api::core::Pod>;
    ContainerStart() = default;
    ContainerStart(PodRef whose, const api::core::Container& which, int number, NodeFacts node, Text address)
        : pod(std::move(whose)),
          container(&which),
          attempt(number),
          facts(std::move(node)),
          pod_ip(std::move(address)) {}
    RunKey key() const { return {pod->metadata.uid, container->name, attempt}; }

    PodRef pod{};
    const api::core::Container* container = nullptr;  // of the pod
    int attempt = 0;
    NodeFacts facts{};
    Text pod_ip{};
};

// Why a container cannot be started, and what that is about.
struct Obstacle {
    enum class Kind {
        kContainer,  // what its own manifest says
        kVolume,     // a volume of its pod cannot be made at the moment
        kSandbox,    // something else that its pod needs on this machine
    } kind = Kind::kContainer;
    std::string why{};
};

// A container that can be started. It has no process yet; dropping it starts nothing.
class CreatedContainer {
public:
    virtual ~CreatedContainer() = default;
    // Once. Does nothing while out of touch, as PodRuntime::signal().
    virtual void start() = 0;
};

// The agent, as its runtime knows it. All outlive the runtime.
struct PodHost {
    os::Loop& loop;
    client::Client& client;
    client::Mirror<api::core::Pod>& pods;  // not started yet
    std::function<bool(const api::core::Pod& pod)> is_ours{};
    // Reports a warning event about the pod.
    std::function<void(const api::core::Pod& pod, const char* reason, std::string message)> warn{};
};

class PodRuntime {
public:
    using PodRef = client::Ref<api::core::Pod>;
    virtual ~PodRuntime() = default;

    // Once, when the mirror of pods has been started. Runs are reported from here on.
    virtual void begin(RunListener listener) = 0;

    // Makes what the container needs, and first what its pod needs; parts that exist are left as they are. May take
    // long. The result must not outlive the runtime.
    using Created = std::variant<std::unique_ptr<CreatedContainer>, Obstacle>;
    virtual os::Task<Created> create(ContainerStart start) = 0;
    // Containers of the pod run, perhaps since before this process: its volumes follow their sources.
    virtual void adopt(const PodRef& pod, const NodeFacts& facts, const Text& pod_ip) = 0;
    // signal() and forget() do nothing while out of touch: the records that come with the next touch show it.
    // To all processes of the run. One that has ended is no error.
    virtual void signal(const RunKey& key, int number) = 0;
    // Kills what is left of the pod and removes all that was made for it.
    virtual void forget(const Text& pod_uid) = 0;
    // The UIDs of pods of which something is left on this machine, whether or not they run.
    virtual std::vector<Text> list_pods() = 0;

    // What a container that has ended said of its end: at most a few kilobytes, and empty when it said nothing.
    virtual std::string read_message(const api::core::Container& container, const RunKey& key, int exit_code) = 0;
    // What a user should know when the container could not be started; mostly empty.
    virtual std::string explain_not_started(const api::core::Container& container) const = 0;
    // Whether the pod has limits of storage that only a measurement can enforce.
    virtual bool is_measured(const api::core::Pod& pod) const = 0;
    virtual os::Task<StorageUse> measure(PodRef pod) = 0;

    virtual PodAddresses& addresses() = 0;
    // What probes and hooks do. Null: containers have no inside; they count as well when they run, and their hooks as
    // done.
    virtual Actions* actions() = 0;
    // Null: there is nothing to reach.
    virtual client::PodAccess* access() = 0;
};

using MakePodRuntime = std::function<std::unique_ptr<PodRuntime>(const PodHost& host)>;

}  // namespace muster::node
