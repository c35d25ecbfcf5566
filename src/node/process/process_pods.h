// The runtime of pods whose containers are processes of this machine. Preparation makes what a container needs, the
// keeper of processes (node/keeper/) starts it and reports its end.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "node/network/pod_network.h"
#include "node/process/preparation.h"
#include "node/runtime/pod_runtime.h"
#include "node/runtime/runs.h"

namespace muster::node {

struct ProcessPodsOptions {
    std::string directory{};             // of the node
    Environment base_environment{};      // what every container has: PATH
    std::int64_t user_id = 0;            // the server's
    std::optional<PodUser> pod_user{};   // the user of processes, when it is not the server's
    os::Processes* processes = nullptr;  // for unpacking images; may be null
    os::Worker* worker = nullptr;        // for what takes long on disk; null: storage is not measured
    ApiPoint api{};                      // what pods are told of it
    Actions* actions = nullptr;          // may be null, as the next
    client::PodAccess* access = nullptr;
};

class ProcessPods final : public PodRuntime {
public:
    // The runs, and what the options point to, must outlive it.
    ProcessPods(const PodHost& host, Runs& runs, ProcessPodsOptions options);
    // A measurement that is under way gives up.
    ~ProcessPods() override;

    void begin(RunListener listener) override;
    os::Task<Created> create(ContainerStart start) override;
    void adopt(const PodRef& pod, const NodeFacts& facts, const Text& pod_ip) override;
    void signal(const RunKey& key, int number) override { runs_.signal(key, number); }
    void forget(const Text& pod_uid) override;
    std::vector<Text> list_pods() override;
    std::string read_message(const api::core::Container& container, const RunKey& key, int exit_code) override;
    std::string explain_not_started(const api::core::Container& container) const override;
    bool is_measured(const api::core::Pod& pod) const override;
    os::Task<StorageUse> measure(PodRef pod) override;
    PodAddresses& addresses() override { return addresses_; }
    Actions* actions() override { return options_.actions; }
    client::PodAccess* access() override { return options_.access; }

private:
    os::Loop& loop_;
    Runs& runs_;
    const ProcessPodsOptions options_;
    LoopbackAddresses addresses_;
    PodNetwork network_;
    Preparation preparation_;
    const std::shared_ptr<std::atomic<bool>> stopped_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace muster::node
