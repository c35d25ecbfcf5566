#include "node/keeper/wire.h"

#include <gtest/gtest.h>

namespace muster::node {
namespace wire_test {

RunRecord some_record() {
    RunRecord record;
    record.key = {"uid-1", "main", 3};
    record.state = RunState::kEnded;
    record.pid = 42;
    record.start_ticks = 123456789;
    record.started_at = Instant::from_unix(1234567890123456789ns);
    record.ended_at = Instant::from_unix(1234567890123456790ns);
    record.code = 1;
    record.signal = 9;
    record.log_path = "/a b/c";
    record.boot = "boot";
    record.message = "a\tb\nc\\d";
    record.out_of_memory = true;
    record.pod_ip = "127.64.0.7";
    return record;
}

template <class T>
T there_and_back(const T& message) {
    std::string line = format_message(message);
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
    line.pop_back();
    return std::get<T>(parse_message(line).value());
}

TEST(Wire, KeepsEveryFieldOfARecord) { EXPECT_EQ(there_and_back(some_record()), some_record()); }

TEST(Wire, ReadsARecordThatWasWrittenWithoutAnAddress) {
    RunRecord expected = some_record();
    expected.pod_ip = {};
    const auto back = parse_message(
        "run\tuid-1\tmain\t3\t2\t42\t123456789\t1234567890123456789\t1234567890123456790\t1\t9\t/a b/c\tboot\t"
        "a\\tb\\nc\\\\d\t1");
    EXPECT_EQ(std::get<RunRecord>(back.value()), expected);
}

TEST(Wire, KeepsARequestWhateverItsWordsHold) {
    RunRequest request;
    request.key = {"u", "c", 0};
    request.command = {"sh", "-c", "echo\n\t\\n", ""};
    request.environment = {"A=", "B=\n\n"};
    request.directory = "/tmp/x y";
    request.log_path = "/l";
    request.setup = {os::setup::unshare(os::kUtsNamespace), os::setup::host_name("a\tb"),
                     os::setup::groups({1, 4294967295})};
    request.setup.push_back(os::setup::bind_mount("/a b", "/c", os::SetupStep::kRecursive));
    request.setup.back().detail = "sub\npath";
    request.setup.back().inside = "/root";
    request.limits.memory_bytes = 1;
    request.limits.processes = 2;
    request.pod_limits.cpu_milli = 3;
    request.terminal = true;
    request.pod_ip = "127.64.0.7";
    const RunRequest back = there_and_back(request);
    EXPECT_EQ(back.limits, request.limits);
    EXPECT_EQ(back.pod_limits, request.pod_limits);
    EXPECT_EQ(back.command, request.command);
    EXPECT_EQ(back.environment, request.environment);
    EXPECT_EQ(back.directory, request.directory);
    EXPECT_EQ(back.setup, request.setup);
    EXPECT_TRUE(back.terminal);
    EXPECT_EQ(back.pod_ip, request.pod_ip);
    EXPECT_FALSE(back.input);
}

TEST(Wire, KeepsWhatIsSaidAboutStreams) {
    StreamMessage message;
    message.key = {"u", "c", 3};
    message.kind = StreamMessage::Kind::kOutput;
    message.first = 80;
    message.second = -1;
    for (int c = 0; c < 256; ++c) message.bytes += static_cast<char>(c);
    EXPECT_EQ(there_and_back(message), message);
    EXPECT_FALSE(parse_message("stream\tu\tc\t0\t99\t0\t0\t").ok());
}

TEST(Wire, KeepsWhatIsSaidAboutTheRecordAndAboutCommandsInside) {
    const Instant at = Instant::from_unix(1234567890123456789ns);
    EXPECT_EQ(there_and_back(CompleteSince{at}).at, at);
    EXPECT_EQ(there_and_back(OlderPod{"uid-1"}).pod_uid, "uid-1");
    EXPECT_EQ(there_and_back(EnteredRun{(1ull << 60) - 1}).label, (1ull << 60) - 1);
}

TEST(Wire, KeepsTheHelloAndWhatIsSaidAboutUnclearRequests) {
    EXPECT_EQ(there_and_back(KeeperVersion{7}).number, 7);
    EXPECT_EQ(there_and_back(OldestServer{3}).number, 3);
    EXPECT_EQ(there_and_back(Unclear{"a\tb"}).what, "a\tb");
}

TEST(Wire, AMessageOfALaterVersionDiffersFromOneThatIsCut) {
    EXPECT_EQ(parse_message("colour\tred").error().code, Code::kNotFound);
    EXPECT_EQ(parse_message("start\tu\tc").error().code, Code::kCorrupt);
    EXPECT_EQ(parse_message("oldest\t1\tmore").error().code, Code::kCorrupt);
}

TEST(Wire, RefusesALineThatIsCutAnywhere) {
    std::string line = format_message(some_record());
    line.pop_back();
    for (std::size_t size = 0; size + 12 < line.size(); ++size)
        EXPECT_FALSE(parse_message(std::string_view(line).substr(0, size)).ok()) << size;
    EXPECT_FALSE(parse_message(line + "\tmore").ok());
}

}  // namespace wire_test
}  // namespace muster::node
