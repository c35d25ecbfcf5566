// The built binary as a shell meets it: exit codes, and what goes to which stream.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace binary_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

struct Outcome {
    int exit_code;
    std::string output;
};

Outcome shell(const std::string& arguments) {
    std::FILE* pipe = popen(("'" MUSTER_BINARY "' " + arguments).c_str(), "r");
    if (!pipe) return {-1, {}};
    std::string output;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output += static_cast<char>(c);
    const int status = pclose(pipe);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

TEST(Binary, HelpGoesToStandardOutput) {
    const Outcome help = shell("help 2>/dev/null");
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.output, HasSubstr("Usage: muster"));
    EXPECT_EQ(shell("--help 2>/dev/null").output, help.output);
}

TEST(Binary, VersionGoesToStandardOutput) {
    const Outcome version = shell("--version 2>/dev/null");
    EXPECT_EQ(version.exit_code, 0);
    EXPECT_THAT(version.output, StartsWith("muster "));
}

TEST(Binary, BadUsageExitsWithTwoAndLeavesStandardOutputEmpty) {
    for (const char* arguments : {"", "conjure", "help conjure", "--conjure"}) {
        SCOPED_TRACE(arguments);
        const Outcome quiet = shell(std::string(arguments) + " 2>/dev/null");
        EXPECT_EQ(quiet.exit_code, 2);
        EXPECT_THAT(quiet.output, IsEmpty());
        EXPECT_THAT(shell(std::string(arguments) + " 2>&1 >/dev/null").output, StartsWith("muster: "));
    }
}

TEST(Binary, AServerThatCannotStartSaysWhatIsWrongWithWhat) {
    EXPECT_THAT(shell("up --controllers conjure 2>&1").output,
                HasSubstr("there is no controller \"conjure\"; there are cron-job, garbage, "));
    for (const char* size : {"much", "-1Gi", "10Mi"})
        EXPECT_THAT(shell("up --buffer-memory " + std::string(size) + " 2>&1").output,
                    HasSubstr("--buffer-memory is a size of 192Mi or more, such as 1Gi, not \"" + std::string(size)));
    const Outcome tokens = shell(
        "up --node none --controllers none --listen 127.0.0.1:0 --data-dir \"$(mktemp -d)/data\" "
        "--token-auth-file $(file=$(mktemp -t tokens.XXXXXX); echo nonsense > $file; echo $file) 2>&1");
    EXPECT_EQ(tokens.exit_code, 1);
    EXPECT_THAT(tokens.output, testing::ContainsRegex("^muster: /[^:]*/tokens[.][^:]*: ."));
}

}  // namespace binary_test
