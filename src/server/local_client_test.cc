#include "server/local_client.h"

#include <gtest/gtest.h>

#include "api/kinds/core/config.h"
#include "server/testing/api_objects.h"

namespace muster::server {
namespace local_client_test {

using api::core::ConfigMap;

os::Task<void> write(client::Client& client, int number, int& done) {
    ConfigMap map;
    map.metadata.namespace_ = "ns";
    map.metadata.name = "map-" + std::to_string(number);
    map.data.set("a", std::string(20'000, 'x'));
    const auto made = co_await client.create(map);
    EXPECT_TRUE(made.ok());
    ++done;
}

// Controllers write through this client. The journal makes room without any of them.
TEST(LocalClient, WritesWaitWhileTooMuchIsOnItsWayToTheDiskAndAllAreMade) {
    ApiObjects api({.waiting_bytes_max = 50'000}, 5ms);
    LocalClient client(api.objects, controller_user("job-controller"));
    int done = 0;
    for (int i = 0; i < 20; ++i) os::spawn(api.loop, write(client, i, done));
    std::size_t most = 0;
    ASSERT_TRUE(api.loop.run_until([&] {
        most = std::max(most, api.store->waiting_bytes());
        return done == 20;
    }));
    EXPECT_LT(most, 75'000u);
    EXPECT_EQ(api.store->waiting_bytes(), 0u);
}

os::Task<void> change_into(client::Client& client, client::Ref<ConfigMap> before, ConfigMap after,
                           std::optional<Result<client::Ref<ConfigMap>>>& answer) {
    answer = co_await client.change(std::move(before), std::move(after));
}

struct LocalChanges : testing::Test {
    Result<client::Ref<ConfigMap>> change(const client::Ref<ConfigMap>& before, ConfigMap after) {
        std::optional<Result<client::Ref<ConfigMap>>> answer;
        os::spawn(api.loop, change_into(client, before, std::move(after), answer));
        CHECK(api.loop.run_until([&] { return answer.has_value(); }));
        return *answer;
    }
    ApiObjects api;
    LocalClient client{api.objects, controller_user("job-controller")};
};

TEST_F(LocalChanges, AreRefusedWhenTheVersionIsAnotherAndMergedWhenNoneIsNamed) {
    ConfigMap first;
    first.metadata.namespace_ = "ns";
    first.metadata.name = "map-1";
    int done = 0;
    os::spawn(api.loop, write(client, 1, done));
    ASSERT_TRUE(api.loop.run_until([&] { return done == 1; }));
    const auto read = std::make_shared<const ConfigMap>(first);
    ConfigMap after = first;
    after.data.set("b", "1");
    const auto merged = change(read, after);
    ASSERT_TRUE(merged.ok()) << merged.error().message;
    EXPECT_EQ((*merged)->data.size(), 2u) << "what was not read stays";

    ConfigMap stale = **merged;
    stale.metadata.resource_version = "1";
    EXPECT_EQ(change(*merged, stale).error().code, Code::kConflict);
    ConfigMap fresh = **merged;
    fresh.data.erase("b");
    EXPECT_EQ((*change(*merged, fresh))->data.size(), 1u);
}

os::Task<void> watch_into(client::Client& client, std::string from, std::optional<Error>& refusal) {
    const auto watch = co_await client.watch<ConfigMap>("", std::move(from));
    if (!watch.ok()) refusal = watch.error();
}

TEST_F(LocalChanges, AWatchFromAVersionThatTheStoreHasNotReachedIsRefused) {
    std::optional<Error> refusal;
    os::spawn(api.loop, watch_into(client, "99999", refusal));
    ASSERT_TRUE(api.loop.run_until([&] { return refusal.has_value(); }));
    ASSERT_EQ(refusal->causes.size(), 1u);
    EXPECT_EQ(refusal->causes[0].reason, "ResourceVersionTooLarge");
}

}  // namespace local_client_test
}  // namespace muster::server
