#include "cli/run/command_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/rules/kind_rules.h"
#include "cli/run/work.h"

namespace muster::cli {
namespace command_job_test {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

Caller some_caller() {
    Caller caller;
    caller.directory = "/home/ada/sweep";
    caller.environment = {{"PATH", "/opt/bin:/bin"}, {"COST", "5$ $(HOME)"}, {"SHLVL", "2"}, {"BASH_FUNC_x%%", "() {"}};
    caller.processors = 4;
    return caller;
}

RunOptions some_command(std::vector<std::string> words = {"./process", "--index", "$JOB_COMPLETION_INDEX"}) {
    RunOptions options;
    options.has_command = true;
    options.command = std::move(words);
    return options;
}

std::string name_of_job(const RunOptions& options, const Caller& caller = some_caller()) {
    return make_command_job(options, caller).value().metadata.name.str();
}

TEST(CommandJob, AnArgumentRefersToTheIndexAsAShellWould) {
    const std::pair<const char*, const char*> rows[] = {
        {"$JOB_COMPLETION_INDEX", "$(JOB_COMPLETION_INDEX)"},
        {"${JOB_COMPLETION_INDEX}", "$(JOB_COMPLETION_INDEX)"},
        {"$(JOB_COMPLETION_INDEX)", "$(JOB_COMPLETION_INDEX)"},
        {"part-$JOB_COMPLETION_INDEX.csv", "part-$(JOB_COMPLETION_INDEX).csv"},
        {"$JOB_COMPLETION_INDEX$JOB_COMPLETION_INDEX", "$(JOB_COMPLETION_INDEX)$(JOB_COMPLETION_INDEX)"},
        {"$JOB_COMPLETION_INDEXES", "$$JOB_COMPLETION_INDEXES"},
        {"${JOB_COMPLETION_INDEX", "$${JOB_COMPLETION_INDEX"},
        {"$(date) $$ $HOME 5$", "$$(date) $$$$ $$HOME 5$$"},
        {"plain", "plain"},
        {"", ""},
    };
    for (const auto& [argument, expected] : rows) EXPECT_EQ(refer_to_index(argument), expected) << argument;
}

TEST(CommandJob, ANameIsTheProgramsOwnAndAHash) {
    EXPECT_THAT(derive_name("./My_Program.py", "x"), MatchesRegex("my-program-py-[0-9a-f]{8}"));
    EXPECT_THAT(derive_name("/usr/bin/7z", "x"), MatchesRegex("run-7z-[0-9a-f]{8}"));
    EXPECT_THAT(derive_name("[", "x"), MatchesRegex("run-[0-9a-f]{8}"));
    EXPECT_LE(derive_name(std::string(300, 'a'), "x").size(), 52u);
    EXPECT_EQ(derive_name("true", "x"), derive_name("true", "x"));
    EXPECT_NE(derive_name("true", "x"), derive_name("true", "y"));
}

TEST(CommandJob, TheSameWorkHasTheSameName) {
    const RunOptions options = some_command();
    EXPECT_EQ(name_of_job(options), name_of_job(options));
    Caller other = some_caller();
    other.environment.emplace_back("EDITOR", "ed");
    other.processors = 64;
    EXPECT_EQ(name_of_job(options), name_of_job(options, other)) << "the environment is no other work";
    RunOptions more_at_once = options;
    more_at_once.parallelism = 1;
    EXPECT_EQ(name_of_job(options), name_of_job(more_at_once));

    other.directory = "/home/ada/other";
    EXPECT_NE(name_of_job(options), name_of_job(options, other));
    RunOptions changed = options;
    changed.completions = 7;
    EXPECT_NE(name_of_job(options), name_of_job(changed));
    EXPECT_NE(name_of_job(options), name_of_job(some_command({"./process", "--index $JOB_COMPLETION_INDEX"})));
}

TEST(CommandJob, ACommandRunsWhereAndAsItWasTyped) {
    RunOptions options = some_command();
    options.completions = 100;
    options.env = {"MODE=fast", "PATH"};
    options.cpu = "500m";
    const api::batch::Job job = make_command_job(options, some_caller()).value();
    EXPECT_EQ(job.spec.completion_mode, "Indexed");
    EXPECT_EQ(job.spec.completions, 100);
    EXPECT_EQ(job.spec.parallelism, 4) << "as many as there are processors";
    EXPECT_EQ(job.spec.backoff_limit_per_index, 0) << "nothing is tried again unless asked for";
    EXPECT_FALSE(job.spec.backoff_limit);
    EXPECT_EQ(job.spec.template_.spec.restart_policy, "Never");
    const auto& container = job.spec.template_.spec.containers[0];
    EXPECT_EQ(container.working_dir, "/home/ada/sweep");
    EXPECT_EQ(container.command[2], "$(JOB_COMPLETION_INDEX)");
    EXPECT_EQ(container.resources.requests.find("cpu")->text(), "500m");
    std::string env;
    for (const auto& variable : container.env) env += variable.name.str() + '=' + variable.value.str() + ';';
    EXPECT_EQ(env, "COST=5$$ $$(HOME);MODE=fast;PATH=/opt/bin:/bin;");
}

TEST(CommandJob, OneThatIsTriedAgainFailsTheJobByItself) {
    RunOptions options = some_command();
    EXPECT_EQ(make_command_job(options, some_caller())->spec.backoff_limit, 0);
    options.retries = 3;
    EXPECT_EQ(make_command_job(options, some_caller())->spec.backoff_limit, 3);
    options.completions = 2;
    EXPECT_EQ(make_command_job(options, some_caller())->spec.backoff_limit_per_index, 3);
}

TEST(CommandJob, BadFlagsAreNamed) {
    const auto message = [](auto&& change) {
        RunOptions options = some_command();
        change(options);
        const auto work = gather_work(options, some_caller(), {});
        return work.ok() ? std::string("fine") : work.error().message;
    };
    EXPECT_EQ(message([](RunOptions&) {}), "fine");
    EXPECT_THAT(message([](RunOptions& o) { o.completions = 0; }), HasSubstr("--completions must be at least 1"));
    EXPECT_THAT(message([](RunOptions& o) { o.cpu = "lots"; }), HasSubstr("--cpu is an amount"));
    EXPECT_THAT(message([](RunOptions& o) { o.env = {"=x"}; }), HasSubstr("--env is NAME=VALUE"));
    EXPECT_THAT(message([](RunOptions& o) { o.env = {"NOPE"}; }), HasSubstr("no such variable"));
    EXPECT_THAT(message([](RunOptions& o) { o.command.clear(); }), HasSubstr("no command behind --"));
    EXPECT_THAT(message([](RunOptions& o) { o.files = {"a.yaml"}; }), HasSubstr("not both"));
    EXPECT_THAT(message([](RunOptions& o) { o.name = "Not A Name"; }), HasSubstr("metadata.name: Invalid value"));
    EXPECT_THAT(message([](RunOptions& o) { o.retries = o.backoff_limit = 1; }), HasSubstr("one or the other"));
}

constexpr const char* kJobText = R"(
apiVersion: batch/v1
kind: Job
metadata: {name: pi}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: c, image: perl, command: [perl, -e, "print 3"]}]
)";

Result<Work> work_of(const std::string& text) {
    RunOptions options;
    options.files = {"job.yaml"};
    return gather_work(options, {}, [&](const std::string&) { return Result<std::string>(text); });
}

TEST(Work, ManifestsGiveTheirJobsAndTheRestInOrder) {
    const Work work =
        work_of(std::string(kJobText) + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n").value();
    ASSERT_EQ(work.jobs.size(), 1u);
    EXPECT_EQ(work.jobs[0].metadata.namespace_, "default");
    ASSERT_EQ(work.others.size(), 1u);
    EXPECT_THAT(work.others[0], HasSubstr("ConfigMap"));
}

TEST(Work, EverythingWrongWithAJobIsTold) {
    const auto bad = work_of(R"(
apiVersion: batch/v1
kind: Job
metadata: {name: pi}
spec:
  completions: -1
  template:
    spec: {restartPolicy: Always, containers: []}
)");
    ASSERT_FALSE(bad.ok());
    EXPECT_THAT(bad.error().message, HasSubstr("The Job \"pi\" is invalid:"));
    EXPECT_THAT(bad.error().message, HasSubstr("* spec.completions: "));
    EXPECT_THAT(bad.error().message, HasSubstr("* spec.template.spec.containers: Required value"));
    EXPECT_THAT(work_of("apiVersion: batch/v1\nkind: Job\nspec: {tmplate: {}}").error().message,
                HasSubstr("unknown field \"spec.tmplate\""));
    EXPECT_THAT(work_of("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}").error().message,
                HasSubstr("there is no Job in job.yaml"));
}

TEST(Work, AJobThatIsThereIsTheSameWorkWhateverTheServerAddedToIt) {
    const api::batch::Job draft = work_of(kJobText)->jobs[0];
    api::batch::Job stored = draft;
    stored.metadata.uid = "u";
    const api::KindRules& rules = *api::find_rules(api::kind_info<api::batch::Job>());
    rules.fill_defaults(&stored);
    rules.prepare_create(&stored);
    ASSERT_NE(stored.spec, draft.spec);
    EXPECT_TRUE(is_same_work(stored, draft));
    stored.spec.suspend = true;
    stored.spec.parallelism = 5;
    stored.spec.ttl_seconds_after_finished = 7;
    EXPECT_TRUE(is_same_work(stored, draft)) << "it is suspended, or runs more at once";
    api::batch::Job changed = draft;
    changed.spec.template_.spec.containers.edit()[0].command.edit()[2] = "print 4";
    EXPECT_FALSE(is_same_work(stored, changed));
}

TEST(Work, ACommandIsTheSameWorkInAnotherEnvironment) {
    RunOptions options = some_command();
    const api::batch::Job stored = make_command_job(options, some_caller()).value();
    Caller other = some_caller();
    other.environment = {{"PATH", "/bin"}};
    api::batch::Job kept = stored;
    api::find_rules(api::kind_info<api::batch::Job>())->fill_defaults(&kept);
    EXPECT_TRUE(is_same_work(kept, make_command_job(options, other).value()));
    options.env = {"MODE=fast"};
    EXPECT_FALSE(is_same_work(kept, make_command_job(options, other).value())) << "what was asked for counts";
}

}  // namespace command_job_test
}  // namespace muster::cli
