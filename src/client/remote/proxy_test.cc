#include "client/remote/proxy.h"

#include <gtest/gtest.h>

#include <map>

namespace muster::client {
namespace proxy_test {

using Texts = std::map<std::string, std::string>;

ReadVariable variables(Texts texts) {
    return [texts = std::move(texts)](const char* name) {
        const auto found = texts.find(name);
        return found == texts.end() ? std::string() : found->second;
    };
}

ServerAccess access_to(const char* server, const char* proxy_url = "") {
    ServerAccess access;
    access.server = server;
    access.proxy_url = proxy_url;
    return access;
}

TEST(FindProxy, IsTheKubeconfigsOrTheEnvironments) {
    const char* const kServer = "https://api.example.org:6443";
    const struct {
        const char* sentence;
        const char* server;
        const char* proxy_url;
        Texts variables;
        const char* place;  // empty: none
    } cases[] = {
        {"none is named", kServer, "", {}, ""},
        {"the kubeconfig's counts first", kServer, "http://mine:1", {{"HTTPS_PROXY", "http://other:1"}}, "mine:1"},
        {"the environment's counts else", kServer, "", {{"HTTPS_PROXY", "http://other:1"}}, "other:1"},
        {"in small letters, too", kServer, "", {{"https_proxy", "https://other"}}, "other:443"},
        {"in the environment a place will do", kServer, "", {{"HTTPS_PROXY", "other:3128"}}, "other:3128"},
        {"that of the other scheme does not count", kServer, "", {{"HTTP_PROXY", "http://other:1"}}, ""},
        {"a server without TLS has its own",
         "http://api.example.org",
         "",
         {{"HTTP_PROXY", "http://other:1"}, {"HTTPS_PROXY", "http://wrong:1"}},
         "other:1"},
        {"a server that NO_PROXY names needs none",
         kServer,
         "",
         {{"HTTPS_PROXY", "http://other:1"}, {"no_proxy", "localhost, api.example.org"}},
         ""},
        {"NO_PROXY does not count against the kubeconfig",
         kServer,
         "http://mine:1",
         {{"NO_PROXY", "api.example.org"}},
         "mine:1"},
        {"a server on this machine needs none", "https://127.0.0.1:6443", "", {{"HTTPS_PROXY", "http://other:1"}}, ""},
        {"nor does it by its name", "https://localhost:6443", "", {{"HTTPS_PROXY", "http://other:1"}}, ""},
        {"nor by the other address", "https://[::1]:6443", "", {{"HTTPS_PROXY", "http://other:1"}}, ""},
        {"unless the kubeconfig says so", "https://127.0.0.1:6443", "http://mine:1", {}, "mine:1"},
    };
    for (const auto& each : cases) {
        const auto proxy = find_proxy(access_to(each.server, each.proxy_url), variables(each.variables));
        ASSERT_TRUE(proxy.ok()) << each.sentence << ": " << proxy.error().message;
        EXPECT_EQ(*proxy ? os::host_and_port((*proxy)->origin) : "", each.place) << each.sentence;
    }
}

TEST(FindProxy, NamesTheFieldOfAProxyThatCannotBeUsed) {
    const char* const kServer = "https://api.example.org:6443";
    const auto field = find_proxy(access_to(kServer, "socks5://u:secret@proxy:1080"), variables({}));
    EXPECT_EQ(field.error().code, Code::kBadRequest);
    EXPECT_EQ(
        field.error().message,
        "proxy-url of the cluster: proxies with the scheme socks5:// are not supported, only http:// and https://");
    const auto variable = find_proxy(access_to(kServer), variables({{"https_proxy", "socks5h://proxy:1080"}}));
    EXPECT_EQ(variable.error().message,
              "https_proxy: proxies with the scheme socks5h:// are not supported, only http:// and https://");
    EXPECT_EQ(find_proxy(access_to(kServer, "proxy:3128"), variables({})).error().message,
              "proxy-url of the cluster: it is not a proxy's URL such as http://proxy.example:3128");
}

TEST(NoProxy, ExceptsHostsDomainsAddressesAndRanges) {
    const struct {
        const char* server;
        const char* no_proxy;
        bool excepted;
    } cases[] = {
        {"https://api.example.org", "", false},
        {"https://api.example.org", "*", true},
        {"https://api.example.org", "other, API.example.ORG ,x", true},
        {"https://API.example.org", "api.example.org", true},
        {"https://api.example.org", "example.org", true},
        {"https://api.example.org", ".example.org", true},
        {"https://api.example.org", "*.example.org", true},
        {"https://example.org", "example.org", true},
        {"https://example.org", ".example.org", false},
        {"https://example.org", "*.example.org", false},
        {"https://api.example.org", "ample.org", false},
        {"https://org", "example.org", false},
        {"https://api.example.org:6443", "example.org:6443", true},
        {"https://api.example.org:6443", "example.org:443", false},
        {"https://10.1.2.3", "10.1.2.3", true},
        {"https://10.1.2.3", "10.1.2.4", false},
        {"https://10.1.2.3:6443", "10.1.2.3:6443", true},
        {"https://10.1.2.3:6443", "10.1.2.3:443", false},
        {"https://10.1.2.3", "10.0.0.0/8", true},
        {"https://10.1.2.3", "10.2.0.0/16", false},
        {"https://api.example.org", "10.0.0.0/8", false},
        {"https://[fd00::1]:6443", "fd00::1", true},
        {"https://[fd00::1]:6443", "[fd00::1]:6443", true},
        {"https://[fd00::1]:6443", "[fd00::1]:443", false},
        {"https://[fd00::1]", "fd00::/8", true},
        {"https://api.example.org", ",.,*.,:6443", false},
    };
    for (const auto& each : cases)
        EXPECT_EQ(is_excepted(os::parse_origin(each.server).value(), each.no_proxy), each.excepted)
            << each.server << " " << each.no_proxy;
}

}  // namespace proxy_test
}  // namespace muster::client
