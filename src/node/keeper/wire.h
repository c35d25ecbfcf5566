// What the agent and the keeper of processes say to each other, and what the keeper writes down: one line each, fields
// separated by tabs. A record of a run is the same line in both places.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "node/keeper/run_streams.h"
#include "node/logs/log_file.h"
#include "node/runtime/runtime.h"

namespace muster::node {

struct SignalRequest {
    RunKey key{};
    int number = 0;
};
struct ForgetRequest {
    Text pod_uid{};
};
// A command was started inside the run whose processes carry this label (os/process/process_label.h).
struct EnteredRun {
    std::uint64_t label = 0;
};
struct Synced {};  // all records have been told
// What the user of the node should know.
struct Notice {
    std::string text{};
};
// The record of runs tells of all runs of pods that were created later. Of others it may have lost some.
struct CompleteSince {
    Instant at{};
};
// Told before its starts: the pod was created before the record is complete.
struct OlderPod {
    Text pod_uid{};
};

// Which requests the keeper understands, told first. One that tells none is of version 1.
struct KeeperVersion {
    int number = 1;
};
inline constexpr int kKeeperVersion = 2;

using Message = std::variant<RunRequest, SignalRequest, ForgetRequest, RunRecord, Synced, LogLimits, StreamMessage,
                             Notice, KeeperVersion, CompleteSince, OlderPod, EnteredRun>;

// The version that a keeper must have to carry the request out as it is meant. An earlier one would drop the request,
// or what it does not know of it.
int needed_version(const RunRequest& request);

// With the line's end.
std::string format_message(const Message& message);
// kCorrupt when the line, without its end, is none of these.
Result<Message> parse_message(std::string_view line);

}  // namespace muster::node
