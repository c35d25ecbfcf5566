#include "os/machine/time_zones.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace muster::os {
namespace time_zones_test {

TEST(TimeZones, KnowsWhatTheDirectoryHasAndNothingOutsideIt) {
    const std::string directory = testing::TempDir() + "/zones";
    std::filesystem::create_directories(directory + "/Europe");
    std::ofstream(directory + "/Europe/Paris") << "TZif2...";
    std::ofstream(directory + "/zone.tab") << "# a table";
    std::ofstream(directory + "/../outside") << "TZif2...";
    TimeZones zones(directory);
    EXPECT_TRUE(zones.knows("Europe/Paris"));
    EXPECT_TRUE(zones.knows("Europe/Paris")) << "the second time, from memory";
    EXPECT_TRUE(zones.knows("UTC")) << "even without a file";
    for (const char* name : {"", "Local", "Europe", "Europe/Nowhere", "zone.tab", "../outside", "/etc/localtime"})
        EXPECT_FALSE(zones.knows(name)) << name;
    EXPECT_EQ(zones.read("Europe/Paris").value(), "TZif2...");
    for (const char* name : {"", "Local", "Europe", "Europe/Nowhere", "zone.tab", "../outside", "/etc/localtime"})
        EXPECT_FALSE(zones.read(name).ok()) << name;
}

}  // namespace time_zones_test
}  // namespace muster::os
