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
    EXPECT_EQ(access->ca_file, directory + "ca.crt");
    EXPECT_EQ(access->token_file, directory + "token");
    EXPECT_EQ(access->namespace_, "batch");
    EXPECT_EQ(in_cluster_access(variables({}), files({})).error().code, Code::kNotFound);
}

}  // namespace access_test
}  // namespace muster::client
