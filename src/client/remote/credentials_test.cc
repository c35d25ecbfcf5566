#include "client/remote/credentials.h"

#include <gtest/gtest.h>

#include "os/testing/virtual_loop.h"

namespace muster::client {
namespace credentials_test {

constexpr const char* kVersion = "client.authentication.k8s.io/v1";

ExecPlugin plugin() {
    ExecPlugin plugin;
    plugin.api_version = kVersion;
    plugin.command = "login";
    plugin.install_hint = "install login";
    return plugin;
}

std::string exec_answer(const std::string& status) {
    return std::string(R"({"kind":"ExecCredential","apiVersion":")") + kVersion + R"(","status":)" + status + "}";
}

TEST(ExecAnswer, IsATokenOrACertificateWithItsEnd) {
    const auto token =
        parse_exec_answer(plugin(), exec_answer(R"({"token":"t","expirationTimestamp":"1970-01-01T01:00:00Z"})"));
    ASSERT_TRUE(token.ok()) << token.error().message;
    EXPECT_EQ(token->credential.token, "t");
    EXPECT_EQ(token->expires, Instant::from_unix_seconds(3600));
    const auto pair = parse_exec_answer(plugin(), exec_answer(R"({"clientCertificateData":"C","clientKeyData":"K"})"));
    EXPECT_EQ(pair->credential, (Credential{"", "C", "K", ""}));
    EXPECT_FALSE(pair->expires);
    for (const std::string& bad :
         {std::string("no json"), std::string(R"({"kind":"Pod"})"), exec_answer("{}"),
          exec_answer(R"({"clientCertificateData":"C"})"), exec_answer(R"({"token":"t","expirationTimestamp":"soon"})"),
          std::string(R"({"kind":"ExecCredential","apiVersion":"v2","status":{"token":"t"}})")})
        EXPECT_EQ(parse_exec_answer(plugin(), bad).error().code, Code::kBadRequest) << bad;
}

TEST(ExecInfo, NamesTheClusterWhenThePluginWantsIt) {
    ServerAccess access;
    access.server = "https://a";
    access.ca_certificates = "CA";
    access.exec = plugin();
    EXPECT_EQ(
        format_exec_info(access),
        R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}})");
    access.exec->wants_cluster = true;
    EXPECT_NE(format_exec_info(access).find(R"("cluster":{"server":"https://a","certificate-authority-data":"Q0E="})"),
              std::string::npos)
        << format_exec_info(access);
}

struct CredentialsTest : testing::Test {
    Credentials::Ways ways() {
        Credentials::Ways ways;
        ways.read_file = [this](const std::string& path) -> Result<std::string> {
            ++reads;
            if (file.empty()) return Error{Code::kNotFound, "gone"};
            return path == "/token" ? file : path + " " + file;
        };
        ways.run_plugin = [this](const ExecPlugin&, const std::string&) -> Result<std::string> {
            ++reads;
            if (printed.empty()) return Error{Code::kUnavailable, "not found"};
            return printed;
        };
        return ways;
    }
    std::string token(Credentials& credentials) {
        const auto got = loop.run(credentials.get());
        return got.ok() ? got->token : "error: " + got.error().message;
    }
    os::VirtualLoop loop;
    os::VirtualWorker worker{loop};
    std::string file = "first\n";
    std::string printed;
    int reads = 0;
};

TEST_F(CredentialsTest, ATokenFileIsReadAgainEveryMinute) {
    ServerAccess access;
    access.token_file = "/token";
    Credentials credentials(loop, worker, access, ways());
    EXPECT_EQ(token(credentials), "first");
    file = "second";
    loop.run_for(59s);
    EXPECT_EQ(token(credentials), "first");
    EXPECT_EQ(reads, 1);
    loop.run_for(1s);
    EXPECT_EQ(token(credentials), "second");
    file = "";
    loop.run_for(61s);
    EXPECT_EQ(token(credentials), "second") << "a file that is being replaced is no reason to stop";
}

TEST_F(CredentialsTest, ARefusedTokenIsReadAgainAtOnce) {
    ServerAccess access;
    access.token_file = "/token";
    Credentials credentials(loop, worker, access, ways());
    EXPECT_EQ(token(credentials), "first");
    file = "second";
    EXPECT_TRUE(credentials.refused());
    EXPECT_EQ(token(credentials), "second");

    ServerAccess fixed;
    fixed.token = "t";
    Credentials same(loop, worker, fixed, ways());
    EXPECT_EQ(token(same), "t");
    EXPECT_FALSE(same.refused()) << "it would be the same";
}

TEST_F(CredentialsTest, APluginRunsAgainWhenItsAnswerExpires) {
    loop.jump_wall_clock(Instant::from_unix_seconds(0) - loop.now());
    printed = exec_answer(R"({"token":"one","expirationTimestamp":"1970-01-01T00:10:00Z"})");
    ServerAccess access;
    access.exec = plugin();
    Credentials credentials(loop, worker, access, ways());
    EXPECT_EQ(token(credentials), "one");
    loop.run_for(9min);
    EXPECT_EQ(token(credentials), "one");
    EXPECT_EQ(reads, 1);
    printed = exec_answer(R"({"token":"two"})");
    loop.run_for(2min);
    EXPECT_EQ(token(credentials), "two");
    printed = "";
    credentials.refused();
    EXPECT_EQ(token(credentials), "error: the exec plugin login: not found\ninstall login");
}

TEST_F(CredentialsTest, FilesOfCertificatesAreReadAgainEveryMinute) {
    ServerAccess access;
    access.ca_certificates = "at the start";
    access.ca_file = "/ca";
    access.client_certificate_file = "/cert";
    access.client_key_file = "/key";
    Credentials credentials(loop, worker, access, ways());
    file = "1";
    EXPECT_EQ(*loop.run(credentials.get()), (Credential{"", "/cert 1", "/key 1", "/ca 1"}));
    file = "2";
    EXPECT_EQ(loop.run(credentials.get())->ca_certificates, "/ca 1");
    loop.run_for(60s);
    EXPECT_EQ(*loop.run(credentials.get()), (Credential{"", "/cert 2", "/key 2", "/ca 2"}));
    file = "";
    EXPECT_TRUE(credentials.refused());
    EXPECT_EQ(loop.run(credentials.get())->ca_certificates, "/ca 2") << "what there was may be good still";
    file = "3";
    loop.run_for(60s);
    EXPECT_EQ(loop.run(credentials.get())->ca_certificates, "/ca 3");
}

TEST_F(CredentialsTest, AnAuthorityThatIsReadAgainIsNoReasonToRunThePlugin) {
    printed = exec_answer(R"({"token":"one"})");
    ServerAccess access;
    access.exec = plugin();
    access.ca_file = "/ca";
    file = "1";
    Credentials credentials(loop, worker, access, ways());
    EXPECT_EQ(*loop.run(credentials.get()), (Credential{"one", "", "", "/ca 1"}));
    file = "2";
    printed = exec_answer(R"({"token":"two"})");
    loop.run_for(60s);
    EXPECT_EQ(*loop.run(credentials.get()), (Credential{"one", "", "", "/ca 2"}));
    file = "";
    loop.run_for(60s);
    EXPECT_EQ(*loop.run(credentials.get()), (Credential{"one", "", "", "/ca 2"}));
    file = "3";
    EXPECT_TRUE(credentials.untrusted());
    EXPECT_EQ(*loop.run(credentials.get()), (Credential{"one", "", "", "/ca 3"}));
    EXPECT_TRUE(credentials.refused());
    EXPECT_EQ(token(credentials), "two");
}

}  // namespace credentials_test
}  // namespace muster::client
