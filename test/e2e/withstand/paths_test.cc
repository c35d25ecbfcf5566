// Paths that try to leave their place, forged continue tokens, and credentials that are not valid.
#include "base/instant.h"
#include "server/identity/certificate_authority.h"
#include "server/identity/service_account_tokens.h"
#include "test/e2e/withstand/withstand.h"

namespace muster::e2e {
namespace paths_test {

using server::Certificate;

class PathsTest : public WithstandTest {
protected:
    std::string read(const std::string& file) const {
        os::LinuxFiles files;
        return files.read(directory_ + "/pki/" + file, 1u << 20).value();
    }
    // The status code of a list of configmaps with this certificate or token; 0 when the handshake fails.
    int status_with(const PeerIdentity& identity, const std::string& token = {}) const {
        const PeerContext context(identity);
        RawPeer peer(port_);
        if (!peer.handshake(context)) return 0;
        peer.send(request("GET", kMaps, "", "", token.empty() ? "" : "Authorization: Bearer " + token + "\r\n"));
        return status_of(peer.read_answer());
    }
};

TEST_F(PathsTest, PathsAndNamesStayWhereTheyAre) {
    const char* targets[] = {
        "/api/v1/namespaces/default/configmaps/..",
        "/api/v1/namespaces/default/configmaps/%2e%2e",
        "/api/v1/namespaces/default/configmaps/%2e%2e%2fsecrets",
        "/api/v1/namespaces/default/configmaps/..%2f..%2f..%2fetc%2fpasswd",
        "/api/v1/namespaces/../namespaces/kube-system/secrets/x",
        "/api/v1/namespaces/default%2fconfigmaps/x/y",
        "/api/v1/namespaces/default/configmaps/a%00b",
        "/api/v1/namespaces/%00/configmaps/a",
        "/api/v1/namespaces/default/configmaps/%ff%fe",
        "/api/v1/namespaces/default/configmaps/%zz",
        "/api/v1/namespaces/default/configmaps/%",
        "/api/v1/namespaces/default/configmaps/a?resourceVersion=%00",
        "/api//v1/namespaces",
        "/./api/v1/namespaces",
        "//etc/passwd",
        "/api/v1/namespaces/default/configmaps?fieldSelector=metadata.name%3D%00",
        "/api/v1/namespaces/default/configmaps?labelSelector=%00",
    };
    for (const char* target : targets)
        for (const char* method : {"GET", "DELETE"}) {
            SCOPED_TRACE(std::string(method) + " " + target);
            const int status = ask_status(method, target);
            EXPECT_GE(status, 400);
            EXPECT_LT(status, 500);
        }
    EXPECT_EQ(ask_status("GET", "/api/v1/namespaces/default/configmaps/" + std::string(20'000, 'a')), 414);
    std::string parameters = "/api/v1/pods?a=b";
    for (int i = 0; i < 1500; ++i) parameters += "&a=b";
    EXPECT_EQ(ask_status("GET", parameters), 400) << "too many";
    EXPECT_EQ(ask_status("GET", "/api/v1/pods?labelSelector=" + std::string(15'000, ',')), 400);
}

TEST_F(PathsTest, ForgedPlacesInListsAreRefused) {
    for (int i = 0; i < 3; ++i)
        ASSERT_EQ(ask_status("POST", kMaps, R"({"metadata":{"name":"m)" + std::to_string(i) + "\"}}"), 201);
    const char* tokens[] = {
        "x",
        "%00",
        "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTUsInN0YXJ0IjoieCJ9",                         // version -5
        "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi8uLi94In0",                  // ../../x
        "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIvYSJ9",                         // /a
        "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6OTIyMzM3MjAzNjg1NDc3NTgwOCwic3RhcnQiOiJhIn0",  // version 2^63
        "eyJ2IjoibWV0YS5rOHMuaW8vdjIiLCJydiI6MSwic3RhcnQiOiJhIn0",                          // another form
        "W1tbW1tbW1tbW1tbW1tbW1tbW1tbW1tbW1tbW1tbW1tbW1tbW1tbW1tbW1tbW1tbW1tbW1tb",         // [[[[…
    };
    for (const char* token : tokens) {
        SCOPED_TRACE(token);
        EXPECT_EQ(ask_status("GET", std::string(kMaps) + "?limit=1&continue=" + token), 400);
    }
    // What was never given out, and is well formed, shows what the client may see anyway, or has expired.
    const int future = ask_status(
        "GET", std::string(kMaps) + "?continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6OTk5OTk5LCJzdGFydCI6ImEifQ");
    EXPECT_TRUE(future == 410 || future == 504 || future == 400) << future;
}

TEST_F(PathsTest, CredentialsThatDoNotCountAreRefused) {
    const Instant now = Instant::from_unix_seconds(std::time(nullptr));
    const Certificate ours{read("ca.pem"), read("ca.pem")};
    const std::string masters[] = {"system:masters"};
    const auto issued = [&](const Certificate& authority, Instant at, Duration life) {
        const Certificate made = server::issue_client_certificate(authority, "eve", masters, at, life).value();
        return PeerIdentity{made.certificate, made.key};
    };
    EXPECT_EQ(status_with(issued(ours, now, 1h)), 200)
        << "a good one, to know that the others differ only in what is wrong";
    const auto refused = [](int status) { return status == 0 || status == 401 || status == 403; };
    EXPECT_TRUE(refused(status_with(issued(ours, now - 48h, 24h)))) << "expired";
    EXPECT_TRUE(refused(status_with(issued(ours, now + 48h, 24h)))) << "not valid yet";
    const Certificate theirs = server::make_authority("muster", now);
    EXPECT_TRUE(refused(status_with(issued(theirs, now, 1h)))) << "of another authority";
    const Certificate self = server::make_authority("eve", now);
    EXPECT_TRUE(refused(status_with({self.certificate, self.key}))) << "its own authority";
    const Certificate serving{read("server.pem"), read("server.pem")};
    EXPECT_TRUE(refused(status_with({serving.certificate, serving.key}))) << "the server's own";
}

TEST_F(PathsTest, TokensThatDoNotCountAreRefused) {
    const std::int64_t now = std::time(nullptr);
    const auto signer = server::TokenSigner::from_pem(read("service-accounts.pem")).value();
    ASSERT_EQ(ask_status("POST", "/api/v1/namespaces/default/serviceaccounts", R"({"metadata":{"name":"sa"}})"), 201);
    const std::string account = ask("GET", "/api/v1/namespaces/default/serviceaccounts/sa");
    const std::size_t uid = account.find("\"uid\":\"") + 7;
    server::TokenClaims claims;
    claims.issuer = "https://kubernetes.default.svc.cluster.local";
    claims.audiences = {claims.issuer};
    claims.namespace_ = "default";
    claims.service_account = {"sa", account.substr(uid, 36)};
    claims.issued_at = claims.not_before = now - 7200;
    claims.expires_at = now + 3600;
    const auto token = [&](const server::TokenClaims& said) {
        return signer.sign(server::format_claims(said)).value();
    };
    const std::string good = token(claims);
    EXPECT_EQ(status_with({}, good), 403) << "known, though nothing is allowed to it";
    const auto changed = [&](auto change) {
        server::TokenClaims other = claims;
        change(other);
        return token(other);
    };
    const std::size_t first_dot = good.find('.');
    const std::size_t last_dot = good.rfind('.');
    const auto stranger = server::TokenSigner::from_pem(server::make_signing_key()).value();
    const std::string cases[] = {
        changed([&](auto& c) { c.expires_at = now - 120; }),
        changed([&](auto& c) { c.not_before = now + 3600; }),
        changed([](auto& c) { c.issuer = "https://elsewhere"; }),
        changed([](auto& c) { c.audiences = {"https://elsewhere"}; }),
        changed([](auto& c) { c.service_account.uid = "another"; }),
        changed([](auto& c) { c.service_account.name = "missing"; }),
        changed([](auto& c) {
            c.pod = server::ObjectClaim{"gone", "uid"};
        }),
        stranger.sign(server::format_claims(claims)).value(),
        good.substr(0, last_dot + 1),                                                // without a signature
        "eyJhbGciOiJub25lIn0" + good.substr(first_dot, last_dot - first_dot) + ".",  // alg none
        "eyJhbGciOiJIUzI1NiJ9" + good.substr(first_dot),                             // alg HS256
        good.substr(0, good.size() - 2) + "AA",
        "..",
        "a.b.c",
        std::string(30'000, 'a'),
        std::string(20'000, '.'),
    };
    for (const std::string& wrong : cases) {
        SCOPED_TRACE(wrong.substr(0, 200));
        EXPECT_EQ(status_with({}, wrong), 401);
    }
}

}  // namespace paths_test
}  // namespace muster::e2e
