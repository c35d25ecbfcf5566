// The user that pods run as when it is not the server's user, and the setup steps that keep their processes away from
// the server's files: its data directory, other pods' volumes, tokens and logs. Pure, except for finding the user.
//
// A server that runs as root starts processes that switch to the pod user. The mode of the data directory keeps that
// user out, and each container has its own user namespace: without it, processes of one user could inspect each other
// (/proc). Processes of a server that runs as an ordinary user keep that user. They appear as the pod user in their own
// user namespace, and the server's files are hidden in their mount namespace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/process/process_setup.h"

namespace muster::node {

struct PodUser {
    std::string name{};
    std::int64_t user = 0;
    std::int64_t group = 0;
    std::vector<std::uint32_t> groups{};  // the supplementary ones
    bool becomes = false;                 // processes become the user; else they only appear as it
    bool apart = false;                   // of those that become it: each container has a user namespace
    // What processes that only appear as the user do not see.
    std::int64_t server_user = 0;
    std::int64_t server_group = 0;
    std::vector<std::string> hidden_directories{};
    std::vector<std::string> hidden_files{};

    bool operator==(const PodUser&) const = default;
};

// A user of the machine by name or number. kBadRequest when there is none of that name, or when it is root.
Result<PodUser> find_pod_user(const std::string& name);
// What the machine lets us do for it: fills in the rest, or says with kBadRequest why pods cannot run as this user.
Result<PodUser> settle_pod_user(PodUser user);

// The last steps of a process that becomes the user: nothing is left of the server's rights.
os::SetupSteps become_steps(const PodUser& user);
// Of a process in a mount namespace of its own: what the server has is not there from here on. A working directory
// that was changed to before still is.
os::SetupSteps hide_steps(const PodUser& user);
// Of a process that works for a pod outside of it: it unpacks into `directory`, its working directory, with the pod's
// rights.
os::SetupSteps reader_steps(const PodUser& user, const std::string& directory);

// Whether the path is, or is below, one of the server's.
bool is_hidden(const PodUser& user, const std::string& path);

}  // namespace muster::node
