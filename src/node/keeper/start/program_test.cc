#include "node/keeper/start/program.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace muster::node {
namespace program_test {

namespace fs = std::filesystem;

class Programs : public testing::Test {
protected:
    Programs() {
        std::string pattern = testing::TempDir() + "muster-program-XXXXXX";
        CHECK(::mkdtemp(pattern.data()));
        directory_ = pattern;
        for (const char* name : {"first", "second", "third"}) fs::create_directory(directory_ + '/' + name);
    }
    ~Programs() override { fs::remove_all(directory_); }

    void put(const std::string& path, fs::perms mode) {
        std::ofstream(directory_ + '/' + path) << "#!/bin/sh\n";
        fs::permissions(directory_ + '/' + path, mode);
    }
    RunRequest asking(const std::string& path) const {
        RunRequest request;
        request.command = {"tool"};
        request.environment = {"PATH=" + path};
        request.directory = directory_;
        return request;
    }
    std::string all() const { return directory_ + "/first:" + directory_ + "/second:" + directory_ + "/third"; }

    std::string directory_;
};

constexpr fs::perms kPlain = fs::perms::owner_read | fs::perms::owner_write;
constexpr fs::perms kProgram = kPlain | fs::perms::owner_exec;

TEST_F(Programs, WhatIsNoProgramIsPassedOver) {
    fs::create_directory(directory_ + "/first/tool");
    put("second/tool", kPlain);
    put("third/tool", kProgram);
    EXPECT_EQ(find_program(asking(all())).value(), directory_ + "/third/tool");
    fs::permissions(directory_ + "/second/tool", kProgram);
    EXPECT_EQ(find_program(asking(all())).value(), directory_ + "/second/tool");
}

TEST_F(Programs, WhereThereIsNoneARuntimesSentenceSaysSo) {
    fs::create_directory(directory_ + "/first/tool");
    put("second/tool", kPlain);
    EXPECT_EQ(find_program(asking(all())).error().message, "exec: \"tool\": executable file not found in $PATH");
}

TEST_F(Programs, RelativeDirectoriesAreLookedForFromTheWorkingDirectory) {
    put("second/tool", kProgram);
    EXPECT_EQ(find_program(asking("first:second")).value(), directory_ + "/second/tool");
    put("tool", kProgram);
    EXPECT_EQ(find_program(asking("first::second")).value(), directory_ + "/./tool");
    // A process that sees other files than we do looks for itself, from where it is.
    EXPECT_EQ(program_candidates(asking("first::/bin")),
              (std::vector<std::string>{"first/tool", "./tool", "/bin/tool"}));
}

}  // namespace program_test
}  // namespace muster::node
