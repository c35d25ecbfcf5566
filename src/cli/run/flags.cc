#include "cli/run/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace muster::cli {
namespace {

constexpr const char* kAboutRun =
    "Run Jobs to their end: those of manifests, or a command behind --.\n"
    "  muster run job.yaml\n"
    "  muster run --completions 100 --parallelism 8 -- ./process --index '$JOB_COMPLETION_INDEX'\n"
    "Uses the running `muster up` of the data directory, else does its work by itself; with --kubeconfig or --context\n"
    "it uses that server. Interrupted or killed, the same command carries on where it stopped. Exits with 0 when all "
    "is complete, 1 when a Job failed, 2 for bad input, "
    "130\n"
    "when interrupted.";
constexpr const char* kCommandGroup = "How a command is run";

void declare_command_flags(CLI::App& verb, RunOptions& options) {
    const auto add = [&](const char* flag, auto& value, const char* about) {
        return verb.add_option(flag, value, about)->group(kCommandGroup);
    };
    add("--completions", options.completions, "How often it runs, each time with another $JOB_COMPLETION_INDEX. 1");
    add("--parallelism", options.parallelism, "How many run at once. As many as there are processors");
    add("--retries", options.retries, "How often an index that failed is tried again. 0");
    add("--backoff-limit", options.backoff_limit, "After how many failures in all the Job fails");
    add("--backoff-limit-per-index", options.backoff_limit_per_index, "The Job's own name for --retries");
    add("--max-failed-indexes", options.max_failed_indexes, "After how many failed indexes the Job fails at once");
    add("--name", options.name, "The Job's name. One that the command, its directory and these flags give");
    add("--env", options.env, "NAME=VALUE to set a variable, NAME to pass the caller's. May be repeated")
        ->allow_extra_args(false);
    verb.add_flag("--clean-env", options.clean_env, "Pass only PATH, HOME and the like of the caller's environment")
        ->group(kCommandGroup);
    add("--workdir", options.work_directory, "The directory to run in. The current one");
    add("--cpu", options.cpu, "What each needs of the machine's processors: 2, 500m");
    add("--memory", options.memory, "What each needs of its memory: 2Gi");
    verb.add_flag("--keep", options.keep, "Keep the Job and its logs. They go a week after its end")
        ->group(kCommandGroup);
}

}  // namespace

CLI::App* declare_run(CLI::App& app, RunOptions& options) {
    CLI::App* verb = app.add_subcommand("run", kAboutRun)->group("Verbs");
    verb->add_option("files", options.files, "Manifests of Jobs and of what they need; - for standard input");
    verb->add_option("-f,--filename", options.files, "The same")->allow_extra_args(false);
    verb->add_option("-n,--namespace", options.namespace_, "The namespace to run in");
    verb->add_option("--kubeconfig", options.kubeconfig, "Run on the server of this kubeconfig");
    verb->add_option("--context", options.context, "The kubeconfig's context to use");
    verb->add_option("--data-dir", options.data_directory, "Where everything is kept")->capture_default_str();
    verb->add_flag("--rm", options.remove, "Remove Jobs that are complete");
    verb->add_flag("--logs", options.logs, "Print what each pod wrote when it has ended");
    verb->add_flag("--json", options.json, "Tell everything as JSON, one object a line");
    verb->add_flag("-q,--quiet", options.quiet, "Tell only failures");
    declare_command_flags(*verb, options);
    return verb;
}

void split_command(std::vector<std::string>& arguments, RunOptions& options) {
    if (arguments.empty() || arguments.front() != "run") return;
    const auto split = std::find(arguments.begin(), arguments.end(), "--");
    if (split == arguments.end()) return;
    options.has_command = true;
    options.command.assign(split + 1, arguments.end());
    arguments.erase(split, arguments.end());
}

}  // namespace muster::cli
