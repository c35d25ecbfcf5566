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

    // What there is to say of a simulated run: it has no process and no files. Kept until its pod is gone.
    struct Told {
        RunState state = RunState::kRunning;
        int code = 0;
        int signal = 0;
        Instant started_at{};
        Instant ended_at{};
        Text pod_ip{};
        bool active() const { return state != RunState::kEnded; }
    };
    const RunMap<Told>& runs() const { return told_; }

private:
    static RunRecord record_of(const RunKey& key, const Told& run);
    void end(const RunKey& key, int code, int signal_number);

    os::Loop& loop_;
    Prng prng_;
    RunListener listener_;
    RunMap<Told> told_;
    RunMap<os::TimerId> timers_;
    os::TimerId greeting_ = 0;
};

}  // namespace muster::node
