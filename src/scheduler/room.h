// A node's room as it shrinks during a round, and the rules about it: resources, the number of pods, host ports.
#pragma once

#include "scheduler/snapshot.h"
#include "scheduler/why.h"

namespace muster::scheduler {

struct Room {
    const NodeInfo* node = nullptr;
    Amounts requested;
    std::int64_t scored_cpu = 0;
    std::int64_t scored_memory = 0;
    std::int64_t pods = 0;
    std::vector<HostPort> host_ports;
    std::uint32_t version = 0;  // rises with every change

    explicit Room(const NodeInfo& of);
    void add(const PodShape& shape);
    void remove(const PodShape& shape);
};

bool fits(const Room& room, const PodShape& shape);
// The same, told in full: nothing when it fits.
Refused check_room(const Room& room, const PodShape& shape);

// How good the node is by what would be left on it, 0 to kScoreMax for each of the two: much free, and cpu and memory
// free in like measure.
constexpr std::int64_t kScoreMax = 100'000;
std::int64_t score_room(const Room& room, const PodShape& shape);

}  // namespace muster::scheduler
