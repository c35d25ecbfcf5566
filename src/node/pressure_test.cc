#include "node/pressure.h"

#include <gtest/gtest.h>

namespace muster::node {
namespace pressure_test {

os::MachineRoom plenty() {
    os::MachineRoom room;
    room.memory_available = std::uint64_t{8} << 30;
    room.disk = room.files = room.processes = 1000;
    room.disk_available = room.files_available = room.processes_available = 500;
    return room;
}

TEST(Pressure, IsFeltBelowAKubeletsThresholds) {
    struct {
        const char* what;
        void (*change)(os::MachineRoom&);
        Pressures expected;
    } const cases[] = {
        {"plenty of everything", [](os::MachineRoom&) {}, {}},
        {"100 MiB of memory", [](os::MachineRoom& room) { room.memory_available = 100 << 20; }, {}},
        {"less", [](os::MachineRoom& room) { room.memory_available = (100 << 20) - 1; }, {.memory = true}},
        {"none", [](os::MachineRoom& room) { room.memory_available = 0; }, {.memory = true}},
        {"it does not say", [](os::MachineRoom& room) { room.memory_available.reset(); }, {}},
        {"a tenth of the disk", [](os::MachineRoom& room) { room.disk_available = 100; }, {}},
        {"less of it", [](os::MachineRoom& room) { room.disk_available = 99; }, {.disk = true}},
        {"a file system that counts no files",
         [](os::MachineRoom& room) { room.files = room.files_available = 0; },
         {}},
        {"a twentieth of the files", [](os::MachineRoom& room) { room.files_available = 50; }, {}},
        {"fewer", [](os::MachineRoom& room) { room.files_available = 49; }, {.disk = true}},
        {"few processes", [](os::MachineRoom& room) { room.processes_available = 99; }, {.processes = true}},
    };
    for (const auto& each : cases) {
        os::MachineRoom room = plenty();
        each.change(room);
        EXPECT_EQ(find_pressures(room), each.expected) << each.what;
    }
}

TEST(Pressure, IsToldForFiveMinutesAfterItWasFelt) {
    PressureMemory memory;
    const Pressures disk{.disk = true};
    EXPECT_EQ(memory.take({}, 0s), Pressures());
    EXPECT_EQ(memory.take(disk, 10s), disk);
    EXPECT_EQ(memory.take({}, 10s + 299s), disk);
    EXPECT_EQ(memory.take({.memory = true}, 10s + 300s), Pressures{.memory = true});
}

}  // namespace pressure_test
}  // namespace muster::node
