#include "os/http/client/http_origin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::os {
namespace http_origin_test {

using testing::HasSubstr;
using testing::Not;

TEST(HttpOrigin, ReadsUrls) {
    const struct {
        const char* url;
        HttpOrigin origin;
        const char* name;
    } cases[] = {
        {"https://127.0.0.1:6443", {true, "127.0.0.1", 6443, ""}, "127.0.0.1:6443"},
        {"https://example.org", {true, "example.org", 443, ""}, "example.org:443"},
        {"http://localhost/", {false, "localhost", 80, ""}, "localhost:80"},
        {"https://[::1]:8443/k8s/clusters/c-1/", {true, "::1", 8443, "/k8s/clusters/c-1"}, "[::1]:8443"},
        {"https://[::1]", {true, "::1", 443, ""}, "[::1]:443"},
    };
    for (const auto& each : cases) {
        EXPECT_EQ(parse_origin(each.url).value(), each.origin) << each.url;
        EXPECT_EQ(host_and_port(each.origin), each.name);
    }
    for (const char* bad :
         {"", "127.0.0.1", "ftp://a", "https://", "https://a:x", "https://a:70000", "https://a b", "https://user@host"})
        EXPECT_EQ(parse_origin(bad).error().code, Code::kBadRequest) << bad;
}

TEST(HttpProxy, ReadsUrlsWithUserAndPassword) {
    const struct {
        const char* url;
        HttpProxy proxy;
    } cases[] = {
        {"http://proxy:3128", {{false, "proxy", 3128, ""}, ""}},
        {"https://proxy/", {{true, "proxy", 443, ""}, ""}},
        {"http://[fd00::1]:80/ignored?x", {{false, "fd00::1", 80, ""}, ""}},
        // As RFC 7617 has it.
        {"http://Aladdin:open%20sesame@proxy:3128", {{false, "proxy", 3128, ""}, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="}},
        {"http://a%3Ab@proxy", {{false, "proxy", 80, ""}, "Basic YTpiOg=="}},
        {"http://u:p@ss@proxy", {{false, "proxy", 80, ""}, "Basic dTpwQHNz"}},
    };
    for (const auto& each : cases) {
        const auto proxy = parse_proxy(each.url);
        ASSERT_TRUE(proxy.ok()) << each.url;
        EXPECT_EQ(*proxy, each.proxy) << each.url << " " << proxy->authorization;
    }
}

TEST(HttpProxy, RefusesOtherSchemesWithoutShowingThePassword) {
    const auto socks = parse_proxy("socks5://u:secret@proxy:1080");
    EXPECT_EQ(socks.error().code, Code::kBadRequest);
    EXPECT_THAT(socks.error().message, HasSubstr("socks5:// are not supported, only http:// and https://"));
    for (const char* bad : {"http://u:secret@", "http://u:secret@proxy:x", "proxy", "http://u:%zz@proxy",
                            "http://u:secret%4@proxy", "http://u:secret@a b"}) {
        const auto refused = parse_proxy(bad);
        ASSERT_FALSE(refused.ok()) << bad;
        EXPECT_EQ(refused.error().code, Code::kBadRequest);
        EXPECT_THAT(refused.error().message, Not(HasSubstr("secret")));
    }
}

}  // namespace http_origin_test
}  // namespace muster::os
