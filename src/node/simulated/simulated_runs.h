// Simulated containers: they take the time and end with the code that their pod's annotations say
// (node/simulated/simulation.h). For trying manifests and quotas at scale, and for tests. Nothing outlives the process.
#pragma once

#include "base/prng.h"
#include "node/runtime/run_map.h"
#include "node/runtime/runs.h"
#include "os/loop/loop.h"

namespace muster::node {

class SimulatedRuns final : public Runs {
public:
    // The loop must outlive it. The same seed gives the same durations and codes in the same order of starts.
    SimulatedRuns(os::Loop& loop, std::uint64_t seed) : loop_(loop), prng_(seed) {}
    ~SimulatedRuns() override;

    void listen(RunListener listener) override;
    void start(RunRequest request) override;
    void signal(const RunKey& key, int number) override;
    void forget(const Text& pod_uid) override;

    const RunMap<RunRecord>& records() const { return records_; }

private:
    void end(const RunKey& key, int code, int signal_number);

    os::Loop& loop_;
    Prng prng_;
    RunListener listener_;
    RunMap<RunRecord> records_;
    RunMap<os::TimerId> timers_;
    os::TimerId greeting_ = 0;
};

}  // namespace muster::node
