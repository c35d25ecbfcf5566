#include "server/rest/streams/log_streams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "os/testing/virtual_loop.h"
#include "server/testing/http_talk.h"
#include "server/testing/websocket_talk.h"

namespace muster::server {
namespace log_streams_test {

// A log that the test writes.
struct WrittenLog {
    explicit WrittenLog(os::Loop& loop) : changed(loop) {}
    os::Event changed;
    std::deque<std::string> parts;
    bool ended = false;
    bool breaks = false;
    bool throws = false;
    std::optional<Error> missing;
    bool dropped = false;
    void write(std::string part) {
        parts.push_back(std::move(part));
        changed.notify();
    }
};

class WrittenSource final : public client::LogStream {
public:
    explicit WrittenSource(WrittenLog& log) : log_(log) {}
    ~WrittenSource() override { log_.dropped = true; }
    os::Task<Result<>> open() override {
        if (log_.throws && log_.parts.empty()) throw std::bad_alloc();
        if (log_.missing) co_return *log_.missing;
        co_return Result<>();
    }
    os::Task<Result<std::optional<std::string>>> next() override {
        while (log_.parts.empty() && !log_.ended) co_await log_.changed.wait();
        if (log_.parts.empty() && log_.throws) throw std::bad_alloc();
        if (log_.parts.empty() && log_.breaks) co_return Error{Code::kIo, "broken"};
        if (log_.parts.empty()) co_return std::optional<std::string>();
        std::string part = std::move(log_.parts.front());
        log_.parts.pop_front();
        co_return std::optional<std::string>(std::move(part));
    }

private:
    WrittenLog& log_;
};

class LogStreamsTest : public testing::Test {
protected:
    void start(LogStreams& in) {
        in.start(std::make_unique<WrittenSource>(log), std::make_unique<TalkExchange>(os::HttpRequest(), talk));
        loop.run_until_idle();
    }
    void end() {
        log.ended = true;
        log.changed.notify();
        loop.run_until_idle();
    }

    os::VirtualLoop loop;
    WrittenLog log{loop};
    std::shared_ptr<HttpTalk> talk = std::make_shared<HttpTalk>();
    LogStreams streams{loop};
};

TEST_F(LogStreamsTest, SendsTheHeadAtOnceAndLinesAsTheyCome) {
    start(streams);
    EXPECT_EQ(talk->status, 200);
    EXPECT_EQ(talk->header("Content-Type"), "text/plain");
    log.write("one\n");
    loop.run_until_idle();
    EXPECT_EQ(talk->take(), "one\n");
    end();
    EXPECT_TRUE(talk->finished);
    EXPECT_TRUE(log.dropped);
    EXPECT_EQ(streams.count(), 0u);
}

TEST_F(LogStreamsTest, SaysWhyALogCannotBeRead) {
    log.missing = Error{Code::kIo, "cannot open it"};
    start(streams);
    EXPECT_EQ(talk->status, 500);
    EXPECT_THAT(talk->body, testing::HasSubstr("cannot open it"));
    EXPECT_EQ(streams.count(), 0u);
}

TEST_F(LogStreamsTest, ALogThatBreaksIsCutSoThatItDoesNotLookComplete) {
    start(streams);
    log.write("one\n");
    log.breaks = true;
    end();
    EXPECT_EQ(talk->take(), "one\n");
    EXPECT_FALSE(talk->finished);
    EXPECT_TRUE(talk->cut);
}

TEST_F(LogStreamsTest, AnExceptionCostsThatLogOnly) {
    log.throws = true;
    start(streams);
    EXPECT_EQ(talk->status, 500) << "before the first byte it is told";
    EXPECT_EQ(streams.count(), 0u);
    talk = std::make_shared<HttpTalk>();
    log.write("one\n");
    start(streams);
    end();
    EXPECT_EQ(talk->take(), "one\n");
    EXPECT_TRUE(talk->cut) << "later it is cut";
    EXPECT_EQ(streams.count(), 0u);
}

TEST_F(LogStreamsTest, WhileAllKeepTooMuchAClientThatIsBehindGetsNoMore) {
    const auto budget = std::make_shared<os::ByteBudget>(os::BudgetLimits{.total = 1000});
    LogStreams crowded(loop, {}, budget);
    start(crowded);
    talk->reads = false;
    for (int i = 0; i < 20; ++i) log.write(std::string(600, 'x'));
    loop.run_for(10s);
    EXPECT_EQ(log.parts.size(), 18u) << "two are kept, and they are too much";
    EXPECT_EQ(budget->used(), 1200u);
    talk->chunks.clear();
    talk->reads = true;
    talk->unsent = 0;
    loop.run_for(1s);
    EXPECT_TRUE(log.parts.empty());
}

TEST_F(LogStreamsTest, AClientThatGoesAwayFreesEverything) {
    start(streams);
    talk->leave();
    loop.run_until_idle();
    EXPECT_TRUE(log.dropped);
    EXPECT_EQ(streams.count(), 0u);
    EXPECT_EQ(loop.timers(), 0u);
}

TEST_F(LogStreamsTest, AClientThatDoesNotReadIsWaitedFor) {
    start(streams);
    talk->reads = false;
    for (int i = 0; i < 100; ++i) log.write(std::string(100000, 'x'));
    loop.run_for(10s);
    EXPECT_GT(log.parts.size(), 80u);
    talk->reads = true;
    talk->unsent = 0;
    loop.run_for(1s);
    EXPECT_TRUE(log.parts.empty());
}

TEST_F(LogStreamsTest, AThousandFollowersCostNothingWhileNothingHappens) {
    std::vector<std::shared_ptr<HttpTalk>> talks;
    for (int i = 0; i < 1000; ++i) {
        talk = talks.emplace_back(std::make_shared<HttpTalk>());
        start(streams);
    }
    EXPECT_EQ(streams.count(), 1000u);
    EXPECT_EQ(loop.timers(), 0u);
    end();
    EXPECT_EQ(streams.count(), 0u);
    for (const auto& each : talks) EXPECT_TRUE(each->finished);
}

TEST_F(LogStreamsTest, ThereIsALimit) {
    LogStreamLimits limits;
    limits.streams_max = 0;
    LogStreams full(loop, limits);
    start(full);
    EXPECT_EQ(talk->status, 429);
    EXPECT_EQ(talk->header("Retry-After"), "1");
}

TEST_F(LogStreamsTest, OverAWebSocketPartsAreMessages) {
    for (const Protocol protocol : {Protocol::kBytes, Protocol::kBytesBase64}) {
        LogStreams those(loop);
        WrittenLog said(loop);
        auto client = std::make_shared<HttpTalk>();
        Upgrade upgrade;
        upgrade.head.status = 101;
        upgrade.protocol = protocol;
        those.start(std::make_unique<WrittenSource>(said), std::make_unique<TalkExchange>(os::HttpRequest(), client),
                    upgrade);
        said.write("hello");
        loop.run_until_idle();
        EXPECT_EQ(client->status, 101);
        said.ended = true;
        said.changed.notify();
        loop.run_until_idle();
        EXPECT_EQ(describe_frames(client->take()), protocol == Protocol::kBytes ? "binary: | binary:hello | close:1000"
                                                                                : "text: | text:aGVsbG8= | close:1000");
        EXPECT_EQ(those.count(), 0u);
    }
}

TEST_F(LogStreamsTest, AWebSocketThatIsClosedEndsTheReading) {
    Upgrade upgrade;
    upgrade.protocol = Protocol::kBytes;
    streams.start(std::make_unique<WrittenSource>(log), std::make_unique<TalkExchange>(os::HttpRequest(), talk),
                  upgrade);
    loop.run_until_idle();
    talk->send(client_frame(0x88, "\x03\xe8"));
    loop.run_until_idle();
    EXPECT_TRUE(log.dropped);
    EXPECT_EQ(streams.count(), 0u);
}

TEST_F(LogStreamsTest, AnEmptyLogOverAWebSocketEndsAtOnce) {
    Upgrade upgrade;
    upgrade.protocol = Protocol::kBytes;
    streams.start(nullptr, std::make_unique<TalkExchange>(os::HttpRequest(), talk), upgrade);
    loop.run_until_idle();
    EXPECT_EQ(describe_frames(talk->take()), "binary: | close:1000");
}

}  // namespace log_streams_test
}  // namespace muster::server
