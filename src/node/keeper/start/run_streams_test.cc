#include "node/keeper/start/run_streams.h"

#include <gtest/gtest.h>

#include "os/loop/real_loop.h"
#include "os/process/terminal.h"

namespace muster::node {
namespace run_streams_test {

using Kind = StreamMessage::Kind;

class RunStreamsTest : public ::testing::Test {
protected:
    void hold(os::Descriptor ours, bool terminal) {
        streams_ = std::make_unique<RunStreams>(
            loop_, RunKey{"u", "c", 0}, std::move(ours), terminal, [this](std::string_view data) { log_ += data; },
            [this](const StreamMessage& message) {
                if (message.kind == Kind::kTaken) taken_ += message.first;
                if (message.kind == Kind::kOutput) output_ += message.bytes;
            });
    }
    void say(Kind kind, std::string bytes = "", int first = 0, int second = 0) {
        StreamMessage message;
        message.kind = kind;
        message.bytes = std::move(bytes);
        message.first = first;
        message.second = second;
        streams_->on_message(message);
    }
    // Turns the loop until it holds.
    void until(const std::function<bool()>& done) {
        const Duration give_up = loop_.uptime() + 10s;
        while (!done() && loop_.uptime() < give_up) {
            loop_.after(1ms, [this] { loop_.stop(); });
            loop_.run();
        }
        EXPECT_TRUE(done());
    }

    os::RealLoop loop_;
    std::unique_ptr<RunStreams> streams_;
    std::string log_;
    std::string output_;
    std::int64_t taken_ = 0;
};

TEST_F(RunStreamsTest, InputWaitsUntilItIsTakenAndThenEnds) {
    os::Pipe pipe = os::make_pipe().value();
    hold(std::move(pipe.write), false);
    os::PipeEnd theirs(loop_, std::move(pipe.read), [] {});
    const std::string large(300000, 'x');
    say(Kind::kInput, large);
    say(Kind::kInput, "end");
    say(Kind::kEndInput);
    EXPECT_EQ(taken_, 0);
    std::string read;
    bool ended = false;
    until([&] {
        ended = ended || !theirs.read(read, 65536);
        return ended;
    });
    EXPECT_EQ(read, large + "end");
    EXPECT_EQ(taken_, 300003);
    say(Kind::kInput, "late");
    EXPECT_EQ(taken_, 300007);
}

TEST_F(RunStreamsTest, InputWithoutAReaderCountsAsTaken) {
    os::Pipe pipe = os::make_pipe().value();
    hold(std::move(pipe.write), false);
    pipe.read.close();
    say(Kind::kInput, "x");
    EXPECT_EQ(taken_, 1);
}

TEST_F(RunStreamsTest, OutputOfATerminalGoesToTheLogAndToAttachedClients) {
    os::TerminalPair pair = os::open_terminal().value();
    hold(std::move(pair.ours), true);
    os::PipeEnd theirs(loop_, std::move(pair.theirs), [] {});
    theirs.write("before ");
    until([&] { return log_ == "before "; });
    say(Kind::kAttach);
    theirs.write("during ");
    until([&] { return output_ == "during "; });
    say(Kind::kDetach);
    theirs.write("after");
    until([&] { return log_ == "before during after"; });
    EXPECT_EQ(output_, "during ");
    say(Kind::kInput, "typed\n");
    std::string read;
    until([&] {
        theirs.read(read, 100);
        return read == "typed\n";
    });
    say(Kind::kResize, "", 80, 24);
}

}  // namespace run_streams_test
}  // namespace muster::node
