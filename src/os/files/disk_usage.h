// How much room a directory takes.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace muster::os {

// The bytes of all blocks below the path, its own included, as du counts them: what has several names once, what is on
// other file systems not, links not followed. 0 when there is nothing; what goes or hides while it looks is not
// counted. Gives up, with what it has, once `stop` is set. For workers: a large tree takes its time.
std::uint64_t disk_usage(const std::string& path, const std::atomic<bool>& stop);

// Of the file system that the path is on; 0 when it does not say.
std::uint64_t disk_size(const std::string& path);

}  // namespace muster::os
