#include "server/api_host.h"

#include <gtest/gtest.h>

#include <set>

namespace muster::server {
namespace api_host_test {

TEST(ApiHost, IsTheFirstFreeAddressAndStaysTheSame) {
    const struct {
        const char* sentence;
        const char* stored;
        std::set<std::string> taken;
        const char* chosen;
    } cases[] = {
        {"a new server takes the first", "", {}, "127.0.96.1"},
        {"a second server on the machine takes the next", "", {"127.0.96.1"}, "127.0.96.2"},
        {"a restarted server keeps its own", "127.0.96.2", {}, "127.0.96.2"},
        {"one whose address another server took gets another", "127.0.96.2", {"127.0.96.2"}, "127.0.96.1"},
        {"the address of an older version is given up", "127.0.0.1", {}, "127.0.96.1"},
        {"and so is one that a user wrote", "10.96.0.1", {}, "127.0.96.1"},
    };
    for (const auto& one : cases) {
        const auto is_free = [&](const std::string& host) { return !one.taken.contains(host); };
        EXPECT_EQ(choose_api_host(one.stored, is_free), one.chosen) << one.sentence;
    }
    EXPECT_EQ(choose_api_host("", [](const std::string&) { return false; }), "127.0.96.64");
}

}  // namespace api_host_test
}  // namespace muster::server
