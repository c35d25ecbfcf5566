#include "os/http/tls_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "os/testing/tls_certificates.h"

namespace muster::os {
namespace tls_session_test {

using Outcome = TlsSession::Outcome;

// Gives `bytes` to the session; plaintext is appended to `plaintext`. What it answers is returned.
std::string pass(TlsSession& session, const std::string& bytes, std::string& plaintext, Outcome& last) {
    std::string out;
    session.give(bytes);
    for (;;) {
        char buffer[1000];
        const TlsSession::Read read = session.read(buffer, out);
        last = read.outcome;
        if (read.outcome != Outcome::kPlaintext) return out;
        plaintext.append(buffer, read.size);
    }
}

struct Ends {
    TestAuthority authority{"ca"};
    TlsServerSettings server_settings{.identity = authority.sign_server(),
                                      .client_authorities = authority.certificate()};
    TlsClientSettings client_settings{.server_authorities = authority.certificate()};
    TlsContext server_context = make_server_context(server_settings).value();
    TlsContext client_context = make_client_context(client_settings).value();
    std::unique_ptr<TlsSession> server;
    std::unique_ptr<TlsSession> client;
    std::string at_server;
    std::string at_client;
    Outcome server_last = Outcome::kMore;
    Outcome client_last = Outcome::kMore;

    bool shake_hands(const std::string& host = "localhost") {
        server = TlsSession::of_server(server_context);
        client = TlsSession::of_client(client_context, host);
        std::string to_client;
        std::string to_server = pass(*client, "", at_client, client_last);
        while (!to_server.empty()) {
            to_client = pass(*server, to_server, at_server, server_last);
            to_server = to_client.empty() ? "" : pass(*client, to_client, at_client, client_last);
        }
        return server->established() && client->established();
    }
};

TEST(TlsSession, CarriesBytesBothWaysInRecordsOf16K) {
    Ends ends;
    ASSERT_TRUE(ends.shake_hands());
    const std::string large(100'000, 'x');
    std::string records;
    ends.client->write(large, records);
    EXPECT_LT(records.size(), large.size() + 7 * 40);
    // In pieces that end anywhere.
    for (std::size_t at = 0; at < records.size(); at += 777)
        pass(*ends.server, records.substr(at, 777), ends.at_server, ends.server_last);
    EXPECT_EQ(ends.at_server, large);
    std::string reply;
    ends.server->write("pong", reply);
    pass(*ends.client, reply, ends.at_client, ends.client_last);
    EXPECT_EQ(ends.at_client, "pong");
}

TEST(TlsSession, SaysWhenTheOtherSideEnds) {
    Ends ends;
    ASSERT_TRUE(ends.shake_hands());
    std::string notice;
    ends.client->end(notice);
    pass(*ends.server, notice, ends.at_server, ends.server_last);
    EXPECT_EQ(ends.server_last, Outcome::kEnded);
}

TEST(TlsSession, BytesThatWereChangedOnTheWayFail) {
    Ends ends;
    ASSERT_TRUE(ends.shake_hands());
    std::string records;
    ends.client->write("hello", records);
    records.back() ^= 1;
    pass(*ends.server, records, ends.at_server, ends.server_last);
    EXPECT_EQ(ends.server_last, Outcome::kFailed);
    EXPECT_EQ(ends.at_server, "");
    // Nothing more comes of it, and nothing breaks.
    pass(*ends.server, "", ends.at_server, ends.server_last);
    EXPECT_EQ(ends.server_last, Outcome::kFailed);
}

TEST(TlsSession, ChecksTheServersName) {
    Ends ends;
    EXPECT_TRUE(ends.shake_hands("127.0.0.1"));
    EXPECT_FALSE(ends.shake_hands("127.0.0.2"));
    EXPECT_FALSE(ends.shake_hands("example.org"));
    EXPECT_THAT(ends.client->error(), testing::HasSubstr("hostname mismatch"));
}

TEST(TlsSession, AgreesOnlyOnProtocolsThatWeSpeak) {
    const struct {
        const char* name;
        int version_max;
        std::string offered;
        bool agreed;
    } cases[] = {
        {"TLS 1.3", TLS1_3_VERSION, "\x08http/1.1", true},
        {"TLS 1.2", TLS1_2_VERSION, "\x08http/1.1", true},
        {"TLS 1.1", TLS1_1_VERSION, "\x08http/1.1", false},
        {"HTTP/2 or 1.1", TLS1_3_VERSION, "\x02h2\x08http/1.1", true},
        {"HTTP/2 only", TLS1_3_VERSION, "\x02h2", false},
    };
    for (const auto& each : cases) {
        Ends ends;
        SSL_CTX_set_min_proto_version(ends.client_context.get(), TLS1_VERSION);
        SSL_CTX_set_max_proto_version(ends.client_context.get(), each.version_max);
        SSL_CTX_set_alpn_protos(ends.client_context.get(), reinterpret_cast<const unsigned char*>(each.offered.data()),
                                static_cast<unsigned>(each.offered.size()));
        EXPECT_EQ(ends.shake_hands(), each.agreed) << each.name;
    }
}

// What the client's context has kept of the last session, to begin the next one with.
SSL_SESSION* kept_session = nullptr;
bool resumed = false;

TEST(TlsSession, AResumedSessionStillKnowsItsPeer) {
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        for (const bool trusted : {true, false}) {
            Ends ends;
            ends.client_settings.identity = trusted ? ends.authority.sign_client("ann", {"dev"})
                                                    : TestAuthority("other").sign_client("ann", {"dev"});
            ends.client_context = make_client_context(ends.client_settings).value();
            SSL_CTX* context = ends.client_context.get();
            SSL_CTX_set_max_proto_version(context, version);
            SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT);
            SSL_CTX_sess_set_new_cb(context, [](SSL*, SSL_SESSION* session) {
                SSL_SESSION_free(kept_session);
                kept_session = session;
                return 1;
            });
            ASSERT_TRUE(ends.shake_hands());
            ASSERT_TRUE(kept_session);
            std::string notice;
            ends.client->end(notice);  // OpenSSL does not resume what broke off
            // The session of the next handshake is set as soon as OpenSSL asks for anything.
            SSL_CTX_set_info_callback(context, [](const SSL* ssl, int where, int) {
                if ((where & SSL_CB_HANDSHAKE_START) && !SSL_get_session(ssl))
                    SSL_set_session(const_cast<SSL*>(ssl), kept_session);
                if (where & SSL_CB_HANDSHAKE_DONE) resumed = SSL_session_reused(ssl) == 1;
            });
            ASSERT_TRUE(ends.shake_hands());
            EXPECT_TRUE(resumed) << version;
            const TlsPeer peer = ends.server->peer();
            EXPECT_EQ(peer.certificate.has_value(), trusted);
            EXPECT_EQ(peer.error.empty(), trusted);
            if (trusted) {
                EXPECT_EQ(peer.certificate->organizations, std::vector<std::string>{"dev"});
            }
            SSL_SESSION_free(std::exchange(kept_session, nullptr));
        }
    }
}

TEST(TlsContext, SaysWhatIsWrongWithItsTexts) {
    const TestAuthority authority("ca");
    const TlsIdentity good = authority.sign_server();
    const struct {
        TlsServerSettings settings;
        const char* message;
    } cases[] = {
        {{.identity = {.certificate_chain = "", .key = good.key}}, "no certificate"},
        {{.identity = {.certificate_chain = good.certificate_chain, .key = "nonsense"}}, "no private key"},
        {{.identity = {.certificate_chain = good.certificate_chain, .key = authority.sign_server().key}},
         "does not belong"},
        {{.identity = good, .client_authorities = "nonsense"}, "no certificate in the authorities"},
    };
    for (const auto& each : cases) {
        const auto made = make_server_context(each.settings);
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().code, Code::kBadRequest);
        EXPECT_THAT(made.error().message, testing::HasSubstr(each.message));
    }
}

}  // namespace tls_session_test
}  // namespace muster::os
