#include "os/machine/machine_room.h"

#include <gtest/gtest.h>

namespace muster::os {
namespace machine_room_test {

TEST(MachineRoom, IsWhatIsLeftOfSomething) {
    const MachineRoom room = machine_room("/");
    EXPECT_GT(room.memory_available.value(), 0u);
    EXPECT_GT(room.disk, 0u);
    EXPECT_LE(room.disk_available, room.disk);
    EXPECT_LE(room.files_available, room.files);
    EXPECT_GT(room.processes, 0u);
    EXPECT_LT(room.processes_available, room.processes) << "this one is there";
}

TEST(MachineRoom, OfADirectoryThatIsNotThereTheDiskIsNotKnown) { EXPECT_EQ(machine_room("/nowhere/at/all").disk, 0u); }

}  // namespace machine_room_test
}  // namespace muster::os
