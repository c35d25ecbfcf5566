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

}  // namespace local_client_test
}  // namespace muster::server
