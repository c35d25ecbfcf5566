#include "node/keeper/record_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "node/keeper/wire.h"
#include "os/testing/virtual_loop.h"

namespace muster::node {
namespace record_log_test {

using testing::HasSubstr;

std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

RunRecord record_of(const RunKey& key, RunState state = RunState::kRunning) {
    RunRecord record;
    record.key = key;
    record.state = state;
    return record;
}

class RecordLogTest : public testing::Test {
protected:
    RecordLogTest() {
        std::string pattern = testing::TempDir() + "muster-record-XXXXXX";
        directory_ = ::mkdtemp(pattern.data());
    }
    ~RecordLogTest() override { std::filesystem::remove_all(directory_); }

    std::string at(const std::string& name) const { return directory_ + "/" + name; }
    // As a keeper does it: records are changed and appended.
    static void add(RecordLog& log, const RunRecord& record) {
        log.records()[record.key] = record;
        EXPECT_TRUE(log.append(format_message(record), true).ok());
    }
    // Leaves the files of a record of these runs.
    void make(const std::vector<RunRecord>& records) {
        RecordLog log(loop_, files_, directory_);
        ASSERT_TRUE(log.read().ok());
        ASSERT_TRUE(log.open().ok());
        for (const RunRecord& record : records) add(log, record);
    }
    std::vector<RunKey> keys_of(const RecordLog& log) const {
        std::vector<RunKey> keys;
        for (const auto* entry : in_order(log.records())) keys.push_back(entry->first);
        return keys;
    }

    const RunKey first_{"u", "a", 0};
    const RunKey second_{"u", "b", 0};
    std::string directory_;
    os::VirtualLoop loop_;
    os::LinuxFiles files_;
};

TEST_F(RecordLogTest, WhatWasAppendedIsReadAgain) {
    make({record_of(first_), record_of(second_), record_of(first_, RunState::kEnded)});
    RecordLog log(loop_, files_, directory_);
    ASSERT_TRUE(log.read().ok());
    EXPECT_EQ(keys_of(log), (std::vector<RunKey>{first_, second_}));
    EXPECT_EQ(log.records().at(first_).state, RunState::kEnded);
    EXPECT_EQ(log.notice(), "");
    EXPECT_FALSE(log.lossy());
}

TEST_F(RecordLogTest, WhatADamagedOrMissingFileCosts) {
    const auto damage = [this](const std::string& name) {
        std::string text = text_of(at(name));
        text[text.size() / 2] ^= 1;
        std::ofstream(at(name)) << text;
    };
    const auto remove = [this](const std::string& name) { std::filesystem::remove(at(name)); };
    const auto empty = [this](const std::string& name) { std::ofstream(at(name)) << ""; };
    const struct {
        const char* sentence;
        std::function<void()> happens;
        bool lossy;
        const char* notice;
    } cases[] = {
        {"nothing", [] {}, false, ""},
        {"the last line is cut", [this] { std::ofstream(at("runs"), std::ios::app) << "1234"; }, false, ""},
        {"the file is damaged", [&] { damage("runs"); }, false, "are damaged; the file is kept as runs.damaged"},
        {"the file is missing", [&] { remove("runs"); }, false, "is missing"},
        {"the file is empty", [&] { empty("runs"); }, false, "runs were read from its copy"},
        {"the copy is damaged", [&] { damage("runs.copy"); }, false, ""},
        {"the copy is missing", [&] { remove("runs.copy"); }, false, ""},
        {"both are missing", [&] { remove("runs"), remove("runs.copy"); }, true, "is missing"},
        {"both are empty", [&] { empty("runs"), empty("runs.copy"); }, true, ""},
        {"both are damaged", [&] { damage("runs"), damage("runs.copy"); }, true, "are damaged"},
    };
    for (const auto& one : cases) {
        std::filesystem::remove_all(directory_);
        std::filesystem::create_directories(directory_);
        make({record_of(first_), record_of(second_)});
        one.happens();
        RecordLog log(loop_, files_, directory_);
        ASSERT_TRUE(log.read().ok()) << one.sentence;
        EXPECT_EQ(log.lossy(), one.lossy) << one.sentence;
        EXPECT_THAT(log.notice(), HasSubstr(one.notice)) << one.sentence;
        if (!one.lossy) {
            EXPECT_EQ(log.records().size(), 2u) << one.sentence;
            EXPECT_EQ(log.notice().empty(), *one.notice == 0) << one.sentence;
        }
        ASSERT_TRUE(log.open().ok()) << one.sentence;
        EXPECT_EQ(text_of(at("runs")), text_of(at("runs.copy"))) << one.sentence << ": both are whole again";
    }
}

TEST_F(RecordLogTest, ALossIsAcceptedOnceAllThatCanBeFoundIsAdded) {
    make({record_of(first_)});
    std::filesystem::remove(at("runs"));
    std::filesystem::remove(at("runs.copy"));
    loop_.run_for(10s);
    const Instant now = loop_.now();
    {
        RecordLog log(loop_, files_, directory_);
        ASSERT_TRUE(log.read().ok());
        log.add_found({record_of(second_)});
        EXPECT_THAT(log.notice(), HasSubstr("1 runs were found by their notes and processes alone"));
        log.accept_loss();
        EXPECT_EQ(log.complete_since(), now);
        ASSERT_TRUE(log.open().ok());
    }
    loop_.run_for(10s);
    RecordLog again(loop_, files_, directory_);
    ASSERT_TRUE(again.read().ok());
    EXPECT_FALSE(again.lossy());
    EXPECT_EQ(again.complete_since(), now) << "the file says since when it is complete";
    EXPECT_EQ(keys_of(again), std::vector<RunKey>{second_});
}

TEST_F(RecordLogTest, OfFoundRunsOnlyThoseAreAddedThatTheRecordDoesNotKnow) {
    make({record_of({"u", "a", 1})});
    RecordLog log(loop_, files_, directory_);
    ASSERT_TRUE(log.read().ok());
    log.add_found({record_of({"u", "a", 0}), record_of({"u", "a", 1}, RunState::kEnded), record_of({"u", "a", 2})});
    EXPECT_EQ(keys_of(log), (std::vector<RunKey>{{"u", "a", 1}, {"u", "a", 2}}));
    EXPECT_EQ(log.records().at({"u", "a", 1}).state, RunState::kRunning);
    EXPECT_THAT(log.notice(), HasSubstr("1 runs were found"));
}

TEST_F(RecordLogTest, OnlyTheLatestTwoAttemptsAreKept) {
    make({record_of({"u", "a", 0}), record_of({"u", "a", 1}), record_of({"u", "a", 2}), record_of({"u", "b", 0})});
    std::filesystem::create_directories(at("pods/u/a"));
    std::ofstream(at("pods/u/a/0.run")) << "note";
    RecordLog log(loop_, files_, directory_);
    ASSERT_TRUE(log.read().ok());
    EXPECT_EQ(keys_of(log), (std::vector<RunKey>{{"u", "a", 1}, {"u", "a", 2}, {"u", "b", 0}}));
    EXPECT_FALSE(std::filesystem::exists(at("pods/u/a/0.run")));
}

TEST_F(RecordLogTest, AFileThatFellBehindIsWrittenAgainWhenThatWorks) {
    make({record_of(first_)});
    RecordLog log(loop_, files_, directory_);
    ASSERT_TRUE(log.read().ok());
    ASSERT_TRUE(log.open().ok());
    std::filesystem::remove_all(directory_);
    // More than the file takes before it is rewritten, which fails without a directory.
    RunRecord large = record_of(second_);
    large.message = std::string(5u << 20, 'x');
    add(log, large);
    std::filesystem::create_directories(directory_);
    loop_.run_for(1500ms);
    RecordLog again(loop_, files_, directory_);
    ASSERT_TRUE(again.read().ok());
    EXPECT_EQ(again.records().size(), 2u);
    EXPECT_EQ(again.records().at(second_), large);
}

TEST_F(RecordLogTest, TheFileShrinksWhenRunsAreForgotten) {
    RecordLog log(loop_, files_, directory_);
    ASSERT_TRUE(log.read().ok());
    ASSERT_TRUE(log.open().ok());
    RunRecord large = record_of(first_);
    large.message = std::string(3u << 20, 'x');
    add(log, large);
    EXPECT_GT(std::filesystem::file_size(at("runs")), 3u << 20);
    log.records().clear();
    ForgetRequest forgotten;
    forgotten.pod_uid = first_.pod_uid;
    ASSERT_TRUE(log.append(format_message(forgotten) + std::string(2u << 20, 'x') + '\n', false).ok());
    EXPECT_LT(std::filesystem::file_size(at("runs")), 1000u);
}

}  // namespace record_log_test
}  // namespace muster::node
