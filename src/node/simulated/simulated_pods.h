// The runtime of pods whose containers are simulated: they have no volumes, no network and no inside.
#pragma once

#include <set>

#include "node/runtime/pod_runtime.h"
#include "node/runtime/runs.h"

namespace muster::node {

class SimulatedPods final : public PodRuntime {
public:
    // The runs must outlive it.
    SimulatedPods(const PodHost& host, Runs& runs) : warn_(host.warn), runs_(runs) {}

    void begin(RunListener listener) override { runs_.listen(std::move(listener)); }
    os::Task<Created> create(ContainerStart start) override;
    void adopt(const PodRef&, const NodeFacts&, const Text&) override {}
    void signal(const RunKey& key, int number) override { runs_.signal(key, number); }
    void forget(const Text& pod_uid) override;
    std::vector<Text> list_pods() override { return {}; }
    std::string read_message(const api::core::Container&, const RunKey&, int) override { return {}; }
    std::string explain_not_started(const api::core::Container&) const override { return {}; }
    bool is_measured(const api::core::Pod&) const override { return false; }
    os::Task<StorageUse> measure(PodRef) override { co_return StorageUse(); }
    PodAddresses& addresses() override { return addresses_; }
    Actions* actions() override { return nullptr; }
    client::PodAccess* access() override { return nullptr; }

private:
    // Once per pod.
    void warn_of_annotations(const api::core::Pod& pod);

    const std::function<void(const api::core::Pod& pod, const char* reason, std::string message)> warn_;
    Runs& runs_;
    LoopbackAddresses addresses_;
    std::set<Text> warned_;  // pods
};

}  // namespace muster::node
