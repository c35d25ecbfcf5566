#include "client/remote/access.h"

#include <gtest/gtest.h>

#include <map>

namespace muster::client {
namespace access_test {

using Texts = std::map<std::string, std::string>;

ReadVariable variables(Texts texts) {
    return [texts = std::move(texts)](const char* name) {
        const auto found = texts.find(name);
        return found == texts.end() ? std::string() : found->second;
    };
}

ReadFile files(Texts texts) {
    return [texts = std::move(texts)](const std::string& path) -> Result<std::string> {
        const auto found = texts.find(path);
        if (found == texts.end()) return Error{Code::kNotFound, path};
        return found->second;
    };
}

TEST(InClusterAccess, IsThePodsServiceAccount) {
    const std::string directory = "/var/run/secrets/kubernetes.io/serviceaccount/";
    const auto access =
        in_cluster_access(variables({{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}, {"KUBERNETES_SERVICE_PORT", "443"}}),
                          files({{directory + "ca.crt", "CA"}, {directory + "namespace", "batch\n"}}));
    ASSERT_TRUE(access.ok()) << access.error().message;
    EXPECT_EQ(access->server, "https://10.0.0.1:443");
    EXPECT_EQ(access->ca_certificates, "CA");
    EXPECT_EQ(access->token_file, directory + "token");
    EXPECT_EQ(access->namespace_, "batch");
    EXPECT_EQ(in_cluster_access(variables({}), files({})).error().code, Code::kNotFound);
}

TEST(FindProxy, IsTheKubeconfigsOrTheEnvironments) {
    const struct {
        const char* sentence;
        const char* proxy_url;
        Texts variables;
        const char* host;  // empty: none
    } cases[] = {
        {"none is named", "", {}, ""},
        {"the kubeconfig's counts first", "http://mine:1", {{"HTTPS_PROXY", "http://other:1"}}, "mine"},
        {"the environment's counts else", "", {{"HTTPS_PROXY", "http://other:1"}}, "other"},
        {"in small letters, too", "", {{"https_proxy", "http://other:1"}}, "other"},
        {"a host that NO_PROXY names needs none",
         "",
         {{"HTTPS_PROXY", "http://other:1"}, {"NO_PROXY", "localhost, api.example.org"}},
         ""},
        {"so does a host of a domain that it names",
         "",
         {{"HTTPS_PROXY", "http://other:1"}, {"NO_PROXY", ".example.org"}},
         ""},
        {"the end of a name is not its domain",
         "",
         {{"HTTPS_PROXY", "http://other:1"}, {"NO_PROXY", "ample.org"}},
         "other"},
    };
    for (const auto& each : cases) {
        ServerAccess access;
        access.server = "https://api.example.org:6443";
        access.proxy_url = each.proxy_url;
        const auto proxy = find_proxy(access, variables(each.variables)).value();
        EXPECT_EQ(proxy ? proxy->host : "", each.host) << each.sentence;
    }
    ServerAccess access;
    access.server = "https://api.example.org";
    access.proxy_url = "socks5://proxy:1080";
    EXPECT_EQ(find_proxy(access, variables({})).error().code, Code::kBadRequest);
}

}  // namespace access_test
}  // namespace muster::client
