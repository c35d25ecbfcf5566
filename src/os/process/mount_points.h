// What the sandbox of a process has to know of the machine before it is laid out: which namespaces may be had, and what
// there is where something is to be mounted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/process/process_setup.h"

namespace muster::os {

enum class NamespaceAccess {
    kNone,    // the kernel gives us none
    kByUser,  // in a user namespace of one's own
    kFree,    // as root
};
// Tries the steps in a child that does nothing else.
bool are_possible(SetupSteps steps);
NamespaceAccess probe_namespaces();

struct DirectoryEntry {
    enum class Kind { kDirectory, kLink, kOther };
    std::string name{};
    Kind kind = Kind::kOther;
    std::string target{};  // of a link
    bool mounted = false;  // from another file system
    bool operator==(const DirectoryEntry&) const = default;
};

// A path that something is to be mounted on.
struct MountPoint {
    std::string existing{};  // the part that is there, links resolved
    std::string rest{};      // what is missing below it, "a/b"; empty: all is there
    // Of what is there, when something is missing or it is the root.
    std::uint32_t mode = 0755;
    std::vector<DirectoryEntry> entries{};
};
// The path must be absolute. kIo when it leads through what is no directory.
Result<MountPoint> look_at_mount_point(const std::string& path);

std::int64_t group_id();
// The group that a user of the machine has first; 0 when the machine does not know the user, as in containers.
std::int64_t primary_group(std::int64_t user);

}  // namespace muster::os
