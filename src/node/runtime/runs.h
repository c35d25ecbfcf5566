// Where runs are started and followed, below the preparation of pods: the keeper of processes, or a simulation. The two
// runtimes (pod_runtime.h) share it; a runtime with containers of its own has no use for it.
#pragma once

#include <string>
#include <vector>

#include "base/map.h"
#include "node/runtime/run.h"
#include "os/process/cgroups.h"
#include "os/process/process_setup.h"

namespace muster::node {

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
    Map<Text> annotations{};                 // the pod's, which a simulation reads
};

class Runs {
public:
    virtual ~Runs() = default;

    virtual void listen(RunListener listener) = 0;

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
