#include "node/identity/pod_user.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::node {
namespace pod_user_test {

using os::SetupStep;

std::vector<SetupStep::Kind> kinds_of(const os::SetupSteps& steps) {
    std::vector<SetupStep::Kind> kinds;
    for (const SetupStep& step : steps) kinds.push_back(step.kind);
    return kinds;
}

PodUser some_user() {
    PodUser user;
    user.name = "pods";
    user.user = 1234;
    user.group = 1235;
    user.groups = {1235, 1236};
    user.hidden_directories = {"/var/muster"};
    user.hidden_files = {"/etc/tokens.csv"};
    return user;
}

TEST(PodUser, AProcessThatBecomesTheUserKeepsNoGroupOfTheServerAndGainsNoRights) {
    PodUser user = some_user();
    user.becomes = true;
    using Kind = SetupStep::Kind;
    const os::SetupSteps steps = become_steps(user);
    EXPECT_THAT(kinds_of(steps),
                testing::ElementsAre(Kind::kGroups, Kind::kGroup, Kind::kUser, Kind::kNoNewPrivileges));
    EXPECT_EQ(steps[0].groups, user.groups);
    EXPECT_EQ(steps[1].id, 1235);
    EXPECT_EQ(steps[2].id, 1234);
}

TEST(PodUser, AContainerThatIsApartHasAUserNamespaceInWhichOnlyItsUserExists) {
    PodUser user = some_user();
    user.becomes = user.apart = true;
    const os::SetupSteps steps = become_steps(user);
    const auto map = std::find_if(steps.begin(), steps.end(),
                                  [](const SetupStep& step) { return step.path == "/proc/self/uid_map"; });
    ASSERT_NE(map, steps.end());
    EXPECT_EQ(map->source, "1234 1234 1");
}

TEST(PodUser, WhatIsTheServersIsCovered) {
    const os::SetupSteps steps = hide_steps(some_user());
    ASSERT_EQ(steps.size(), 3u);
    EXPECT_EQ(steps[0],
              os::setup::tmpfs("/var/muster", "mode=0,size=4k", SetupStep::kReadOnlyMount | SetupStep::kNoDevices));
    EXPECT_EQ(steps[1], os::setup::bind_mount("/dev/null", "/etc/tokens.csv"));
    EXPECT_EQ(steps[2].path, "/dev/shm");
}

TEST(PodUser, PathsBelowTheServersAreTheServers) {
    const PodUser user = some_user();
    EXPECT_TRUE(is_hidden(user, "/var/muster"));
    EXPECT_TRUE(is_hidden(user, "/var/muster/node/pods/x"));
    EXPECT_TRUE(is_hidden(user, "/etc/tokens.csv"));
    EXPECT_FALSE(is_hidden(user, "/var/muster2"));
    EXPECT_FALSE(is_hidden(user, "/var"));
}

TEST(PodUser, RootAndUsersThatAreNotThereAreRefused) {
    EXPECT_EQ(find_pod_user("root").error().code, Code::kBadRequest);
    EXPECT_EQ(find_pod_user("0").error().code, Code::kBadRequest);
    EXPECT_EQ(find_pod_user("no such user").error().code, Code::kBadRequest);
    EXPECT_EQ(find_pod_user("4294967295").error().code, Code::kBadRequest);
    ASSERT_TRUE(find_pod_user("54321").ok());
    EXPECT_EQ(find_pod_user("54321")->group, 54321);
}

}  // namespace pod_user_test
}  // namespace muster::node
