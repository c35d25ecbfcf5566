#include "node/pressure.h"

namespace muster::node {
namespace {

constexpr std::uint64_t kMemoryLeast = 100u << 20;
constexpr std::uint64_t kDiskLeastPercent = 10;
constexpr std::uint64_t kFilesLeastPercent = 5;
constexpr std::uint64_t kProcessesLeastPercent = 10;
constexpr Duration kToldFor = 5min;

bool below(std::uint64_t left, std::uint64_t all, std::uint64_t percent) {
    // Divided first: no size of a disk is too large then.
    return all >= 100 && left < all / 100 * percent;
}

}  // namespace

Pressures find_pressures(const os::MachineRoom& room) {
    Pressures found;
    found.memory = room.memory_available && *room.memory_available < kMemoryLeast;
    found.disk = below(room.disk_available, room.disk, kDiskLeastPercent) ||
                 below(room.files_available, room.files, kFilesLeastPercent);
    found.processes = below(room.processes_available, room.processes, kProcessesLeastPercent);
    return found;
}

bool PressureMemory::Felt::take(bool felt, Duration now) {
    if (felt) {
        ever = true;
        last = now;
    }
    return ever && (felt || now - last < kToldFor);
}

Pressures PressureMemory::take(const Pressures& felt, Duration now) {
    return {memory_.take(felt.memory, now), disk_.take(felt.disk, now), processes_.take(felt.processes, now)};
}

}  // namespace muster::node
