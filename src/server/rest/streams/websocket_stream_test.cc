#include "server/rest/streams/websocket_stream.h"

#include <gtest/gtest.h>

#include "os/testing/virtual_loop.h"
#include "server/testing/http_talk.h"
#include "server/testing/websocket_talk.h"

namespace muster::server {
namespace websocket_stream_test {

struct FrameCase {
    const char* sentence;
    MessageForm form;
    std::string chunk;
    std::string frames;
};

TEST(FrameChunk, MakesOneMessageOfEachEvent) {
    const std::string large(100'000, 'x');
    const FrameCase cases[] = {
        {"lines keep their ends", MessageForm::kLines, "{1}\n{2}\n", "text:{1}\n | text:{2}\n"},
        {"one line", MessageForm::kLines, "{1}\n", "text:{1}\n"},
        {"a large line is one message", MessageForm::kLines, large + "\n", "text:" + large + "\n"},
        {"sized messages lose their sizes", MessageForm::kSized, std::string("\0\0\0\2ab\0\0\0\1c", 11),
         "binary:ab | binary:c"},
        {"bytes go as they come", MessageForm::kPieces, "two\nlines\n", "binary:two\nlines\n"},
        {"bytes in base64", MessageForm::kPiecesBase64, "hello", "text:aGVsbG8="},
        {"nothing", MessageForm::kLines, "", ""},
    };
    for (const FrameCase& each : cases)
        EXPECT_EQ(describe_frames(frame_chunk(each.form, each.chunk)), each.frames) << each.sentence;
    EXPECT_EQ(server_frames(frame_chunk(MessageForm::kPieces, large)).size(), 4u);
}

struct WebSocketStreamTest : testing::Test {
    void open(MessageForm form) {
        TalkExchange exchange(os::HttpRequest(), talk);
        Upgrade upgrade;
        upgrade.head.status = 101;
        stream = stream_messages(
            loop, exchange, std::move(upgrade), form, [this] { ++left; }, budget);
    }
    void send(int first, std::string_view payload) {
        talk->send(client_frame(first, payload));
        loop.run_until_idle();
    }
    std::shared_ptr<os::ByteBudget> budget = std::make_shared<os::ByteBudget>();
    os::VirtualLoop loop;
    std::shared_ptr<HttpTalk> talk = std::make_shared<HttpTalk>();
    std::unique_ptr<os::HttpStream> stream;
    int left = 0;
};

TEST_F(WebSocketStreamTest, SendsMessagesAndAGoodbye) {
    open(MessageForm::kLines);
    EXPECT_EQ(talk->status, 101);
    stream->write(std::make_shared<const std::string>("{1}\n{2}\n"));
    stream->finish();
    EXPECT_EQ(describe_frames(talk->take()), "text:{1}\n | text:{2}\n | close:1000");
    EXPECT_TRUE(talk->finished);
    EXPECT_EQ(left, 0);
}

TEST_F(WebSocketStreamTest, ALogBeginsWithAnEmptyMessage) {
    open(MessageForm::kPiecesBase64);
    EXPECT_EQ(describe_frames(talk->take()), "text:");
}

TEST_F(WebSocketStreamTest, AnswersPingsAndIgnoresOtherMessages) {
    open(MessageForm::kLines);
    send(0x81, "what a client says");
    send(0x89, "there?");
    EXPECT_EQ(describe_frames(talk->take()), "pong:there?");
    EXPECT_EQ(talk->took, client_frame(0x81, "what a client says").size() + client_frame(0x89, "there?").size());
    EXPECT_EQ(left, 0);
}

TEST_F(WebSocketStreamTest, WhatIsNotTakenCountsInTheBudget) {
    open(MessageForm::kLines);
    stream->write(std::make_shared<const std::string>("{1}\n"));
    EXPECT_GE(budget->used(), 4u);
    talk->chunks.clear();
    EXPECT_EQ(budget->used(), 0u);
}

TEST_F(WebSocketStreamTest, AClientThatSaysGoodbyeIsAnsweredAndTold) {
    open(MessageForm::kLines);
    send(0x88, "\x03\xe8");
    EXPECT_EQ(describe_frames(talk->take()), "close:1000");
    EXPECT_EQ(left, 1);
    stream->write(std::make_shared<const std::string>("{1}\n"));
    EXPECT_EQ(talk->take(), "");
}

TEST_F(WebSocketStreamTest, WhatIsNoWebSocketEndsIt) {
    open(MessageForm::kLines);
    talk->send("GET / HTTP/1.1\r\n\r\n");
    loop.run_until_idle();
    EXPECT_EQ(left, 1);
    EXPECT_TRUE(talk->finished);
}

TEST_F(WebSocketStreamTest, DestroyedItCutsTheConnectionAndHearsNoMore) {
    open(MessageForm::kLines);
    talk->send(client_frame(0x88, "\x03\xe8"));
    stream.reset();
    loop.run_until_idle();
    EXPECT_TRUE(talk->cut);
    EXPECT_EQ(left, 0);
}

}  // namespace websocket_stream_test
}  // namespace muster::server
