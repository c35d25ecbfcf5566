// The interface between the node agent, which decides, and the runtime, which runs containers. A run is one attempt of
// one container of one pod. Its key makes a start safe to repeat: a runtime with a record of the key does not start it
// again.
//
// The record of a run is written before its start, because after a crash it may be unknown whether the start happened:
// a run is kIntended from the moment it may exist. Later its end becomes known or the run is kLost. It is never started
// a second time.
#pragma once

#include <compare>
#include <functional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "base/map.h"
#include "base/text.h"
#include "os/process/cgroups.h"
#include "os/process/process_setup.h"

namespace muster::node {

struct RunKey {
    Text pod_uid{};
    Text container{};
    int attempt = 0;
    auto operator<=>(const RunKey&) const = default;
    bool operator==(const RunKey&) const = default;
};

struct RunRequest {
    RunKey key{};
    std::vector<std::string> command{};      // the program, looked up in the PATH of its environment, and its arguments
    std::vector<std::string> environment{};  // NAME=value
    std::string directory{};                 // empty: /
    std::string log_path{};                  // where its output goes, each line with its time
    os::SetupSteps setup{};                  // what its process does before the program runs
    os::CgroupLimits limits{};               // of the container
    os::CgroupLimits pod_limits{};           // of its pod as a whole
    bool input = false;                      // it gets an input that stays open until it is ended
    bool terminal = false;                   // its input and output are a terminal
    Text pod_ip{};                           // the pod's address, which its record keeps
    Instant pod_created_at{};                // tells whether the record of runs must know of it
    Map<Text> annotations{};                 // the pod's, for runtimes that only pretend
};

enum class RunState {
    kIntended,    // may have been started
    kRunning,     //
    kEnded,       // with a code or a signal
    kNotStarted,  // could not be: see message
    kLost,        // has ended, or never began; how is not known
};

struct RunRecord {
    RunKey key{};
    RunState state = RunState::kIntended;
    int pid = 0;
    std::uint64_t start_ticks = 0;  // with the pid and the boot, who it is
    Instant started_at{};
    Instant ended_at{};
    int code = 0;
    int signal = 0;
    std::string log_path{};
    std::string boot{};
    std::string message{};
    bool out_of_memory = false;  // something of it was killed for want of memory
    Text pod_ip{};               // what its process was told; empty in records of keepers that knew none
    bool active() const { return state == RunState::kIntended || state == RunState::kRunning; }
    bool operator==(const RunRecord&) const = default;
};

class Runtime {
public:
    virtual ~Runtime() = default;

    // What is known of runs: all of them whenever touch was lost and found again, then `in_touch`, then each change.
    struct Listener {
        std::function<void()> out_of_touch{};
        std::function<void(const RunRecord& record)> run{};
        std::function<void()> in_touch{};
        // The start of a run waits, though touch is there: the reason and what to do, for the pod's user.
        std::function<void(const RunKey& key, const std::string& why)> waits{};
        // What the user of the node should know. `reason` is a word for an Event.
        std::function<void(const char* reason, const std::string& text)> notice{};
    };
    virtual void listen(Listener listener) = 0;

    // All three do nothing while out of touch: what did not arrive is not in the records that come with the next
    // touch. A start whose key has a record gives that record again.
    virtual void start(RunRequest request) = 0;
    // To the whole group of the run's process. One that has ended is no error.
    virtual void signal(const RunKey& key, int number) = 0;
    // A command is about to be started inside the run whose processes carry this label: all of these go with its end.
    virtual void enter(std::uint64_t) {}
    // Kills what is left of a pod and drops its records.
    virtual void forget(const Text& pod_uid) = 0;
};

}  // namespace muster::node
