#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>
#include <sstream>
#include <string>

#include "base/version.h"
#include "cli/arguments.h"
#include "cli/client/verbs.h"
#include "cli/complete.h"
#include "cli/completion.h"
#include "cli/connection/session.h"
#include "cli/controllers/flags.h"
#include "cli/manifests.h"
#include "cli/run/flags.h"

namespace muster::cli {
namespace {

constexpr const char* kAbout = "Muster runs Kubernetes batch work, exactly and fast, with or without a cluster.";
std::string version_line() { return "muster " + version(); }

int tell_bad_usage(const Terminal& terminal, const std::string& problem) {
    terminal.err << "muster: " << problem << "\nTry: muster help\n";
    return kExitBadUsage;
}

// As kubectl tells it, for the verbs that are kubectl's.
int tell_bad_client_usage(const Terminal& terminal, const std::string& verb, const std::string& problem) {
    terminal.err << "error: " << problem << "\nSee 'muster " << verb << " --help' for usage.\n";
    return kExitFailed;
}

// What the library found wrong, as a sentence.
std::string problem_text(const CLI::App& app, const CLI::ParseError& error) {
    const std::string text = error.what();
    if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
        const std::vector<std::string> extra = app.remaining(true);
        if (extra.empty()) return text;
        return (extra.front().starts_with('-') ? "unknown flag: " : "unexpected argument: ") + extra.front();
    }
    // "--output: 1 required TEXT missing"
    const std::size_t colon = text.find(": ");
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) && text.ends_with(" missing") && colon != std::string::npos)
        return "flag needs an argument: " + text.substr(0, colon);
    return text;
}

// `muster help` is the whole, `muster help VERB` one verb. Written through the formatter, because App::help() speaks
// of the verb that was typed, which here is help itself.
int print_help(CLI::App& app, const std::string& verb, const Terminal& terminal) {
    const CLI::App* subject = &app;
    std::string name = app.get_name();
    if (!verb.empty()) {
        const auto named =
            app.get_subcommands([&](const CLI::App* candidate) { return candidate->get_name() == verb; });
        if (named.empty()) return tell_bad_usage(terminal, "there is no verb '" + verb + "'");
        subject = named.front();
        name += ' ' + verb;
    }
    terminal.out << app.get_formatter()->make_help(subject, name, CLI::AppFormatMode::Normal);
    return kExitDone;
}

int print_completion(const std::string& shell, const Terminal& terminal) {
    const Result<std::string> script = completion_script(shell);
    if (!script.ok()) return tell_bad_usage(terminal, script.error().message);
    terminal.out << *script;
    return kExitDone;
}

// The names of objects come from our own verbs, run beside.
int print_completions(const CLI::App& app, const std::vector<std::string>& words, const Terminal& terminal,
                      const Surroundings* surroundings) {
    const auto ask = [&](const std::vector<std::string>& arguments) -> std::string {
        std::vector<const char*> argv{"muster"};
        for (const std::string& argument : arguments) argv.push_back(argument.c_str());
        std::ostringstream out;
        std::ostringstream err;
        const int code = run_command_line(static_cast<int>(argv.size()), argv.data(), {out, err}, surroundings);
        return code == kExitDone ? out.str() : "";
    };
    const Completions found = complete_words(app, words, ask);
    for (const std::string& word : found.words) terminal.out << word << '\n';
    if (found.files) terminal.out << ":files\n";
    return kExitDone;
}

}  // namespace

int run_command_line(int argc, const char* const* argv, Terminal terminal, const Surroundings* surroundings,
                     const Verbs& verbs) {
    CLI::App app(kAbout, "muster");
    app.get_formatter()->label("SUBCOMMAND", "VERB");
    app.set_version_flag("--version", version_line(), "Print the version and exit");
    app.require_subcommand(0, 1);

    std::string help_verb;
    CLI::App* help = app.add_subcommand("help", "Show this help, or that of one verb")->group("Verbs");
    help->add_option("verb", help_verb, "The verb to explain");

    UpOptions up_options;
    CLI::App* up = app.add_subcommand("up", "Serve the Kubernetes API until told to stop")->group("Verbs");
    up->add_option("--data-dir", up_options.data_directory, "Where everything is kept")->capture_default_str();
    up->add_option("--listen", up_options.listen, "Address and port; port 0 picks a free one")->capture_default_str();
    up->add_option("--node", up_options.node,
                   "What runs pods: process, none, simulated or simulated=COUNT, with ,seed=NUMBER")
        ->capture_default_str();
    up->add_option("--controllers", up_options.controllers,
                   "Which controllers run: *, none, or names: job,ttl or *,-ttl")
        ->capture_default_str();
    up->add_option("--feature-gates", up_options.feature_gates, "What to turn off: IndexedJob=false,…");
    up->add_option("--config", up_options.config_file,
                   "How queueing works: a file in the shape of Kueue's Configuration");
    up->add_option("--token-auth-file", up_options.token_file, "Static bearer tokens: token,user,uid,\"groups\"");
    up->add_option("--audit-log", up_options.audit_log, "Write a JSON line for every request to this file");
    up->add_option(
        "--buffer-memory", up_options.buffer_memory,
        "How much is kept for clients (bodies, answers, logs, output of sessions, events for watches and their "
        "history), such as 1Gi; "
        "a quarter of the machine's memory, 256Mi to 4Gi, when not given");
    up->add_option("--container-log-max-size", up_options.container_log_size_max,
                   "How large a file of a container's log may become before the next is begun")
        ->capture_default_str();
    up->add_option("--container-log-max-files", up_options.container_log_files_max,
                   "How many such files are kept of one container's log")
        ->capture_default_str();
    up->add_option("--pod-path", up_options.pod_path,
                   "PATH of containers whose manifests set none: where their programs are looked for")
        ->capture_default_str();

    up->add_option("--event-ttl", up_options.event_life, "How long an Event stays after it last happened")
        ->capture_default_str();
    up->add_option("--events-max-count", up_options.events_max_count,
                   "How many Events are kept: beyond that the oldest go, the newest of each object and reason last")
        ->capture_default_str();
    up->add_option("--events-max-size", up_options.events_max_size, "How much memory Events may take, likewise")
        ->capture_default_str();
    up->add_option("--accept-loss-from", up_options.accept_loss_from,
                   "Start although acknowledged writes from exactly this revision on are gone, as the refusal to start "
                   "tells it");

    up->add_option("--pod-user", up_options.pod_user,
                   "The user that pods run as: a user of this machine, or same for the server's own user; without it "
                   "that user, and only administrators may create pods");

    RunOptions run_options;
    CLI::App* run = declare_run(app, run_options);

    ControllersOptions controllers_options;
    CLI::App* controllers = declare_controllers(app, controllers_options);

    ManifestsOptions manifests_options;
    CLI::App* manifests = declare_manifests(app, manifests_options);

    std::string shell;
    CLI::App* completion =
        app.add_subcommand("completion", "Print the script with which a shell completes what is typed")->group("Verbs");
    completion->add_option("shell", shell, "bash, zsh or fish")->required();

    ClientVerbs client_verbs;
    if (surroundings) client_verbs.declare(app);

    LogOptions log_options;
    declare_log_flags(app, log_options);

    std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    if (!arguments.empty() && arguments.front() == kCompleteVerb)
        return print_completions(app, {arguments.begin() + 1, arguments.end()}, terminal, surroundings);
    arguments = with_verb_first(std::move(arguments));
    split_command(arguments, run_options);
    arguments = with_values_apart(app, arguments);
    std::ranges::reverse(arguments);  // as the library wants them

    // The library reports by exception, help and version included.
    try {
        app.parse(std::move(arguments));
    } catch (const CLI::CallForHelp&) {
        const auto typed = app.get_subcommands();
        return print_help(app, typed.empty() ? "" : typed.front()->get_name(), terminal);
    } catch (const CLI::CallForVersion&) {
        terminal.out << version_line() << '\n';
        return kExitDone;
    } catch (const CLI::ParseError& error) {
        const auto typed = app.get_subcommands();
        if (typed.empty() && !app.remaining().empty())
            return tell_bad_usage(terminal, "there is no verb or flag '" + app.remaining().front() + "'");
        const std::string problem = problem_text(app, error);
        if (!typed.empty() && client_verbs.has(*typed.front()))
            return tell_bad_client_usage(terminal, typed.front()->get_name(), problem);
        return tell_bad_usage(terminal, problem);
    }
    if (app.get_subcommands().empty()) return tell_bad_usage(terminal, "say what to do: no verb was given");
    if (verbs.start_log) verbs.start_log(log_options);
    if (up->parsed()) return verbs.up(up_options, terminal);
    if (run->parsed()) return verbs.run(run_options, terminal);
    if (controllers->parsed()) return verbs.controllers(controllers_options, terminal);
    if (manifests->parsed()) return run_manifests(manifests_options, terminal);
    if (completion->parsed()) return print_completion(shell, terminal);
    if (surroundings)
        if (const std::optional<int> exit_code = client_verbs.run(*surroundings, terminal)) return *exit_code;
    return print_help(app, help_verb, terminal);
}

}  // namespace muster::cli
