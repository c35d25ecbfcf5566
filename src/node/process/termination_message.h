// What a container said of its end: the file at its terminationMessagePath, or the end of its log.
//
// Where processes share the machine's file system, two containers cannot have a file of their own at one path, so a
// container gets one, mounted over the path, only when it has a reason to write it: it has a mount namespace anyway,
// its path is not the default one, or its command, arguments or environment name the path.
#pragma once

#include <string>

#include "api/kinds/core/pod.h"
#include "node/pods/messages.h"
#include "node/runtime/run.h"

namespace muster::node {

inline constexpr std::size_t kMessageLogBytesMax = 2048;
inline constexpr std::size_t kMessageLogLinesMax = 80;

// The run's own file, outside of the container.
std::string message_file(const std::string& directory, const RunKey& key);

// Whether the container is to have it. `own_root`: it sees a root of its own in place of the machine's.
bool wants_message_file(const api::core::Container& container, bool own_root);

// What the run said of its end; empty when it said nothing. Blocks for small files only.
std::string read_termination_message(const api::core::Container& container, const RunKey& key,
                                     const std::string& directory, int exit_code);

}  // namespace muster::node
