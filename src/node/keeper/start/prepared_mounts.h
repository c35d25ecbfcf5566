// Mount namespaces that containers have in common, on the keeper's side. A container whose view of the machine differs
// by a few files of the node alone (its hosts file, nothing in place of the machine's token) needs a mount namespace,
// and making one costs a quarter of starting a process; all with the same files enter one that was made for the first
// of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "os/process/prepared_namespaces.h"

namespace muster::node {

// How many steps at the beginning of a setup can be carried out once for many: a mount namespace, with a user namespace
// or without, and mounts of single files or directories in it. 0 when there are none, when one of them is the pod's own
// (its path has the pod's UID), when what follows mounts more, or when it begins otherwise. Pure.
std::size_t count_common_steps(const os::SetupSteps& setup, std::string_view pod_uid);

class PreparedMounts {
public:
    using Namespaces = std::shared_ptr<const os::PreparedNamespaces>;

    // Takes the common steps off the setup and gives what the process has to enter instead; null when there are none,
    // or when that cannot be had now. `now` is the loop's uptime: files are looked at again after a moment only, and
    // mounts of the machine when it is another time than before. Not thread-safe.
    Namespaces take(os::SetupSteps& setup, std::string_view pod_uid, Duration now);

private:
    struct Entry {
        os::SetupSteps steps{};
        std::string stamp{};  // of what is mounted, and where: another file of the same name is another view
        Namespaces namespaces{};
        Duration looked_at{};
    };
    static bool renew(Entry& entry, const os::SetupSteps& steps, const std::string& stamp);
    void drop_stale();

    std::map<std::string, Entry> entries_;  // by the paths of what is mounted
    os::MountChanges changes_;
    Duration looked_at_{};  // for changes
};

}  // namespace muster::node
