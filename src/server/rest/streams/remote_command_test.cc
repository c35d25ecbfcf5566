#include "server/rest/streams/remote_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::server {
namespace remote_command_test {

struct RequestCase {
    const char* sentence;
    const char* query;
    bool exec;
    const char* told;
};

std::string describe(const Result<client::SessionRequest>& request) {
    if (!request.ok()) return request.error().message;
    std::string told = request->container.str() + ':';
    for (const std::string& word : request->command) told += ' ' + word;
    if (request->input) told += " <";
    if (request->output) told += " 1";
    if (request->errors) told += " 2";
    if (request->terminal) told += " tty";
    return told;
}

TEST(ParseSessionRequest, ReadsTheQuery) {
    const RequestCase cases[] = {
        {"a command", "container=c&command=ls&command=-l&stdout=true&stderr=true", true, "c: ls -l 1 2"},
        {"a shell", "command=sh&stdin=true&stdout=true&stderr=true&tty=true", true, ": sh < 1 tty"},
        {"no streams", "command=ls", true, "you must specify at least 1 of stdin, stdout, stderr"},
        {"no command", "stdout=1", true, "you must specify at least one command for the container"},
        {"attaching", "stdout=1&command=ls", false, ": 1"},
    };
    for (const RequestCase& each : cases)
        EXPECT_EQ(describe(parse_session_request(parse_query(each.query).value(), each.exec)), each.told)
            << each.sentence;
}

os::HttpRequest upgrade_request(std::vector<os::HttpHeader> headers) {
    os::HttpRequest request;
    request.headers = std::move(headers);
    return request;
}

TEST(NegotiateUpgrade, TakesTheBestProtocolThatBothSpeak) {
    const auto upgrade = negotiate_upgrade(
        upgrade_request({{"connection", "keep-alive, Upgrade"},
                         {"upgrade", "WebSocket"},
                         {"sec-websocket-version", "13"},
                         {"sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="},
                         {"sec-websocket-protocol", "v4.channel.k8s.io,v5.channel.k8s.io, channel.k8s.io"}}));
    ASSERT_TRUE(upgrade.ok()) << upgrade.error().message;
    EXPECT_EQ(upgrade->head.status, 101);
    EXPECT_EQ(upgrade->head.headers[1].value, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    EXPECT_EQ(upgrade->head.headers[2].value, "v5.channel.k8s.io");
    EXPECT_EQ(upgrade->protocol, Protocol::kWebSocketV5);
}

os::HttpRequest websocket_request(const char* protocols) {
    os::HttpRequest request = upgrade_request({{"connection", "Upgrade"},
                                               {"upgrade", "websocket"},
                                               {"sec-websocket-version", "13"},
                                               {"sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="}});
    if (*protocols) request.headers.push_back({"sec-websocket-protocol", protocols});
    return request;
}

struct ProtocolCase {
    const char* sentence;
    Result<Upgrade> (*negotiate)(const os::HttpRequest&);
    const char* offered;
    std::optional<Protocol> protocol;
    const char* answered;  // in Sec-WebSocket-Protocol
};

TEST(NegotiateUpgrade, SpeaksEveryProtocolThatKubeletsSpeak) {
    const ProtocolCase cases[] = {
        {"exec v4 in base64", negotiate_upgrade, "v4.base64.channel.k8s.io", Protocol::kWebSocketV4Base64,
         "v4.base64.channel.k8s.io"},
        {"exec v1", negotiate_upgrade, "channel.k8s.io", Protocol::kWebSocketV1, "channel.k8s.io"},
        {"exec v1 in base64", negotiate_upgrade, "base64.channel.k8s.io", Protocol::kWebSocketV1Base64,
         "base64.channel.k8s.io"},
        {"exec without a protocol", negotiate_upgrade, "", Protocol::kWebSocketV1, ""},
        {"exec with an unknown one", negotiate_upgrade, "v9.channel.k8s.io", {}, ""},
        {"ports as kubectl", negotiate_port_forward, "SPDY/3.1+portforward.k8s.io", Protocol::kSpdyInWebSocket,
         "SPDY/3.1+portforward.k8s.io"},
        {"ports as Python", negotiate_port_forward, "v4.channel.k8s.io", Protocol::kWebSocketV4, "v4.channel.k8s.io"},
        {"ports as JavaScript", negotiate_port_forward, "v5.channel.k8s.io, v4.channel.k8s.io, channel.k8s.io",
         Protocol::kWebSocketV4, "v4.channel.k8s.io"},
        {"ports in v5", negotiate_port_forward, "v5.channel.k8s.io", Protocol::kWebSocketV5, "v5.channel.k8s.io"},
        {"ports in base64", negotiate_port_forward, "v4.base64.channel.k8s.io", Protocol::kWebSocketV4Base64,
         "v4.base64.channel.k8s.io"},
        {"ports without a protocol", negotiate_port_forward, "", Protocol::kWebSocketV4, ""},
        {"ports with exec's oldest", negotiate_port_forward, "channel.k8s.io", {}, ""},
        {"a watch", negotiate_watch, "", Protocol::kBytes, ""},
        {"a watch of a browser that names a protocol", negotiate_watch, "base64.binary.k8s.io", Protocol::kBytes,
         "base64.binary.k8s.io"},
        {"a log", negotiate_bytes, "", Protocol::kBytes, ""},
        {"a log in binary", negotiate_bytes, "binary.k8s.io", Protocol::kBytes, "binary.k8s.io"},
        {"a log in base64", negotiate_bytes, "base64.binary.k8s.io", Protocol::kBytesBase64, "base64.binary.k8s.io"},
        {"a log in channels", negotiate_bytes, "channel.k8s.io", {}, ""},
    };
    for (const ProtocolCase& each : cases) {
        const auto upgrade = each.negotiate(websocket_request(each.offered));
        EXPECT_EQ(upgrade.ok(), each.protocol.has_value()) << each.sentence;
        if (!upgrade.ok()) continue;
        EXPECT_EQ(upgrade->protocol, each.protocol) << each.sentence;
        std::string answered;
        for (const os::HttpHeader& header : upgrade->head.headers)
            if (header.name == "Sec-WebSocket-Protocol") answered = header.value;
        EXPECT_EQ(answered, each.answered) << each.sentence;
    }
}

TEST(AsksForWebSocket, OnlyWithBothHeaders) {
    EXPECT_TRUE(asks_for_websocket(websocket_request("")));
    EXPECT_FALSE(asks_for_websocket(upgrade_request({{"upgrade", "websocket"}})));
    EXPECT_FALSE(asks_for_websocket(upgrade_request({{"connection", "Upgrade"}, {"upgrade", "h2c"}})));
}

TEST(ParseForwardedPorts, ReadsListsAndRepetitions) {
    using Ports = std::vector<std::uint16_t>;
    EXPECT_EQ(parse_forwarded_ports(parse_query("ports=80,81&ports=65535").value()).value(), (Ports{80, 81, 65535}));
    for (const char* bad : {"", "ports=", "ports=0", "ports=65536", "ports=80,x", "ports=-1", "port=80"})
        EXPECT_EQ(parse_forwarded_ports(parse_query(bad).value()).error().code, Code::kBadRequest) << bad;
    std::string many = "ports=1";
    for (int i = 0; i < 127; ++i) many += ",1";
    EXPECT_EQ(parse_forwarded_ports(parse_query(many).value()).error().code, Code::kBadRequest);
}

TEST(NegotiateUpgrade, SpeaksSpdyWithOldClients) {
    std::vector<os::HttpHeader> headers{{"connection", "Upgrade"}, {"upgrade", "SPDY/3.1"}};
    EXPECT_EQ(negotiate_upgrade(upgrade_request(headers)).error().code, Code::kForbidden);
    for (const char* version : {"v4.channel.k8s.io", "v3.channel.k8s.io"})
        headers.push_back({"x-stream-protocol-version", version});
    const auto upgrade = negotiate_upgrade(upgrade_request(headers));
    ASSERT_TRUE(upgrade.ok()) << upgrade.error().message;
    EXPECT_EQ(upgrade->protocol, Protocol::kSpdy);
    EXPECT_EQ(upgrade->head.headers[1].value, "v4.channel.k8s.io");
}

struct UpgradeCase {
    const char* sentence;
    std::vector<os::HttpHeader> headers;
    const char* told;
};

TEST(NegotiateUpgrade, SaysWhatIsMissing) {
    const os::HttpHeader connection{"connection", "Upgrade"};
    const os::HttpHeader upgrade{"upgrade", "websocket"};
    const os::HttpHeader version{"sec-websocket-version", "13"};
    const os::HttpHeader key{"sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="};
    const UpgradeCase cases[] = {
        {"no upgrade", {}, "Upgrade request required"},
        {"an upgrade to something else", {connection, {"upgrade", "h2c"}}, "Upgrade request required"},
        {"another version", {connection, upgrade, key}, "only version 13"},
        {"a bad key", {connection, upgrade, version, {"sec-websocket-key", "x"}}, "is not a key"},
        {"an unknown protocol",
         {connection, upgrade, version, key, {"sec-websocket-protocol", "v9"}},
         "are v5.channel.k8s.io, v4.channel.k8s.io, v4.base64.channel.k8s.io, channel.k8s.io, base64.channel.k8s.io, "
         "not \"v9\""},
    };
    for (const UpgradeCase& each : cases) {
        const auto made = negotiate_upgrade(upgrade_request(each.headers));
        ASSERT_FALSE(made.ok()) << each.sentence;
        EXPECT_EQ(made.error().code, Code::kBadRequest);
        EXPECT_THAT(made.error().message, testing::HasSubstr(each.told)) << each.sentence;
    }
}

TEST(ParseTerminalSize, TakesOnlySizes) {
    EXPECT_EQ(parse_terminal_size(R"({"Width":80,"Height":24})"), std::pair(80, 24));
    for (const char* bad :
         {"", "{}", "[]", R"({"Width":80})", R"({"Width":0,"Height":24})", R"({"Width":"8","Height":2})",
          R"({"Width":80,"Height":65536})", R"({"Width":80,"Height":-1})", "\xff"})
        EXPECT_EQ(parse_terminal_size(bad), std::nullopt) << bad;
}

TEST(FormatSessionEnd, IsWhatClientsReadAnExitCodeFrom) {
    EXPECT_EQ(format_session_end(0), R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"})");
    EXPECT_EQ(format_session_end(3),
              R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)"
              R"("command terminated with non-zero exit code: exit code 3","reason":"NonZeroExitCode","details":)"
              R"({"causes":[{"reason":"ExitCode","message":"3"}]}})");
    EXPECT_THAT(format_session_end(Error{Code::kIo, "no such program"}),
                testing::HasSubstr(R"("message":"Internal error occurred: no such program","reason":"InternalError")"));
}

}  // namespace remote_command_test
}  // namespace muster::server
