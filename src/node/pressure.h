// Which of a node's conditions say that the machine runs short, by a kubelet's own thresholds. Pure.
#pragma once

#include "base/instant.h"
#include "os/machine/machine_room.h"

namespace muster::node {

struct Pressures {
    bool memory = false;
    bool disk = false;
    bool processes = false;
    bool operator==(const Pressures&) const = default;
};
// What the machine does not say is no pressure.
Pressures find_pressures(const os::MachineRoom& room);

// A pressure that was felt is told for five minutes more, so that one that comes and goes is told once.
class PressureMemory {
public:
    Pressures take(const Pressures& felt, Duration now);

private:
    struct Felt {
        bool ever = false;
        Duration last{};
        bool take(bool felt, Duration now);
    };
    Felt memory_;
    Felt disk_;
    Felt processes_;
};

}  // namespace muster::node
