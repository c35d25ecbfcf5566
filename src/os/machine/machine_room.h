// What is left on the machine of what all of its processes share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace muster::os {

// A total of 0: the machine does not say.
struct MachineRoom {
    std::optional<std::uint64_t> memory_available{};  // bytes, without swapping
    std::uint64_t disk = 0;                           // bytes of the file system
    std::uint64_t disk_available = 0;
    std::uint64_t files = 0;  // that it can hold
    std::uint64_t files_available = 0;
    std::uint64_t processes = 0;  // threads included, that there can be
    std::uint64_t processes_available = 0;
};
// Of the machine, and of the file system that the directory is on.
MachineRoom machine_room(const std::string& directory);

}  // namespace muster::os
