#include "os/network/linux_network.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::os {
namespace linux_network_test {

TEST(Address, ReadsAndWritesHostAndPort) {
    for (const char* text : {"127.0.0.1:8080", "0.0.0.0:0", "[::1]:443", "[fe80::1]:65535"}) {
        const auto address = parse_address(text);
        ASSERT_TRUE(address.ok()) << text;
        EXPECT_EQ(format_address(*address), text);
    }
    EXPECT_EQ(*parse_address("[::1]:443"), (Address{"::1", 443}));
}

TEST(Address, RefusesWhatIsNotNumeric) {
    for (const char* text : {"", ":", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
                             "127.0.0.1:80x", "localhost:80", "::1:80", "[127.0.0.1]:80", "[]:80", "1.2.3:80"})
        EXPECT_EQ(parse_address(text).error().code, Code::kBadRequest) << text;
}

Task<Result<std::string>> read_all(Stream& stream) {
    std::string all;
    char buffer[4096];
    for (;;) {
        CO_TRY_ASSIGN(const std::size_t count, co_await stream.read(buffer));
        if (count == 0) co_return all;
        all.append(buffer, count);
    }
}

// Sends back what it reads, until it has read all.
Task<void> echo(std::unique_ptr<Stream> stream) {
    char buffer[10'000];
    for (;;) {
        const auto count = co_await stream->read(buffer);
        if (!count || *count == 0) break;
        if (!co_await stream->write({buffer, *count})) break;
    }
    stream->end_writing();
}
Task<void> serve_echo(Loop& loop, Listener& listener) {
    for (;;) {
        auto stream = co_await listener.accept();
        if (!stream) co_return;
        spawn(loop, echo(*std::move(stream)));
    }
}
Task<void> send_and_end(Stream& stream, const std::string& bytes) {
    EXPECT_TRUE(co_await stream.write(bytes));
    stream.end_writing();
}
Task<std::string> round_trip(Loop& loop, Network& network, Address address, const std::string& bytes) {
    auto stream = (co_await network.connect(address)).value();
    TaskScope writer(loop);
    writer.spawn(send_and_end(*stream, bytes));
    co_return (co_await read_all(*stream)).value();
}

Task<void> yield_twice(Loop& loop) {
    co_await yield(loop);
    co_await yield(loop);
}

struct LinuxNetworkTest : testing::Test {
    RealLoop loop;
    LinuxNetwork network{loop};
    std::unique_ptr<Listener> listener = network.listen({"127.0.0.1", 0}).value();
};

TEST_F(LinuxNetworkTest, APortIsChosenWhenNoneIsGiven) {
    EXPECT_NE(listener->address().port, 0);
    EXPECT_EQ(network.listen(listener->address()).error().code, Code::kAlreadyExists) << "it is taken";
}

// Far more than the kernel's buffers hold, so that both sides have to wait for each other.
TEST_F(LinuxNetworkTest, CarriesMegabytesBothWaysUnchanged) {
    std::string bytes(8'000'000, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 2654435761u >> 13);
    spawn(loop, serve_echo(loop, *listener));
    EXPECT_TRUE(loop.run(round_trip(loop, network, listener->address(), bytes)) == bytes);
}

TEST_F(LinuxNetworkTest, ServesManyAtOnce) {
    spawn(loop, serve_echo(loop, *listener));
    std::vector<std::string> answers(20);
    int left = 20;
    for (int i = 0; i < 20; ++i)
        spawn(loop, [](LinuxNetworkTest& test, int index, std::string& answer, int& waiting) -> Task<void> {
            const std::string question = std::to_string(index);
            answer = co_await round_trip(test.loop, test.network, test.listener->address(), question);
            if (--waiting == 0) test.loop.stop();
        }(*this, i, answers[i], left));
    loop.run();
    for (int i = 0; i < 20; ++i) EXPECT_EQ(answers[i], std::to_string(i));
}

Task<std::string> echo_once(Loop& loop, Network& network, std::uint16_t port) {
    const std::string hello = "hello";
    auto stream = (co_await network.connect({"127.0.0.1", port})).value();
    TaskScope writer(loop);
    writer.spawn(send_and_end(*stream, hello));
    co_return (co_await read_all(*stream)).value();
}

TEST_F(LinuxNetworkTest, AnAddressMayBeMadeWhereItIsAwaited) {
    spawn(loop, serve_echo(loop, *listener));
    EXPECT_EQ(loop.run(echo_once(loop, network, listener->address().port)), "hello");
}

TEST_F(LinuxNetworkTest, ConnectingWithoutAListenerIsUnavailable) {
    const Address address = listener->address();
    listener.reset();
    EXPECT_EQ(loop.run(network.connect(address)).error().code, Code::kUnavailable);
}

TEST_F(LinuxNetworkTest, NamesAreNotLookedUp) {
    EXPECT_EQ(loop.run(network.connect({"localhost", 1})).error().code, Code::kBadRequest);
    EXPECT_EQ(network.listen({"localhost", 0}).error().code, Code::kBadRequest);
}

TEST_F(LinuxNetworkTest, ClosingAListenerEndsItsAccept) {
    loop.post([&] { loop.post([&] { listener->close(); }); });
    EXPECT_EQ(loop.run(listener->accept()).error().code, Code::kCancelled);
}

TEST_F(LinuxNetworkTest, ClosingAStreamEndsItsReadAndThePeers) {
    auto ours = loop.run(network.connect(listener->address())).value();
    auto theirs = loop.run(listener->accept()).value();
    EXPECT_EQ(ours->peer(), listener->address());
    char buffer[10];
    loop.post([&] { loop.post([&] { ours->close(); }); });
    EXPECT_EQ(loop.run(ours->read(buffer)).error().code, Code::kCancelled);
    EXPECT_EQ(*loop.run(theirs->read(buffer)), 0u);
}

Task<Result<>> write_until_refused(Stream& stream) {
    const std::string bytes(100'000, 'x');
    for (;;) CO_TRY(co_await stream.write(bytes));
}

TEST_F(LinuxNetworkTest, WritingToAPeerThatIsGoneIsAnErrorNotASignal) {
    auto ours = loop.run(network.connect(listener->address())).value();
    loop.run(listener->accept()).value()->close();
    EXPECT_EQ(loop.run(write_until_refused(*ours)).error().code, Code::kUnavailable);
}

TEST_F(LinuxNetworkTest, AReaderOfADestroyedStreamIsNeverResumed) {
    auto ours = loop.run(network.connect(listener->address())).value();
    spawn(loop, [](Stream& stream) -> Task<void> {
        char buffer[10];
        (void)co_await stream.read(buffer);
        ADD_FAILURE() << "its stream is gone, but it went on";
    }(*ours));
    loop.run(yield_twice(loop));
    ours.reset();
    loop.run(yield_twice(loop));
}

TEST_F(LinuxNetworkTest, AReaderMayBeCancelledWhileItWaits) {
    auto ours = loop.run(network.connect(listener->address())).value();
    auto theirs = loop.run(listener->accept()).value();
    {
        TaskScope scope(loop);
        scope.spawn([](Stream& stream) -> Task<void> {
            char buffer[10];
            (void)co_await stream.read(buffer);
            ADD_FAILURE() << "cancelled, but went on";
        }(*ours));
        loop.run(yield_twice(loop));
    }
    EXPECT_TRUE(loop.run(theirs->write("late")));
    char buffer[10];
    EXPECT_EQ(*loop.run(ours->read(buffer)), 4u);
}

}  // namespace linux_network_test
}  // namespace muster::os
