#include "server/rest/streams/pod_sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "os/http/websocket.h"
#include "os/testing/virtual_loop.h"
#include "server/testing/http_talk.h"
#include "server/testing/websocket_talk.h"

namespace muster::server {
namespace pod_sessions_test {

using testing::HasSubstr;

// A command that the test plays.
struct PlayedCommand {
    explicit PlayedCommand(os::Loop& loop) : changed(loop) {}
    os::Event changed;
    std::deque<os::Session::Output> outputs;
    bool takes = true;
    std::optional<int> code;
    bool throws = false;
    std::string input;
    bool input_ended = false;
    std::string size;
    bool dropped = false;

    void say(std::string text, bool is_error = false) {
        os::Session::Output output;
        output.bytes = std::move(text);
        output.is_error = is_error;
        outputs.push_back(std::move(output));
        changed.notify();
    }
    void exit(int with) {
        code = with;
        changed.notify();
    }
    void let_take(bool now) {
        takes = now;
        changed.notify();
    }
};

class PlayedSession final : public os::Session {
public:
    explicit PlayedSession(PlayedCommand& command) : command_(command) {}
    ~PlayedSession() override { command_.dropped = true; }
    os::Task<std::optional<Output>> next() override {
        while (command_.outputs.empty() && !command_.code && !command_.throws) co_await command_.changed.wait();
        if (command_.throws) throw std::bad_alloc();
        if (command_.outputs.empty()) co_return std::optional<Output>();
        Output output = std::move(command_.outputs.front());
        command_.outputs.pop_front();
        co_return std::optional<Output>(std::move(output));
    }
    os::Task<void> write(std::string bytes) override {
        while (!command_.takes) co_await command_.changed.wait();
        command_.input += bytes;
    }
    void end_input() override { command_.input_ended = true; }
    void resize(int columns, int rows) override {
        command_.size = std::to_string(columns) + 'x' + std::to_string(rows);
    }
    Result<int> end() const override { return *command_.code; }

private:
    PlayedCommand& command_;
};

class PodSessionsTest : public testing::Test {
protected:
    void start(Protocol protocol = Protocol::kWebSocketV5, std::optional<Error> problem = {}) {
        os::HttpRequest http;
        Upgrade upgrade;
        upgrade.head.status = 101;
        upgrade.protocol = protocol;
        Result<std::unique_ptr<os::Session>> pod =
            problem ? Result<std::unique_ptr<os::Session>>(*problem)
                    : Result<std::unique_ptr<os::Session>>(std::make_unique<PlayedSession>(command));
        sessions.start(std::move(pod), request, std::move(upgrade), std::make_unique<TalkExchange>(http, talk));
        loop.run_until_idle();
    }
    void send(int first, std::string_view payload) {
        std::string frame(1, static_cast<char>(first));
        frame += static_cast<char>(0x80 | payload.size());
        frame += std::string(4, '\0');
        frame += payload;
        sent += frame.size();
        talk->send(frame);
        loop.run_until_idle();
    }
    void send_data(std::string_view payload) { send(0x82, payload); }
    // "1:hello 3:{…} close 1000": what the client has got since the last call.
    std::string got() {
        std::string told;
        const std::string text = talk->take();
        for (std::size_t at = 0; at < text.size();) {
            const int opcode = text[at] & 0x0f;
            std::size_t size = static_cast<unsigned char>(text[at + 1]);
            at += 2;
            if (size == 126) {
                size = static_cast<std::size_t>(static_cast<unsigned char>(text[at]) << 8 |
                                                static_cast<unsigned char>(text[at + 1]));
                at += 2;
            }
            const std::string payload = text.substr(at, size);
            at += size;
            told += told.empty() ? "" : " ";
            if (opcode == 8) {
                told += "close " + std::to_string(static_cast<unsigned char>(payload[0]) * 256 +
                                                  static_cast<unsigned char>(payload[1]));
            } else if (opcode == 10) {
                told += "pong " + payload;
            } else {
                told += std::to_string(payload[0]) + ':' + payload.substr(1);
            }
        }
        return told;
    }

    os::VirtualLoop loop;
    PlayedCommand command{loop};
    client::SessionRequest request{.command = {"sh"}, .input = true, .output = true, .errors = true};
    std::shared_ptr<HttpTalk> talk = std::make_shared<HttpTalk>();
    std::size_t sent = 0;
    PodSessions sessions{loop, [] {
                             PodSessionLimits limits;
                             limits.settling_time = Duration(0);
                             return limits;
                         }()};
};

TEST_F(PodSessionsTest, AnExceptionCostsThatSessionOnly) {
    start();
    command.throws = true;
    command.changed.notify();
    loop.run_until_idle();
    EXPECT_THAT(got(), HasSubstr("close 1011"));
    EXPECT_TRUE(command.dropped);
    EXPECT_EQ(sessions.count(), 0u);
}

TEST_F(PodSessionsTest, AnExceptionWhileTheClientIsToldCutsThatSession) {
    start();
    talk->breaks = true;
    command.throws = true;
    command.changed.notify();
    loop.run_until_idle();
    EXPECT_TRUE(talk->cut);
    EXPECT_TRUE(command.dropped);
    EXPECT_EQ(sessions.count(), 0u);
}

TEST_F(PodSessionsTest, CarriesOutputErrorsAndTheExitCode) {
    start();
    EXPECT_EQ(talk->status, 101);
    command.say("out");
    command.say("err", true);
    loop.run_until_idle();
    EXPECT_EQ(got(), "1:out 2:err");
    command.exit(3);
    loop.run_until_idle();
    EXPECT_THAT(got(), testing::AllOf(HasSubstr("3:{"), HasSubstr(R"("message":"3")"), HasSubstr("close 1000")));
    EXPECT_TRUE(talk->finished);
    EXPECT_TRUE(command.dropped);
    EXPECT_EQ(sessions.count(), 0u);
}

TEST_F(PodSessionsTest, SaysOverTheConnectionWhatCouldNotBeRun) {
    start(Protocol::kWebSocketV5, Error{Code::kIo, "executable file not found"});
    EXPECT_THAT(got(), HasSubstr("Internal error occurred: executable file not found"));
    EXPECT_TRUE(talk->finished);
    EXPECT_EQ(sessions.count(), 0u);
}

TEST_F(PodSessionsTest, CarriesInputAndItsEnd) {
    start();
    send_data(std::string("\0hello", 6));
    EXPECT_EQ(command.input, "hello");
    EXPECT_FALSE(command.input_ended);
    send_data(std::string("\xff\0", 2));
    EXPECT_TRUE(command.input_ended);
    send_data(std::string("\0late", 5));
    EXPECT_EQ(command.input, "hello");
    EXPECT_EQ(talk->took, sent);
}

TEST_F(PodSessionsTest, InV4ThereIsNoEndOfInputAndAFirstMessage) {
    start(Protocol::kWebSocketV4);
    EXPECT_EQ(got(), "1:");
    send_data(std::string("\xff\0", 2));
    EXPECT_FALSE(command.input_ended);
}

TEST_F(PodSessionsTest, TheFirstMessageIsOnAChannelThatTheClientReads) {
    request.output = false;
    start(Protocol::kWebSocketV4);
    EXPECT_EQ(got(), "2:");
}

TEST_F(PodSessionsTest, BeforeV4TheStatusIsASentenceAndOnlyOfAFailure) {
    start(Protocol::kWebSocketV1);
    command.exit(3);
    loop.run_until_idle();
    EXPECT_EQ(got(), "1: 3:command terminated with non-zero exit code: exit code 3 close 1000");
}

TEST_F(PodSessionsTest, BeforeV4ASuccessIsNotTold) {
    start(Protocol::kWebSocketV1);
    command.exit(0);
    loop.run_until_idle();
    EXPECT_EQ(got(), "1: close 1000");
}

TEST_F(PodSessionsTest, InBase64ChannelsAreDigits) {
    start(Protocol::kWebSocketV4Base64);
    send(0x81, "0aGVsbG8=");
    EXPECT_EQ(command.input, "hello");
    EXPECT_EQ(talk->took, sent);
    command.say("hello");
    loop.run_until_idle();
    EXPECT_EQ(describe_frames(talk->take()), "text:1 | text:1aGVsbG8=");
}

TEST_F(PodSessionsTest, WhatTheCommandDoesNotTakeIsNotReadFromTheClient) {
    start();
    command.let_take(false);
    send_data(std::string("\0hello", 6));
    send_data(std::string("\0more", 5));
    EXPECT_EQ(sent - talk->took, 9u);
    command.let_take(true);
    loop.run_until_idle();
    EXPECT_EQ(command.input, "hellomore");
    EXPECT_EQ(talk->took, sent);
}

TEST_F(PodSessionsTest, WhatTheClientDoesNotTakeIsNotReadFromTheCommand) {
    start();
    talk->reads = false;
    for (int i = 0; i < 100; ++i) command.say(std::string(60000, 'x'));
    loop.run_for(1s);
    EXPECT_GT(command.outputs.size(), 90u);
    talk->reads = true;
    talk->unsent = 0;
    loop.run_for(1s);
    EXPECT_TRUE(command.outputs.empty());
}

TEST_F(PodSessionsTest, ResizesATerminal) {
    request.terminal = true;
    start();
    send_data("\x04{\"Width\":80,\"Height\":24}");
    EXPECT_EQ(command.size, "80x24");
    send_data("\x04{\"Width\":0}");
    EXPECT_EQ(command.size, "80x24");
}

TEST_F(PodSessionsTest, AnswersPings) {
    start();
    send(0x89, "there?");
    EXPECT_EQ(got(), "pong there?");
}

TEST_F(PodSessionsTest, ACommandWhoseClientIsGoneReadsWhatWasSentAndThenTheEnd) {
    for (const bool says_goodbye : {true, false}) {
        SCOPED_TRACE(says_goodbye);
        command.input.clear();
        command.input_ended = command.dropped = false;
        command.code.reset();
        talk = std::make_shared<HttpTalk>();
        start();
        command.let_take(false);
        talk->send(client_frame(0x82, std::string("\0last words", 11)));
        says_goodbye ? talk->send(client_frame(0x88, "\x03\xe8")) : talk->leave();
        loop.run_until_idle();
        EXPECT_FALSE(command.dropped);
        command.let_take(true);
        loop.run_until_idle();
        EXPECT_EQ(command.input, "last words");
        EXPECT_TRUE(command.input_ended);
        EXPECT_FALSE(command.dropped);
        command.say("not read");
        command.exit(0);
        loop.run_until_idle();
        EXPECT_TRUE(command.dropped);
        EXPECT_EQ(sessions.count(), 0u);
        EXPECT_EQ(got(), "close 1000");
    }
}

TEST_F(PodSessionsTest, ACommandWhoseClientIsGoneIsKilledAfterAGracePeriod) {
    start();
    talk->leave();
    loop.run_for(29s);
    EXPECT_FALSE(command.dropped);
    loop.run_for(1s);
    EXPECT_TRUE(command.dropped);
    EXPECT_EQ(sessions.count(), 0u);
}

TEST_F(PodSessionsTest, ACommandWithoutInputEndsWithItsClient) {
    request.input = false;
    start();
    talk->leave();
    loop.run_until_idle();
    EXPECT_TRUE(command.dropped);
    EXPECT_EQ(sessions.count(), 0u);
}

TEST_F(PodSessionsTest, AnAttachedClientThatLeavesIsForgottenWhenItsInputIsDelivered) {
    request.command.clear();
    start();
    command.let_take(false);
    send_data(std::string("\0hello", 6));
    send(0x88, "\x03\xe8");
    EXPECT_EQ(sessions.count(), 1u);
    command.let_take(true);
    loop.run_until_idle();
    EXPECT_EQ(command.input, "hello");
    EXPECT_EQ(sessions.count(), 0u);
}

TEST_F(PodSessionsTest, AnAttachedClientThatSendsNothingIsForgottenAtOnce) {
    request.command.clear();
    request.input = false;
    start();
    talk->leave();
    loop.run_until_idle();
    EXPECT_EQ(sessions.count(), 0u);
}

TEST_F(PodSessionsTest, BadFramesEndTheSession) {
    start();
    talk->send("GET / HTTP/1.1\r\n\r\n");
    loop.run_until_idle();
    EXPECT_EQ(got(), "close 1002");
    EXPECT_TRUE(command.dropped);
    talk->send("more");
    loop.run_until_idle();
}

TEST_F(PodSessionsTest, LargeMessagesEndTheSession) {
    start();
    talk->send(std::string("\x82\xff\0\0\0\0\0\x20\0\0", 10) + "abcd");
    loop.run_until_idle();
    EXPECT_EQ(got(), "close 1009");
    EXPECT_TRUE(command.dropped);
}

TEST_F(PodSessionsTest, UnknownChannelsAreLeftOut) {
    start();
    send_data("");
    send_data("\x07what");
    send_data("\x01me?");
    EXPECT_EQ(got(), "");
    EXPECT_EQ(command.input, "");
    EXPECT_EQ(sessions.count(), 1u);
    EXPECT_EQ(talk->took, sent);
}

TEST_F(PodSessionsTest, SaysNothingBeforeAClientHasMadeItsStreams) {
    PodSessions settling(loop);
    Upgrade upgrade;
    upgrade.head.status = 101;
    settling.start(Result<std::unique_ptr<os::Session>>(std::make_unique<PlayedSession>(command)), request, upgrade,
                   std::make_unique<TalkExchange>(os::HttpRequest(), talk));
    command.say("early");
    loop.run_until_idle();
    EXPECT_EQ(got(), "");
    loop.run_for(30ms);
    EXPECT_EQ(got(), "1:early");
}

TEST_F(PodSessionsTest, ThereIsALimit) {
    PodSessionLimits limits;
    limits.sessions_max = 0;
    const PodSessions full(loop, limits);
    EXPECT_EQ(full.check_room().error().code, Code::kTooManyRequests);
    EXPECT_TRUE(sessions.check_room().ok());
}

}  // namespace pod_sessions_test
}  // namespace muster::server
