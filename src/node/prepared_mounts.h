// Mount namespaces that containers have in common, on the keeper's side. A container whose view of the machine differs
// by its hosts file alone needs a mount namespace, and making one costs a quarter of starting a process; all with the
// same hosts file enter one that was made for the first of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "os/prepared_namespaces.h"

namespace muster::node {

// How many steps at the beginning of a setup can be carried out once for many: a mount namespace, with a user namespace
// or without, and one mount of a file in it. 0 when what follows mounts more, or when it begins otherwise. Pure.
std::size_t count_common_steps(const os::SetupSteps& setup);

class PreparedMounts {
public:
    using Namespaces = std::shared_ptr<const os::PreparedNamespaces>;

    // Takes the common steps off the setup and gives what the process has to enter instead; null when there are none,
    // or when that cannot be had now. Not thread-safe.
    Namespaces take(os::SetupSteps& setup);

private:
    struct Entry {
        os::SetupSteps steps{};
        std::string file_stamp{};  // of what is mounted: another file of the same name is another view
        Namespaces namespaces{};
    };
    void drop_stale();

    std::map<std::string, Entry> entries_;  // by the path of what is mounted
    os::MountChanges changes_;
};

}  // namespace muster::node
