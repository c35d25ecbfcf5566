#include "server/rest/streams/channel_messages.h"

#include <gtest/gtest.h>

#include "server/testing/websocket_talk.h"

namespace muster::server {
namespace channel_messages_test {

std::string describe(const std::vector<ChannelMessage>& messages) {
    std::string told;
    for (const ChannelMessage& message : messages) {
        told += told.empty() ? "" : " ";
        switch (message.kind) {
            case ChannelMessage::Kind::kData: told += std::to_string(message.channel) + ':' + message.bytes; break;
            case ChannelMessage::Kind::kEnd: told += "end " + std::to_string(message.channel); break;
            case ChannelMessage::Kind::kAnswer: told += describe_frames(message.bytes); break;
            case ChannelMessage::Kind::kLeft: told += "left"; break;
        }
    }
    return told;
}

struct ReceiveCase {
    const char* sentence;
    Protocol protocol;
    std::string sent;
    const char* read;
};

TEST(ChannelMessages, AreReadAsTheProtocolSays) {
    const std::string input = std::string("\0hello", 6);
    const std::string close = std::string("\xff\0", 2);
    const ReceiveCase cases[] = {
        {"the first byte is the channel", Protocol::kWebSocketV4, client_frame(0x82, input), "0:hello"},
        {"text is read as binary is", Protocol::kWebSocketV1, client_frame(0x81, input), "0:hello"},
        {"v5 closes channels", Protocol::kWebSocketV5, client_frame(0x82, close), "end 0"},
        {"v4 does not", Protocol::kWebSocketV4, client_frame(0x82, close), ""},
        {"closing names one channel", Protocol::kWebSocketV5, client_frame(0x82, "\xff"), ""},
        {"in base64 the channel is a digit", Protocol::kWebSocketV4Base64, client_frame(0x81, "0aGVsbG8="), "0:hello"},
        {"base64 in a binary message", Protocol::kWebSocketV1Base64, client_frame(0x82, "4aGVsbG8="), "4:hello"},
        {"what is not base64 is left out", Protocol::kWebSocketV1Base64,
         client_frame(0x81, "0a!") + client_frame(0x81, "0aGk="), "0:hi"},
        {"an empty message", Protocol::kWebSocketV4, client_frame(0x82, ""), ""},
        {"a ping is answered", Protocol::kWebSocketV4, client_frame(0x89, "there?"), "pong:there?"},
        {"a goodbye", Protocol::kWebSocketV4Base64, client_frame(0x88, "\x03\xe8"), "left"},
    };
    for (const ReceiveCase& each : cases) {
        ChannelMessages messages(each.protocol, 1000);
        std::vector<ChannelMessage> read;
        EXPECT_TRUE(messages.receive(each.sent, read).ok()) << each.sentence;
        EXPECT_EQ(describe(read), each.read) << each.sentence;
    }
}

TEST(ChannelMessages, AreWrittenAsTheProtocolSays) {
    EXPECT_EQ(describe_frames(ChannelMessages(Protocol::kWebSocketV5, 9).send(2, "oh")), "binary:\x02oh");
    EXPECT_EQ(describe_frames(ChannelMessages(Protocol::kWebSocketV1, 9).send(1, "oh")), "binary:\x01oh");
    EXPECT_EQ(describe_frames(ChannelMessages(Protocol::kWebSocketV4Base64, 9).send(1, "oh")), "text:1b2g=");
    EXPECT_EQ(describe_frames(ChannelMessages(Protocol::kWebSocketV1Base64, 9).send(3, "")), "text:3");
    EXPECT_EQ(describe_frames(ChannelMessages::finish({})), "close:1000");
    EXPECT_EQ(describe_frames(ChannelMessages::finish(Error{Code::kTooLarge, "much"})), "close:1009");
}

}  // namespace channel_messages_test
}  // namespace muster::server
