#include "node/process/termination_message.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "api/codec/decode.h"
#include "node/runtime/node_paths.h"

namespace muster::node {
namespace termination_message_test {

using api::core::Container;
using api::core::Pod;

Container container_of(const std::string& fields) {
    return api::from_yaml<Container>("{name: c, terminationMessagePath: /dev/termination-log" +
                                     (fields.empty() ? "" : ", " + fields) + "}")
        .value();
}

TEST(TerminationMessage, APlainContainerHasNoReasonToWriteOne) {
    EXPECT_FALSE(wants_message_file(container_of("command: [sh, -c, 'true']"), false));
    EXPECT_TRUE(wants_message_file(container_of("command: [sh, -c, 'echo bye > /dev/termination-log']"), false));
    EXPECT_TRUE(wants_message_file(container_of("args: [--message=/dev/termination-log]"), false));
    EXPECT_TRUE(wants_message_file(container_of("env: [{name: M, value: /dev/termination-log}]"), false));
    EXPECT_TRUE(
        wants_message_file(api::from_yaml<Container>("{name: c, terminationMessagePath: /tmp/m}").value(), false));
}

TEST(TerminationMessage, AContainerWithARootOfItsOwnHasTheFileInIt) {
    EXPECT_TRUE(wants_message_file(container_of(""), true));
    EXPECT_FALSE(wants_message_file(Container(), true)) << "without a path there is nowhere to put it";
}

TEST(TerminationMessage, ManyContainersShareWhatAPodMaySay) {
    EXPECT_EQ(message_limit(api::from_yaml<Pod>("spec: {containers: [{name: a}]}").value()), 4096u);
    EXPECT_EQ(
        message_limit(api::from_yaml<Pod>("spec: {initContainers: [{name: i}], containers: [{name: a}, {name: b}, "
                                          "{name: c}]}")
                          .value()),
        3072u);
}

class MessageFiles : public testing::Test {
protected:
    MessageFiles() {
        std::string pattern = testing::TempDir() + "muster-message-XXXXXX";
        directory_ = ::mkdtemp(pattern.data());
    }
    ~MessageFiles() override { std::filesystem::remove_all(directory_); }
    std::string message_after(const std::string& fields, node::Run run, const std::string& extra = "",
                              const std::string& path = "/tmp/message") {
        const Pod pod =
            api::from_yaml<Pod>("metadata: {uid: u}\nspec: {containers: [{name: c, terminationMessagePath: " + path +
                                ", " + fields + "}" + extra + "]}")
                .value();
        RunsByContainer runs;
        runs["c"].now = std::move(run);
        take_messages(pod, runs, [this](const Container& container, int attempt, int exit_code) {
            return read_termination_message(container, {"u", container.name, attempt}, directory_, exit_code);
        });
        return runs["c"].now->message.str();
    }
    static node::Run ended_with(int code) {
        node::Run run;
        run.state = node::Run::State::kEnded;
        run.exit_code = code;
        run.reason = code == 0 ? "Completed" : "Error";
        return run;
    }
    void write(const std::string& path, const std::string& text) {
        std::filesystem::create_directories(std::filesystem::path(path).parent_path());
        std::ofstream(path) << text;
    }
    std::string directory_;
};

TEST_F(MessageFiles, AreReadWhenTheRunHasEnded) {
    const RunKey key{"u", "c", 0};
    EXPECT_EQ(message_after("image: x", ended_with(1)), "");
    write(message_file(directory_, key), "it was the disk");
    EXPECT_EQ(message_after("image: x", ended_with(1)), "it was the disk");
    EXPECT_EQ(message_after("image: x", ended_with(0)), "it was the disk");
    EXPECT_EQ(message_after("image: x", ended_with(0), "", "/dev/termination-log"), "") << "none was made for it";
    EXPECT_EQ(message_after("image: 'rootfs:/x'", ended_with(0), "", "/dev/termination-log"), "it was the disk");
    node::Run run = ended_with(1);
    run.state = node::Run::State::kRunning;
    EXPECT_EQ(message_after("image: x", run), "");
    write(message_file(directory_, key), std::string(5000, 'a') + "z");
    const std::string cut = message_after("image: x", ended_with(1));
    EXPECT_EQ(cut.size(), 4096u);
    EXPECT_EQ(cut.back(), 'z') << "the end of it is what counts";
    EXPECT_EQ(message_after("image: x", ended_with(1), ", {name: d}, {name: e}, {name: f}").size(), 3072u);
}

TEST_F(MessageFiles, TheLogStandsInForAFailureThatSaidNothing) {
    const RunKey key{"u", "c", 0};
    std::string log;
    for (int i = 0; i < 200; ++i) log += "2026-01-02T15:04:05.000000000Z stdout F line " + std::to_string(i) + '\n';
    write(run_log(directory_, key), log);
    const std::string fallback = "terminationMessagePolicy: FallbackToLogsOnError";
    const std::string message = message_after(fallback, ended_with(1));
    EXPECT_TRUE(message.starts_with("line 120\n")) << message;
    EXPECT_TRUE(message.ends_with("line 199\n"));
    EXPECT_EQ(message_after(fallback, ended_with(0)), "");
    EXPECT_EQ(message_after("terminationMessagePolicy: File", ended_with(1)), "");
    write(message_file(directory_, key), "said");
    EXPECT_EQ(message_after(fallback, ended_with(1)), "said");
}

}  // namespace termination_message_test
}  // namespace muster::node
