// A run is one attempt of one container of one pod. Its key makes a start safe to repeat: a runtime with a record of
// the key does not start it again.
//
// The record of a run is written before its start, because after a crash it may be unknown whether the start happened:
// a run is kIntended from the moment it may exist. Later its end becomes known or the run is kLost. It is never started
// a second time.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

#include "base/instant.h"
#include "base/text.h"

namespace muster::node {

struct RunKey {
    Text pod_uid{};
    Text container{};
    int attempt = 0;
    auto operator<=>(const RunKey&) const = default;
    bool operator==(const RunKey&) const = default;
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
    Text pod_ip{};               // the pod's address; empty in records of keepers that knew none
    bool active() const { return state == RunState::kIntended || state == RunState::kRunning; }
    bool operator==(const RunRecord&) const = default;
};

// What is known of runs: all of them whenever touch was lost and found again, then `in_touch`, then each change.
struct RunListener {
    std::function<void()> out_of_touch{};
    std::function<void(const RunRecord& record)> run{};
    std::function<void()> in_touch{};
    // The start of a run waits, though touch is there: the reason and what to do, for the pod's user.
    std::function<void(const RunKey& key, const std::string& why)> waits{};
    // What the user of the node should know. `reason` is a word for an Event.
    std::function<void(const char* reason, const std::string& text)> notice{};
};

}  // namespace muster::node
