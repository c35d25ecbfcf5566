#include "client/remote/kubeconfig.h"

#include <gtest/gtest.h>

#include <map>

namespace muster::client {
namespace kubeconfig_test {

class KubeconfigFiles : public testing::Test {
protected:
    std::map<std::string, std::string> files;
    Result<ServerAccess> read(const std::vector<std::string>& paths, KubeconfigOptions options = {}) {
        return read_kubeconfig(paths, options, [&](const std::string& path) -> Result<std::string> {
            const auto found = files.find(path);
            if (found == files.end()) return Error{Code::kNotFound, path + " is not there"};
            return found->second;
        });
    }
};

constexpr const char* kConfig = R"(
apiVersion: v1
kind: Config
current-context: main
clusters:
- name: c
  cluster: {server: "https://127.0.0.1:6443/", certificate-authority-data: Q0E=, tls-server-name: muster}
- name: proxied
  cluster: {server: "https://10.0.0.1", proxy-url: "http://proxy:3128", certificate-authority: ca.crt}
users:
- name: u
  user: {client-certificate: certs/a.crt, client-key-data: S0VZ}
- name: t
  user: {tokenFile: /abs/token}
- name: e
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: bin/login
      args: [--region, here]
      env: [{name: PROFILE, value: p}]
      installHint: install it
      provideClusterInfo: true
- name: old
  user: {exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x}}
- name: gone
  user: {auth-provider: {name: gcp}}
contexts:
- name: main
  context: {cluster: c, user: u, namespace: batch}
- name: other
  context: {cluster: c, user: t}
- name: plugin
  context: {cluster: proxied, user: e}
- name: old-plugin
  context: {cluster: c, user: old}
- name: provider
  context: {cluster: c, user: gone}
)";

TEST_F(KubeconfigFiles, SayWhereTheServerIsAndWhoWeAre) {
    files["/home/me/config"] = kConfig;
    files["/home/me/certs/a.crt"] = "CERT";
    const auto access = read({"/home/me/config"});
    ASSERT_TRUE(access.ok()) << format_error(access.error());
    EXPECT_EQ(access->server, "https://127.0.0.1:6443");
    EXPECT_EQ(access->ca_certificates, "CA");
    EXPECT_EQ(access->tls_server_name, "muster");
    EXPECT_EQ(access->ca_file, "") << "it stands in the kubeconfig itself";
    EXPECT_EQ(access->client_certificate, "CERT");
    EXPECT_EQ(access->client_certificate_file, "/home/me/certs/a.crt");
    EXPECT_EQ(access->client_key, "KEY");
    EXPECT_EQ(access->namespace_, "batch");
    const auto other = read({"/home/me/config"}, {.context = "other"});
    EXPECT_EQ(other->token, "");
    EXPECT_EQ(other->token_file, "/abs/token") << "it is read when it is needed, and again";
    EXPECT_EQ(other->namespace_, "default");
    EXPECT_FALSE(read({"/home/me/config"}, {.context = "nope"}).ok());
}

TEST_F(KubeconfigFiles, AreMergedFirstComeFirstServed) {
    files["/a"] = "current-context: other\nusers: [{name: t, user: {token: mine}}]";
    files["/b"] = kConfig;
    const auto access = read({"/missing", "/a", "/b"});
    ASSERT_TRUE(access.ok()) << format_error(access.error());
    EXPECT_EQ(access->token, "mine");
    EXPECT_EQ(read({"/missing"}).error().code, Code::kNotFound);
    EXPECT_EQ(kubeconfig_paths("", "/a::/b", "/d", "/home/me"), (std::vector<std::string>{"/a", "/b"}));
    EXPECT_EQ(kubeconfig_paths("", "", "/d", "/home/me"),
              (std::vector<std::string>{"/d/kubeconfig", "/home/me/.kube/config"}));
    EXPECT_EQ(kubeconfig_paths("/x", "/a", "/d", "/home/me"), (std::vector<std::string>{"/x"}));
}

TEST_F(KubeconfigFiles, NameAPluginAndAProxy) {
    files["/home/me/config"] = kConfig;
    files["/home/me/ca.crt"] = "CA in a file";
    const auto access = read({"/home/me/config"}, {.context = "plugin"});
    ASSERT_TRUE(access.ok()) << format_error(access.error());
    EXPECT_EQ(access->proxy_url, "http://proxy:3128");
    EXPECT_EQ(access->ca_certificates, "CA in a file");
    EXPECT_EQ(access->ca_file, "/home/me/ca.crt");
    ExecPlugin plugin;
    plugin.api_version = "client.authentication.k8s.io/v1";
    plugin.command = "/home/me/bin/login";
    plugin.arguments = {"--region", "here"};
    plugin.environment = {{"PROFILE", "p"}};
    plugin.install_hint = "install it";
    plugin.wants_cluster = true;
    EXPECT_EQ(access->exec, plugin);
    EXPECT_EQ(read({"/home/me/config"}, {.context = "old-plugin"}).error().code, Code::kBadRequest);
    EXPECT_EQ(read({"/home/me/config"}, {.context = "provider"}).error().code, Code::kBadRequest);
}

}  // namespace kubeconfig_test
}  // namespace muster::client
