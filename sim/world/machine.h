// A machine and the processes on it. They live in the world: they outlive the agent that started them, the server and
// everybody else, and end only by themselves, by a signal, or when the machine stops. What they do is in an annotation
// of their pod, left to chance where it leaves something open:
//
//     sim.muster.dev/run: "span=100ms..3s fail=20 codes=1|42 stubborn=5 bad_index=2"
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/prng.h"
#include "node/runtime/runs.h"
#include "os/loop/task.h"
#include "os/testing/virtual_loop.h"

namespace muster::sim {

inline constexpr const char* kRunAnnotation = "sim.muster.dev/run";

// One process, as the world knows it.
struct ProcessTruth {
    node::RunRecord record;
    bool stubborn = false;  // does not mind SIGTERM
    int code = 0;           // that it will end with
    int starts = 0;         // of this very run: more than one is wrong
};

class Machine {
public:
    using OnRun = std::function<void(const Machine& machine, const ProcessTruth& process)>;

    Machine(os::VirtualLoop& loop, Prng random, Text name, OnRun on_run)
        : loop_(loop), random_(random), name_(std::move(name)), on_run_(std::move(on_run)) {}
    ~Machine();

    const Text& name() const { return name_; }
    const std::map<node::RunKey, ProcessTruth>& processes() const { return processes_; }
    int boots() const { return boots_; }
    int start_delay_ms_max = 20;
    int refuse_permille = 0;  // a start that fails

    // The machine stops and comes back: its processes are gone, and their exit codes are not known.
    void reboot();

    // The operations of the process keeper (node helper), for the agent that is attached.
    void start(const node::RunRequest& request);
    void signal(const node::RunKey& key, int number);
    void forget(const Text& pod_uid);
    // One at a time.
    void attach(node::RunListener* listener) { listener_ = listener; }

private:
    void run(const node::RunKey& key, Duration lasts);
    void end(const node::RunKey& key, node::RunState state, int code, int signal_number);
    void tell(const ProcessTruth& process);
    void stop_timer(const node::RunKey& key);

    os::VirtualLoop& loop_;
    Prng random_;
    const Text name_;
    const OnRun on_run_;
    std::map<node::RunKey, ProcessTruth> processes_;
    std::map<node::RunKey, os::TimerId> timers_;
    node::RunListener* listener_ = nullptr;
    int boots_ = 1;
};

// What an agent holds in its hand: touch with the machine's keeper. Gone with the agent's process.
class MachineRuns final : public node::Runs {
public:
    MachineRuns(os::Loop& loop, Machine& machine) : loop_(loop), machine_(machine) {}
    ~MachineRuns() override { machine_.attach(nullptr); }

    void listen(node::RunListener listener) override;
    void start(node::RunRequest request) override;
    void signal(const node::RunKey& key, int number) override;
    void forget(const Text& pod_uid) override;

    // Touch is lost, and found again after a while.
    void lose_touch(Duration away);

private:
    void greet();

    os::Loop& loop_;
    Machine& machine_;
    node::RunListener listener_;
    bool in_touch_ = false;
};

}  // namespace muster::sim
