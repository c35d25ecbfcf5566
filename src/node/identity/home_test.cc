#include "node/identity/home.h"

#include <gtest/gtest.h>

namespace muster::node {
namespace home_test {

constexpr const char* kPasswd =
    "root:x:0:0:root:/root:/bin/bash\n"
    "# old:x:7:7::/old:\n"
    "www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin\n"
    "homeless:x:44:44:::\n"
    "short:x:45\n"
    "again:x:33:33::/second:/bin/sh\n"
    "last:x:1000:1000::/home/last:/bin/sh";

struct HomeCase {
    const char* name;
    std::int64_t user;
    const char* home;
};

const HomeCase kHomes[] = {
    {"RootHasItsOwn", 0, "/root"},
    {"TheFirstLineOfANumberCounts", 33, "/var/www"},
    {"TheLastLineNeedsNoEnd", 1000, "/home/last"},
    {"AUserThatTheFileDoesNotKnowHasTheRoot", 12345, "/"},
    {"AnEmptyHomeIsTheRoot", 44, "/"},
    {"ALineThatIsCutIsNoHome", 45, "/"},
    {"ACommentIsNoUser", 7, "/"},
};

class Home : public testing::TestWithParam<HomeCase> {};

TEST_P(Home, IsTheOneInThePasswdFile) { EXPECT_EQ(find_home(kPasswd, GetParam().user), GetParam().home); }

INSTANTIATE_TEST_SUITE_P(Cases, Home, testing::ValuesIn(kHomes),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(HomeOfAnImage, IsTheRootWithoutAPasswdFile) { EXPECT_EQ(find_home("", 0), "/"); }

TEST(UserGroups, AreThoseThatTheFilesName) {
    constexpr std::string_view kUsers = "root:x:0:0::/root:/bin/sh\nann:x:7:70::/:\n";
    constexpr std::string_view kGroups =
        "root:x:0:\n# ann:x:1:ann\nstaff:x:50:ann,root\nann:x:70:\nbad:x:y:ann\nanna:x:8:anna,joann\nlast:x:9:ann";
    const UserGroups ann = find_groups(kUsers, kGroups, 7);
    EXPECT_EQ(ann.primary, 70);
    EXPECT_EQ(ann.further, (std::vector<std::uint32_t>{50, 9}));
    EXPECT_EQ(find_groups(kUsers, kGroups, 0).further, std::vector<std::uint32_t>{50});
    EXPECT_EQ(find_groups(kUsers, kGroups, 8).primary, 0);
    EXPECT_TRUE(find_groups(kUsers, kGroups, 8).further.empty()) << "a user that the image does not know";
    EXPECT_TRUE(find_groups("", "", 0).further.empty());
}

}  // namespace home_test
}  // namespace muster::node
