// Namespaces that were made once and that many processes enter at their start (ProcessSpec::namespaces), which costs
// them far less than making their own. They are there as long as a descriptor or a process holds them.
#pragma once

#include <vector>

#include "base/result.h"
#include "os/descriptor.h"
#include "os/process/process_setup.h"

namespace muster::os {

struct PreparedNamespaces {
    Descriptor user{};  // empty: the user namespace of the process that made it
    Descriptor mounts{};

    // In the order in which they are entered.
    std::vector<int> numbers() const;
};

// Carries the steps out in a child, whose mount namespace, and user namespace if the steps make one, are kept.
Result<PreparedNamespaces> prepare_namespaces(const SetupSteps& steps);

// Says when mounts of this process's own namespace have changed, so that what was prepared shows them as they were.
class MountChanges {
public:
    MountChanges();
    // Whether there were any since the last time that this was asked; true when that cannot be told.
    bool happened() const;

private:
    Descriptor mounts_;
};

}  // namespace muster::os
