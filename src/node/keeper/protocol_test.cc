#include "node/keeper/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::node {
namespace protocol_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

os::SetupStep mount_of(const char* source, std::uint64_t flags) { return os::setup::bind_mount(source, "/mnt", flags); }

TEST(KeeperProtocol, AKeeperOfAnEarlierVersionGetsTheStartsThatItUnderstands) {
    const struct {
        const char* sentence;
        os::SetupSteps setup;
        int version;
    } cases[] = {
        {"nothing to set up", {}, 1},
        {"a volume", {os::setup::private_mounts(), mount_of("/srv", os::SetupStep::kRecursive)}, 1},
        {"a user", {os::setup::groups({1}), os::setup::user(1), os::setup::no_new_privileges()}, 1},
        {"a user in a user namespace of its own", {os::setup::user(1), os::setup::visible_process()}, 2},
        {"a subPath that is made", {mount_of("/srv", os::SetupStep::kMakeBeneath)}, 2},
        {"a file that is looked up with the pod user's rights", {os::setup::as_user(mount_of("/srv", 0), 1, 1)}, 2},
        {"a path from the working directory", {mount_of("pods/u", 0)}, 2},
    };
    for (const auto& one : cases) {
        RunRequest request;
        request.setup = one.setup;
        EXPECT_EQ(needed_version(request), one.version) << one.sentence;
        EXPECT_EQ(can_start({1, 1}, request), one.version == 1) << one.sentence;
        EXPECT_TRUE(can_start({2, 1}, request)) << one.sentence;
    }
}

TEST(KeeperProtocol, VersionsOfServerAndKeeper) {
    const struct {
        const char* sentence;
        KeeperTerms keeper;
        int server;
        bool starts_all;
        bool starts_plain;
    } cases[] = {
        {"a keeper that sends no hello gets starts in the old form", {}, 2, false, true},
        {"the same version", {2, 1}, 2, true, true},
        {"a later keeper that carries out our requests", {3, 1}, 2, true, true},
        {"a later keeper that carries out ours as the oldest", {5, 2}, 2, true, true},
        {"a later keeper that does not carry out our requests", {5, 3}, 2, false, false},
        {"an earlier keeper", {2, 2}, 4, false, true},
    };
    for (const auto& one : cases) {
        EXPECT_EQ(starts_all(one.keeper, one.server), one.starts_all) << one.sentence;
        EXPECT_EQ(can_start(one.keeper, RunRequest(), one.server), one.starts_plain) << one.sentence;
    }
}

TEST(KeeperProtocol, TheUserLearnsBothVersionsAndWhatToDo) {
    EXPECT_THAT(explain_wait({1, 1}, 3, 2),
                AllOf(HasSubstr("an earlier version (protocol 1, this server has 2)"), HasSubstr("its 3 containers"),
                      HasSubstr("delete the pods of these containers"), Not(HasSubstr("run the later version"))));
    EXPECT_THAT(explain_wait({5, 3}, 1, 2),
                AllOf(HasSubstr("a later version (protocol 5, this server has 2)"),
                      HasSubstr("no new container can start"), HasSubstr("or run the later version of muster again")));
}

}  // namespace protocol_test
}  // namespace muster::node
