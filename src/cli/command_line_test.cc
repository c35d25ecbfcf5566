#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace muster::cli {
namespace command_line_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

struct Outcome {
    int exit_code;
    std::string out;
    std::string err;
};

Outcome run(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "muster");
    std::ostringstream out;
    std::ostringstream err;
    const int exit_code = run_command_line(static_cast<int>(arguments.size()), arguments.data(), {out, err});
    return {exit_code, out.str(), err.str()};
}

TEST(CommandLine, HelpIsTheSameHoweverItIsAskedFor) {
    const Outcome help = run({"help"});
    EXPECT_EQ(help.exit_code, kExitDone);
    EXPECT_THAT(help.out, HasSubstr("Usage: muster"));
    EXPECT_THAT(help.err, IsEmpty());
    EXPECT_EQ(run({"--help"}).out, help.out);
    EXPECT_EQ(run({"-h"}).out, help.out);
}

TEST(CommandLine, HelpOfOneVerbNamesItsArguments) {
    const Outcome help = run({"help", "help"});
    EXPECT_EQ(help.exit_code, kExitDone);
    EXPECT_THAT(help.out, HasSubstr("muster help"));
    EXPECT_THAT(help.out, HasSubstr("The verb to explain"));
    EXPECT_EQ(run({"help", "--help"}).out, help.out);
}

TEST(CommandLine, TheVersionIsOneLine) {
    const Outcome version = run({"--version"});
    EXPECT_EQ(version.exit_code, kExitDone);
    EXPECT_THAT(version.out, testing::MatchesRegex("muster [0-9]+\\.[0-9]+\\.[0-9]+\n"));
    EXPECT_THAT(version.err, IsEmpty());
}

TEST(CommandLine, RunTakesAKubeconfigAndAContext) {
    std::ostringstream out;
    RunOptions given;
    Verbs verbs;
    verbs.run = [&](const RunOptions& options, Terminal) {
        given = options;
        return kExitDone;
    };
    const char* arguments[] = {"muster", "run", "j.yaml", "--kubeconfig", "/k", "--context", "c"};
    EXPECT_EQ(run_command_line(7, arguments, {out, out}, nullptr, verbs), kExitDone) << out.str();
    EXPECT_EQ(given.kubeconfig, "/k");
    EXPECT_EQ(given.context, "c");
}

TEST(CommandLine, ControllersTakesTheFlagsOfKubeControllerManager) {
    std::ostringstream out;
    ControllersOptions given;
    Verbs verbs;
    verbs.controllers = [&](const ControllersOptions& options, Terminal) {
        given = options;
        return kExitDone;
    };
    const char* arguments[] = {"muster",
                               "controllers",
                               "--kubeconfig=/k",
                               "--leader-elect=false",
                               "--kube-api-qps=50.5",
                               "--kube-api-burst",
                               "100",
                               "--namespace",
                               "team",
                               "--observe",
                               "--controllers",
                               "job"};
    EXPECT_EQ(run_command_line(12, arguments, {out, out}, nullptr, verbs), kExitDone) << out.str();
    EXPECT_EQ(given.kubeconfig, "/k");
    EXPECT_FALSE(given.leader_elect);
    EXPECT_EQ(given.kube_api_qps, 50.5);
    EXPECT_EQ(given.kube_api_burst, 100);
    EXPECT_EQ(given.namespace_, "team");
    EXPECT_TRUE(given.observe);
    EXPECT_EQ(given.controllers, "job");
    EXPECT_EQ(given.job_mode, "managed-by");
    const char* bare[] = {"muster", "controllers"};
    EXPECT_EQ(run_command_line(2, bare, {out, out}, nullptr, verbs), kExitDone) << out.str();
    EXPECT_TRUE(given.leader_elect);
    EXPECT_EQ(given.controllers, "job,queue,pod-ttl");
}

TEST(CommandLine, BadUsageIsToldOnStandardErrorAndExitsWithTwo) {
    struct Case {
        const char* name;
        std::vector<const char*> arguments;
        const char* told;
    };
    const std::vector<Case> cases{
        {"no verb", {}, "no verb"},
        {"an unknown verb", {"conjure"}, "no verb or flag 'conjure'"},
        {"an unknown flag", {"--conjure"}, "no verb or flag '--conjure'"},
        {"an unknown flag of a verb", {"help", "--conjure"}, "--conjure"},
        {"help for an unknown verb", {"help", "conjure"}, "no verb 'conjure'"},
        {"too many arguments", {"help", "help", "conjure"}, "conjure"},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.name);
        const Outcome outcome = run(one.arguments);
        EXPECT_EQ(outcome.exit_code, kExitBadUsage);
        EXPECT_THAT(outcome.out, IsEmpty());
        EXPECT_THAT(outcome.err, StartsWith("muster: "));
        EXPECT_THAT(outcome.err, HasSubstr(one.told));
        EXPECT_THAT(outcome.err, HasSubstr("muster help"));
    }
}

}  // namespace command_line_test
}  // namespace muster::cli
