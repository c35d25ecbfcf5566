#include "os/http/websocket.h"

#include <gtest/gtest.h>

#include "base/prng.h"

namespace muster::os {
namespace websocket_test {

using Opcode = WebSocketOpcode;

// As a client sends it.
std::string masked(int first, std::string_view payload, std::string_view mask = "abcd") {
    std::string frame(1, static_cast<char>(first));
    if (payload.size() <= 125) {
        frame += static_cast<char>(0x80 | payload.size());
    } else if (payload.size() <= 0xffff) {
        frame += static_cast<char>(0x80 | 126);
        frame += static_cast<char>(payload.size() >> 8);
        frame += static_cast<char>(payload.size() & 0xff);
    } else {
        frame += static_cast<char>(0x80 | 127);
        for (int shift = 56; shift >= 0; shift -= 8) frame += static_cast<char>(payload.size() >> shift & 0xff);
    }
    frame += mask;
    for (std::size_t i = 0; i < payload.size(); ++i) frame += static_cast<char>(payload[i] ^ mask[i % 4]);
    return frame;
}

// "2:hello" for each message, then the error.
std::string read_in_pieces(std::string_view bytes, std::size_t size, std::size_t max = 1000000) {
    WebSocketReader reader(max);
    std::string told;
    while (!bytes.empty()) {
        std::vector<WebSocketMessage> messages;
        const Result<> added = reader.add(bytes.substr(0, size), messages);
        for (const WebSocketMessage& each : messages)
            told += std::to_string(static_cast<int>(each.opcode)) + ':' + each.payload + ' ';
        if (!added.ok()) return told + std::string(name_of(added.error().code)) + ": " + added.error().message;
        bytes.remove_prefix(std::min(size, bytes.size()));
    }
    return told;
}

struct FrameCase {
    const char* sentence;
    std::string bytes;
    std::string told;
};

TEST(WebSocketReader, MakesMessagesOfFramesHoweverTheyAreCut) {
    const std::string medium(126, 'm');
    const std::string large(70000, 'l');
    const FrameCase cases[] = {
        {"a binary message", masked(0x82, "hello"), "2:hello "},
        {"a text message", masked(0x81, "hello"), "1:hello "},
        {"an empty one", masked(0x82, ""), "2: "},
        {"a length of two bytes", masked(0x82, medium), "2:" + medium + ' '},
        {"a length of eight bytes", masked(0x82, large), "2:" + large + ' '},
        {"two in one piece", masked(0x82, "a") + masked(0x82, "b"), "2:a 2:b "},
        {"a message in three frames", masked(0x02, "a") + masked(0x00, "b") + masked(0x80, "c"), "2:abc "},
        {"a ping between two frames", masked(0x02, "a") + masked(0x89, "p") + masked(0x80, "b"), "9:p 2:ab "},
        {"a pong", masked(0x8a, ""), "10: "},
        {"nothing after a close", masked(0x88, "\x03\xe8") + masked(0x82, "x") + "junk", "8:\x03\xe8 "},
        {"an incomplete frame", masked(0x82, "hello").substr(0, 7), ""},
    };
    for (const FrameCase& each : cases)
        for (const std::size_t size : {std::size_t{1}, std::size_t{3}, std::size_t{1024}, each.bytes.size()})
            EXPECT_EQ(read_in_pieces(each.bytes, size), each.told) << each.sentence << " in pieces of " << size;
}

TEST(WebSocketReader, RefusesWhatIsNone) {
    const std::string half_length(
        "\x82\xfe\x00\x7d"
        "abcd",
        8);
    const std::string large_length(
        "\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff"
        "abcd",
        14);
    const FrameCase cases[] = {
        {"a frame without a mask", "\x82\x01x", "bad request: a client's frame is not masked"},
        {"a reserved bit", masked(0xc2, "x"), "bad request: a frame uses an extension that was not agreed upon"},
        {"an unknown opcode", masked(0x83, "x"), "bad request: a frame has an unknown opcode"},
        {"an unknown control opcode", masked(0x8b, "x"), "bad request: a frame has an unknown opcode"},
        {"a long ping", masked(0x89, std::string(126, 'x')), "bad request: a control frame is too long"},
        {"a ping in pieces", masked(0x09, "x"), "bad request: a control frame is in pieces"},
        {"half a close code", masked(0x88, "x"), "bad request: a close frame has half a code"},
        {"a continuation of nothing", masked(0x80, "x"),
         "bad request: a frame goes on with a message that has not begun"},
        {"a message within another", masked(0x02, "x") + masked(0x82, "y"),
         "bad request: a message begins before the last has ended"},
        {"a length that is too long", half_length, "bad request: a frame's length is not told in the shortest way"},
        {"more than is allowed", large_length, "too large: a message has more than 10 bytes"},
        {"more than is allowed, in pieces", masked(0x02, "123456") + masked(0x80, "12345"),
         "too large: a message has more than 10 bytes"},
    };
    for (const FrameCase& each : cases)
        for (const std::size_t size : {std::size_t{1}, each.bytes.size()})
            EXPECT_EQ(read_in_pieces(each.bytes, size, 10), each.told) << each.sentence << " in pieces of " << size;
}

TEST(WebSocketReader, SurvivesAnyBytes) {
    Prng random(7);
    for (int round = 0; round < 2000; ++round) {
        std::string bytes = masked(0x82, "hello") + masked(0x02, "a") + masked(0x89, "p") + masked(0x80, "b");
        for (int change = 0; change < 3; ++change)
            bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
        const std::string whole = read_in_pieces(bytes, bytes.size(), 4096);
        EXPECT_EQ(read_in_pieces(bytes, 1, 4096), whole);
    }
}

TEST(WebSocketFrame, IsWhatAClientReads) {
    EXPECT_EQ(websocket_frame(Opcode::kBinary, "hi"), "\x82\x02hi");
    EXPECT_EQ(websocket_frame(Opcode::kText, std::string(126, 'x')).substr(0, 4), std::string("\x81\x7e\x00\x7e", 4));
    EXPECT_EQ(websocket_frame(Opcode::kBinary, std::string(65536, 'x')).substr(0, 10),
              std::string("\x82\x7f\x00\x00\x00\x00\x00\x01\x00\x00", 10));
    EXPECT_EQ(websocket_close_frame(WebSocketClose::kNormal, "bye"),
              "\x88\x05\x03\xe8"
              "bye");
    EXPECT_LE(websocket_close_frame(WebSocketClose::kProtocolError, std::string(500, 'x')).size(), 127u);
}

TEST(WebSocketAccept, AnswersAKey) {
    // The example of RFC 6455.
    EXPECT_EQ(websocket_accept("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    EXPECT_EQ(websocket_accept("short"), std::nullopt);
    EXPECT_EQ(websocket_accept(""), std::nullopt);
}

}  // namespace websocket_test
}  // namespace muster::os
