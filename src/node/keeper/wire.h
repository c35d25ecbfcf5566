// What the agent and the keeper of processes say to each other, and what the keeper writes down: one line each, fields
// separated by tabs. A record of a run is the same line in both places.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "node/keeper/start/run_streams.h"
#include "node/logs/log_file.h"
#include "node/runtime/runs.h"

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

// The keeper's hello (protocol.h): its version. A keeper that sends none has version 1.
struct KeeperVersion {
    int number = 1;
};
// The second line of the hello: the oldest version of a server whose requests the keeper carries out. A keeper that
// sends none carries out those of every version.
struct OldestServer {
    int number = 1;
};
// The keeper's answer to a request that it cannot read.
struct Unclear {
    std::string what{};
};

using Message = std::variant<RunRequest, SignalRequest, ForgetRequest, RunRecord, Synced, LogLimits, StreamMessage,
                             Notice, KeeperVersion, OldestServer, Unclear, CompleteSince, OlderPod, EnteredRun>;

// With the line's end. Those of which there are many are formatted without a copy in a Message.
std::string format_message(const Message& message);
std::string format_message(const RunRequest& request);
std::string format_message(const RunRecord& record);
// The line comes without its end. kNotFound when it begins with no word of a message, as a message of a later version
// does; kCorrupt when it has not the fields that its word demands.
Result<Message> parse_message(std::string_view line);

}  // namespace muster::node
