#include "cli/client/verbs.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>

#include "cli/client/api_resources.h"
#include "cli/client/apply.h"
#include "cli/client/backup.h"
#include "cli/client/delete.h"
#include "cli/client/describe.h"
#include "cli/client/get.h"
#include "cli/client/logs.h"
#include "cli/client/queue_check.h"
#include "cli/client/queue_handover.h"
#include "cli/client/uninstall_check.h"
#include "cli/client/wait.h"
#include "cli/up/up_options.h"
#include "os/files/files.h"

namespace muster::cli {
namespace {

constexpr const char* kGroup = "Verbs that talk to a server";

// A word that may be given, and what it stands for.
using Words = std::vector<std::pair<std::string, std::string>>;

std::string word_of(DryRun mode) { return std::to_string(static_cast<int>(mode)); }
const Words kDryRuns{
    {"none", word_of(DryRun::kNone)}, {"client", word_of(DryRun::kClient)}, {"server", word_of(DryRun::kServer)}};
const Words kValidations{
    {"strict", "Strict"}, {"true", "Strict"}, {"warn", "Warn"}, {"ignore", "Ignore"}, {"false", "Ignore"}};

// Only these words, told in a sentence when it is another.
CLI::Validator one_of(Words words) {
    const auto replace = [words = std::move(words)](std::string& given) -> std::string {
        std::string known;
        for (const auto& [word, meaning] : words) {
            if (word == given) {
                given = meaning;
                return "";
            }
            known += (known.empty() ? "" : ", ") + word;
        }
        return "\"" + given + "\" is not one of " + known;
    };
    return CLI::Validator(replace, "");
}
CLI::Validator one_of(std::initializer_list<const char*> words) {
    Words same;
    for (const char* word : words) same.emplace_back(word, word);
    return one_of(std::move(same));
}

struct ServerFlags {
    std::string kubeconfig{};
    std::string context{};
    std::string namespace_{};
};

void add_connection_flags(CLI::App& verb, ServerFlags& flags) {
    verb.add_option("--kubeconfig", flags.kubeconfig,
                    "The kubeconfig. By default $KUBECONFIG, else that of `muster up`, else ~/.kube/config");
    verb.add_option("--context", flags.context, "The kubeconfig's context to use");
}

// Not for verbs of ours that look at a server or a cluster as a whole. kubectl api-resources takes a namespace.
void add_server_flags(CLI::App& verb, ServerFlags& flags) {
    add_connection_flags(verb, flags);
    verb.add_option("-n,--namespace", flags.namespace_, "The namespace to look into");
}

void add_selection(CLI::App& verb, SelectionOptions& selection) {
    verb.add_option("what", selection.arguments, "TYPE, TYPE NAME..., TYPE/NAME... or TYPE,TYPE");
    verb.add_option("-l,--selector", selection.label_selector, "Only objects with such labels: a=b,c!=d,e in (x,y)");
    verb.add_flag("-A,--all-namespaces", selection.all_namespaces, "Look into all namespaces");
}

void add_files(CLI::App& verb, std::vector<std::string>& files, bool& recursive, const char* about) {
    verb.add_option("-f,--filename", files, about)->allow_extra_args(false);
    verb.add_flag("-R,--recursive", recursive, "Of a directory, also the manifests in directories below");
}

}  // namespace

struct ClientVerbs::Choices {
    ServerFlags server;
    GetOptions get;
    DescribeOptions describe;
    ApplyOptions apply;
    DeleteOptions remove;
    WaitOptions wait;
    LogsOptions logs;
    ApiResourcesOptions api_resources;
    BackupOptions backup;
    UninstallCheckOptions uninstall_check;
    QueueCheckOptions queue_check;
    HandoverOptions handover;
    bool no_headers = false;
    bool namespaced = false;
    std::string group;
    std::int64_t grace_period = -1;
    CLI::Option* namespaced_flag = nullptr;
    CLI::Option* group_flag = nullptr;
    CLI::Option* grace_flag = nullptr;
    std::vector<std::pair<CLI::App*, std::function<int(Session&)>>> verbs;

    void declare_get(CLI::App& app);
    void declare_describe(CLI::App& app);
    void declare_apply(CLI::App& app);
    void declare_delete(CLI::App& app);
    void declare_wait(CLI::App& app);
    void declare_logs(CLI::App& app);
    void declare_api_resources(CLI::App& app);
    void declare_backup(CLI::App& app);
    void declare_uninstall_check(CLI::App& app);
    void declare_queue(CLI::App& app);
};

void ClientVerbs::Choices::declare_get(CLI::App& app) {
    CLI::App* verb = app.add_subcommand("get", "Show objects, as a table or in full")->group(kGroup);
    add_server_flags(*verb, server);
    add_selection(*verb, get.selection);
    add_files(*verb, get.selection.files, get.selection.recursive, "The objects that a manifest names");
    verb->add_option("--field-selector", get.selection.field_selector,
                     "Only objects with such fields: status.phase=Running");
    verb->add_option("-o,--output", get.output, "json, yaml, wide, name or jsonpath={...}");
    verb->add_flag("-w,--watch", get.watch, "Go on and show what changes");
    verb->add_flag("--watch-only", get.watch_only, "Show only what changes");
    verb->add_flag("--no-headers", no_headers, "Leave the headings out");
    verb->add_flag("--show-labels", get.show_labels, "Show labels in a last column");
    verb->add_flag("--ignore-not-found", get.ignore_not_found, "Objects that are not there are no failure");
    verbs.emplace_back(verb, [this](Session& session) {
        get.headers = !no_headers;
        get.watch = get.watch || get.watch_only;
        get.selection.namespace_ = server.namespace_;
        return run_get(get, session);
    });
}

void ClientVerbs::Choices::declare_describe(CLI::App& app) {
    CLI::App* verb = app.add_subcommand("describe", "Tell an object at length, and what happened to it")->group(kGroup);
    add_server_flags(*verb, server);
    add_selection(*verb, describe.selection);
    add_files(*verb, describe.selection.files, describe.selection.recursive, "The objects that a manifest names");
    verb->add_flag("--show-events,!--no-events", describe.show_events, "Tell what happened too")->capture_default_str();
    verbs.emplace_back(verb, [this](Session& session) {
        describe.selection.namespace_ = server.namespace_;
        return run_describe(describe, session);
    });
}

void ClientVerbs::Choices::declare_apply(CLI::App& app) {
    CLI::App* verb = app.add_subcommand("apply", "Make the server have what manifests say")->group(kGroup);
    add_server_flags(*verb, server);
    add_files(*verb, apply.files, apply.recursive,
              "A manifest, a directory of them, or - for standard input. May be repeated");
    verb->add_option("--dry-run", apply.dry_run, "none, client or server: do everything but store it")
        ->transform(one_of(kDryRuns));
    verb->add_option("--validate", apply.validate, "strict, warn or ignore: what to do about unknown fields")
        ->transform(one_of(kValidations));
    verb->add_option("-o,--output", apply.output, "name, json or yaml")->transform(one_of({"name", "json", "yaml"}));
    verbs.emplace_back(verb, [this](Session& session) {
        apply.namespace_ = server.namespace_;
        return run_apply(apply, session);
    });
}

void ClientVerbs::Choices::declare_delete(CLI::App& app) {
    CLI::App* verb = app.add_subcommand("delete", "Remove objects")->group(kGroup);
    add_server_flags(*verb, server);
    add_selection(*verb, remove.selection);
    add_files(*verb, remove.selection.files, remove.selection.recursive, "The objects that a manifest names");
    verb->add_option("--field-selector", remove.selection.field_selector, "Only objects with such fields");
    verb->add_flag("--all", remove.selection.all, "All objects of the type");
    verb->add_option("--cascade", remove.cascade, "What becomes of dependents: background, foreground or orphan")
        ->capture_default_str();
    grace_flag = verb->add_option("--grace-period", grace_period, "Seconds that pods have to end");
    verb->add_flag("--force", remove.force, "Do not wait for the node to confirm: with --grace-period=0");
    verb->add_flag("--now", remove.now, "As --grace-period=1");
    verb->add_flag("--wait,!--no-wait", remove.wait, "Wait until the objects are gone")->capture_default_str();
    verb->add_option("--timeout", remove.timeout, "How long to wait; 0s is for ever")->capture_default_str();
    verb->add_flag("--ignore-not-found", remove.ignore_not_found, "Objects that are not there are no failure");
    verb->add_option("--dry-run", remove.dry_run, "none, client or server: do everything but remove it")
        ->transform(one_of(kDryRuns));
    verb->add_option("-o,--output", remove.output, "name")->transform(one_of({"name"}));
    verbs.emplace_back(verb, [this](Session& session) {
        if (grace_flag->count() > 0 && grace_period >= 0) remove.grace_period_seconds = grace_period;
        remove.selection.namespace_ = server.namespace_;
        return run_delete(remove, session);
    });
}

void ClientVerbs::Choices::declare_wait(CLI::App& app) {
    CLI::App* verb = app.add_subcommand("wait", "Wait until objects are as they should be")->group(kGroup);
    add_server_flags(*verb, server);
    add_selection(*verb, wait.selection);
    add_files(*verb, wait.selection.files, wait.selection.recursive, "The objects that a manifest names");
    verb->add_option("--field-selector", wait.selection.field_selector, "Only objects with such fields");
    verb->add_flag("--all", wait.selection.all, "All objects of the type");
    verb->add_option("--for", wait.for_, "condition=NAME[=VALUE], jsonpath={...}[=VALUE], delete or create")
        ->required();
    verb->add_option("--timeout", wait.timeout, "How long to wait at most; 0 looks once")->capture_default_str();
    verbs.emplace_back(verb, [this](Session& session) {
        wait.selection.namespace_ = server.namespace_;
        return run_wait(wait, session);
    });
}

void ClientVerbs::Choices::declare_logs(CLI::App& app) {
    CLI::App* verb = app.add_subcommand("logs",
                                        "Show what containers wrote. Of job/NAME that is all pods of the Job, with -f "
                                        "also those that come later, until the Job has ended")
                         ->group(kGroup);
    add_server_flags(*verb, server);
    verb->add_option("what", logs.arguments, "POD [CONTAINER], or TYPE/NAME [CONTAINER] for the pods of an owner");
    verb->add_option("-l,--selector", logs.label_selector, "The pods with such labels: a=b,c!=d,e in (x,y)");
    verb->add_option("-c,--container", logs.container, "The container, when the pod has several");
    verb->add_flag("--all-containers", logs.all_containers, "All containers of a pod");
    verb->add_flag("-f,--follow", logs.follow, "Go on with what comes until the container has ended");
    verb->add_flag("-p,--previous", logs.previous, "What the container wrote before it was last restarted");
    verb->add_option("--tail", logs.tail, "Only so many of the last lines. Of labelled pods 10 by default, else all");
    verb->add_option("--since", logs.since, "Only what is younger than this: 5s, 2m, 3h");
    verb->add_option("--since-time", logs.since_time, "Only what came after this time: 2026-01-02T15:04:05Z");
    verb->add_flag("--timestamps", logs.timestamps, "Begin each line with its time");
    verb->add_flag("--prefix", logs.prefix, "Begin each line with the pod's and the container's name");
    verb->add_option("--limit-bytes", logs.limit_bytes, "No more than so many bytes of each log");
    verb->add_option("--max-log-requests", logs.requests_max,
                     "How many logs to follow at once. Of labelled pods 5 by default, and more are refused; of an "
                     "owner's 50, and more wait for their turn");
    verb->add_flag("--ignore-errors", logs.ignore_errors, "Go on with the others when a log cannot be read");
    verbs.emplace_back(verb, [this](Session& session) { return run_logs(logs, session); });
}

void ClientVerbs::Choices::declare_api_resources(CLI::App& app) {
    CLI::App* verb = app.add_subcommand("api-resources", "Show the types of objects the server has")->group(kGroup);
    add_server_flags(*verb, server);
    verb->add_option("-o,--output", api_resources.output, "wide or name")->transform(one_of({"wide", "name"}));
    verb->add_flag("--no-headers", no_headers, "Leave the headings out");
    namespaced_flag = verb->add_flag("--namespaced", namespaced, "Only those in namespaces; =false for the others");
    group_flag = verb->add_option("--api-group", group, "Only those of this group");
    verb->add_option("--verbs", api_resources.verbs, "Only those that can do all of these")->delimiter(',');
    verbs.emplace_back(verb, [this](Session& session) {
        api_resources.headers = !no_headers;
        if (namespaced_flag->count() > 0) api_resources.namespaced = namespaced;
        if (group_flag->count() > 0) api_resources.group = group;
        return run_api_resources(api_resources, session);
    });
}

void ClientVerbs::Choices::declare_backup(CLI::App& app) {
    CLI::App* verb = app.add_subcommand("backup",
                                        "Copy everything the server has, while it serves, into a directory that "
                                        "`muster up --data-dir` can use")
                         ->group(kGroup);
    add_connection_flags(*verb, server);
    verb->add_option("directory", backup.directory, "Where to, on the server's machine; must not exist yet")
        ->required();
    verbs.emplace_back(verb, [this](Session& session) {
        backup.directory = os::absolute_path(backup.directory);
        return run_backup(backup, session);
    });
}

void ClientVerbs::Choices::declare_uninstall_check(CLI::App& app) {
    CLI::App* verb = app.add_subcommand("uninstall-check",
                                        "List the unfinished Jobs of a cluster, or of one namespace, that only `muster "
                                        "controllers` runs; exits with 1 when there are some")
                         ->group(kGroup);
    add_server_flags(*verb, server);
    verb->add_option("--job-managed-by", uninstall_check.managed_by, "The spec.managedBy of Jobs that are ours")
        ->capture_default_str();
    verbs.emplace_back(verb, [this](Session& session) {
        uninstall_check.namespace_ = server.namespace_;
        return run_uninstall_check(uninstall_check, session);
    });
}

void ClientVerbs::Choices::declare_queue(CLI::App& app) {
    CLI::App* verb =
        app.add_subcommand("queue", "Between Kueue and Muster on a cluster: check, handover")->group(kGroup);
    verb->require_subcommand(1);
    CLI::App* check = verb->add_subcommand("check",
                                           "Say what of the cluster's queueing objects Muster does not serve; changes "
                                           "nothing. Exits with 0 when it serves "
                                           "all, 1 when not, 2 when that cannot be found out");
    add_connection_flags(*check, server);
    check->add_flag("--no-headers", no_headers, "Leave the headings out");
    CLI::App* give = verb->add_subcommand(
        "handover", "Give the Workloads back to Kueue, after Muster was stopped; says what remains to be done");
    add_connection_flags(*give, server);
    give->add_option("--leader-elect-resource-namespace", handover.lease_namespace, "The namespace of Muster's lease")
        ->capture_default_str();
    give->add_option("--leader-elect-resource-name", handover.lease_name, "The name of Muster's lease")
        ->capture_default_str();
    give->add_flag("--ignore-lease", handover.ignore_lease, "Muster goes on without queue among its --controllers");
    give->add_flag("--dry-run", handover.dry_run, "Only say what would be done");
    verbs.emplace_back(verb, [this, check](Session& session) {
        queue_check.headers = !no_headers;
        return check->parsed() ? run_queue_check(queue_check, session) : run_queue_handover(handover, session);
    });
}

ClientVerbs::ClientVerbs() : choices_(std::make_unique<Choices>()) {}
ClientVerbs::~ClientVerbs() = default;

void ClientVerbs::declare(CLI::App& app) {
    choices_->declare_get(app);
    choices_->declare_describe(app);
    choices_->declare_apply(app);
    choices_->declare_delete(app);
    choices_->declare_wait(app);
    choices_->declare_logs(app);
    choices_->declare_api_resources(app);
    choices_->declare_backup(app);
    choices_->declare_uninstall_check(app);
    choices_->declare_queue(app);
    // Of a flag that is given twice the last counts.
    for (const auto& [verb, action] : choices_->verbs)
        for (CLI::Option* option : verb->get_options())
            if (option->get_items_expected_max() == 1) option->take_last();
}

bool ClientVerbs::has(const CLI::App& verb) const {
    return std::ranges::any_of(choices_->verbs, [&](const auto& each) { return each.first == &verb; });
}

std::optional<int> ClientVerbs::run(const Surroundings& surroundings, Terminal terminal) {
    for (const auto& [verb, action] : choices_->verbs) {
        if (!verb->parsed()) continue;
        // Of `queue check` 1 says that something is not served.
        const int failed = verb->get_name() == "queue" ? kExitBadUsage : kExitFailed;
        const auto fail = [&](const Error& error) {
            terminal.err << "error: " << error.message << '\n';
            return failed;
        };
        const ServerFlags& flags = choices_->server;
        const std::vector<std::string> paths =
            kubeconfig_paths(flags.kubeconfig, surroundings.environment("KUBECONFIG"), UpOptions().data_directory,
                             surroundings.environment("HOME"));
        KubeconfigOptions options;
        if (!flags.context.empty()) options.context = flags.context;
        Result<ServerAccess> access = read_kubeconfig(paths, options, surroundings.read_file);
        // In a pod, as kubectl does: its own cluster.
        if (!access.ok() && flags.kubeconfig.empty() && flags.context.empty())
            if (auto own = client::in_cluster_access(surroundings.environment, surroundings.read_file); own.ok())
                access = std::move(own);
        if (!access.ok()) return fail(access.error());
        Result<std::unique_ptr<Connection>> connection = surroundings.connect(*access);
        if (!connection.ok()) return fail(connection.error());
        Session session{**connection,
                        terminal,
                        access->namespace_,
                        surroundings.now,
                        surroundings.read_manifest,
                        surroundings.manifests_in};
        if (!flags.namespace_.empty()) session.namespace_ = flags.namespace_;
        return action(session);
    }
    return std::nullopt;
}

}  // namespace muster::cli
