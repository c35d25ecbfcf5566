#include "main/run.h"

#include <algorithm>
#include <ostream>
#include <sstream>

#include "cli/client/apply.h"
#include "cli/run/pod_facts.h"
#include "cli/run/runner.h"
#include "cli/run/work.h"
#include "client/remote/remote_client.h"
#include "main/control_plane.h"
#include "main/pod_logs.h"
#include "os/log/log.h"
#include "os/loop/signals.h"
#include "os/loop/thread_worker.h"
#include "os/machine/caller.h"
#include "os/machine/machine.h"
#include "server/local_client.h"

namespace muster {
namespace {

constexpr int kExitInterrupted = 130;
constexpr int kError = 2;  // the descriptor that people look at
constexpr Duration kServerPatience = 30s;
constexpr Duration kServerRetry = 20ms;

os::Task<void> sleep_task(os::Loop& loop, Duration span) { co_await os::sleep_for(loop, span); }

os::Task<bool> wait_durable(store::Store& store) {
    co_await store.durable(store.revision());
    co_return true;
}

os::Task<Result<>> wait_served(os::Completion<Result<>> served) { co_return co_await served; }

// As the kubeconfig's administrator would do it over HTTPS.
server::User administrator() {
    server::User user;
    user.name = "kubernetes-admin";
    user.groups = {std::string(server::kMastersGroup), std::string(server::kAuthenticatedGroup)};
    return user;
}

cli::UpOptions embedded_options(const std::string& data_directory) {
    cli::UpOptions options;
    options.data_directory = data_directory;
    options.listen = "127.0.0.1:0";
    return options;
}

cli::Caller this_caller() {
    cli::Caller caller;
    caller.directory = os::absolute_path(".");
    while (caller.directory.size() > 1 && caller.directory.back() == '/') caller.directory.pop_back();
    caller.environment = os::caller_environment();
    caller.processors = os::processor_count();
    return caller;
}

// The user says which server, so that the data directory does not matter.
bool names_server(const cli::RunOptions& options) { return !options.kubeconfig.empty() || !options.context.empty(); }

std::vector<std::string> kubeconfigs_for(const cli::RunOptions& options, const cli::Surroundings& surroundings) {
    if (!names_server(options)) return {options.data_directory + "/kubeconfig"};
    return client::kubeconfig_paths(options.kubeconfig, surroundings.environment("KUBECONFIG"), options.data_directory,
                                    surroundings.environment("HOME"));
}

Result<client::ServerAccess> read_access_for(const cli::RunOptions& options, const cli::Surroundings& surroundings) {
    client::KubeconfigOptions which;
    if (!options.context.empty()) which.context = options.context;
    return client::read_kubeconfig(kubeconfigs_for(options, surroundings), which, surroundings.read_file);
}

class Run {
public:
    Run(const cli::RunOptions& options, cli::Terminal terminal, const cli::Surroundings& surroundings, cli::Work work)
        : options_(options),
          terminal_(terminal),
          surroundings_(surroundings),
          work_(std::move(work)),
          // Before any thread is there: they inherit that these are blocked.
          signals_(loop_, os::end_signals(), [this](int) { on_signal(); }),
          worker_("run"),
          single_(work_.jobs.size() == 1 && cli::is_single(work_.jobs.front())),
          report_(style(), terminal) {}

    int run() {
        while (true) {
            const Result<bool> found = find_server();
            if (!found.ok()) return say(found.error());
            if (interrupted_) return kExitInterrupted;
            if (const Result<> applied = apply_others(); !applied.ok()) return say(applied.error());
            const cli::RunOutcome outcome = follow();
            if (outcome == cli::RunOutcome::kLost) {
                again_ = true;
                client_.reset();
                continue;
            }
            return finish(outcome);
        }
    }

private:
    cli::ReportStyle style() {
        cli::ReportStyle style;
        style.json = options_.json;
        style.quiet = options_.quiet;
        style.live = os::is_terminal(kError);
        style.plain = single_;
        style.width = [] { return os::terminal_width(kError, 80); };
        style.clock = [this] { return loop_.uptime(); };
        return style;
    }

    int say(const Error& error) {
        report_.problem(error.message);
        return cli::kExitBadUsage;
    }

    void on_signal() {
        interrupted_ = true;
        if (runner_) runner_->interrupt();
        // Stop waiting for a server.
        if (!runner_) loop_.stop();
    }

    // Makes a control plane of our own, or finds the one that has the data directory. Both may come and go meanwhile:
    // one that starts does not answer yet, one that ends lets go of the directory.
    Result<bool> find_server() {
        const Duration begun = loop_.uptime();
        while (true) {
            const Result<> started = names_server(options_) ? unembedded() : embed();
            if (started.ok()) return true;
            if (started.error().code != Code::kUnavailable) return started.error();
            const Result<> connected = connect();
            if (connected.ok() || interrupted_) return false;
            if (names_server(options_) && connected.error().code != Code::kUnavailable) return connected.error();
            if (loop_.uptime() - begun > kServerPatience)
                return Error{
                    Code::kUnavailable,
                    started.error().message + ", which does not answer at the address in " + kubeconfigs().front()};
            loop_.run(sleep_task(loop_, kServerRetry));
        }
    }

    static Result<> unembedded() { return Error{Code::kUnavailable, "the Jobs are run by a server"}; }

    Result<> embed() {
        auto plane = std::make_unique<ControlPlane>(loop_, embedded_options(options_.data_directory),
                                                    [](std::string_view problem) { LOG_WARNING(problem); });
        TRY(plane->start());
        served_ = std::make_unique<os::Completion<Result<>>>(loop_);
        TRY(plane->serve([served = *served_](const Result<>& written) {
            if (!written.ok()) LOG_ERROR("Cannot serve", {"err", written.error().message});
            served.resolve(written);
        }));
        plane_ = std::move(plane);
        client_ = std::make_unique<server::LocalClient>(plane_->objects(), administrator());
        remote_ = nullptr;
        return {};
    }

    Result<> connect() {
        TRY_ASSIGN(const client::ServerAccess access, read_access());
        client::RemoteSettings settings;
        settings.transport.variable = surroundings_.environment;
        settings.transport.read_file = surroundings_.read_file;
        TRY_ASSIGN(auto client, client::RemoteClient::make(loop_, access, std::move(settings)));
        if (!loop_.run(client->is_ready())) return Error{Code::kUnavailable, "the server does not answer"};
        remote_ = client.get();
        client_ = std::move(client);
        return {};
    }

    std::vector<std::string> kubeconfigs() const { return kubeconfigs_for(options_, surroundings_); }
    Result<client::ServerAccess> read_access() const { return read_access_for(options_, surroundings_); }

    // A connection of its own, for what blocks.
    Result<std::unique_ptr<cli::Connection>> connect_verbs() const {
        TRY_ASSIGN(const client::ServerAccess access, read_access());
        return surroundings_.connect(access);
    }

    // Through the door, as `muster apply` does it, and so on a thread of its own: the server may be on this one.
    Result<> apply_others() {
        if (work_.others.empty() || again_) return {};
        if (served_) TRY(loop_.run(wait_served(*served_)));
        served_.reset();
        const auto apply = [this]() -> std::pair<int, std::string> {
            std::ostringstream said;
            auto connection = connect_verbs();
            if (!connection.ok()) return {1, connection.error().message};
            cli::Session session{**connection, {said, said}};
            session.now = surroundings_.now;
            session.read_file = [this](const std::string& number) {
                return Result<std::string>(work_.others[static_cast<std::size_t>(std::stoul(number))]);
            };
            cli::ApplyOptions options;
            options.namespace_ = options_.namespace_;
            for (std::size_t i = 0; i < work_.others.size(); ++i) options.files.push_back(std::to_string(i));
            const int code = cli::run_apply(options, session);
            return {code, said.str()};
        };
        auto [code, said] = loop_.run(os::offload(loop_, worker_, apply));
        while (said.ends_with('\n')) said.pop_back();
        if (code != cli::kExitDone) return Error{Code::kInvalid, said};
        report_.note(said);
        return {};
    }

    cli::PodLogs pod_logs() {
        if (plane_ && plane_->pods()) return pod_logs_of(*plane_->pods(), options_.data_directory);
        CHECK(remote_, "the Jobs are run by this process or by a server");
        return names_server(options_) ? served_pod_logs(*remote_) : served_pod_logs(*remote_, options_.data_directory);
    }

    cli::RunOutcome follow() {
        const cli::PodLogs logs = pod_logs();
        cli::RunnerSetup setup{loop_, *client_, report_, logs};
        setup.stream_output = single_;
        setup.print_output = options_.logs && !single_;
        setup.remove_complete = options_.remove;
        setup.again = again_;
        if (remote_) setup.is_lost = [this] { return remote_->out_of_touch(); };
        runner_ = std::make_unique<cli::Runner>(std::move(setup));
        if (interrupted_) runner_->interrupt();
        const cli::RunOutcome outcome = loop_.run(runner_->run(work_.jobs));
        runner_.reset();
        return outcome;
    }

    // What was told must be so after a crash, too.
    int finish(cli::RunOutcome outcome) {
        if (plane_) loop_.run(wait_durable(plane_->store()));
        client_.reset();
        plane_.reset();
        switch (outcome) {
            case cli::RunOutcome::kComplete: return cli::kExitDone;
            case cli::RunOutcome::kRefused: return cli::kExitBadUsage;
            case cli::RunOutcome::kInterrupted: return kExitInterrupted;
            case cli::RunOutcome::kFailed:
            case cli::RunOutcome::kLost: break;
        }
        return 1;
    }

    const cli::RunOptions& options_;
    cli::Terminal terminal_;
    const cli::Surroundings& surroundings_;
    const cli::Work work_;
    os::RealLoop loop_;
    os::Signals signals_;
    os::ThreadWorker worker_;
    const bool single_;
    cli::Report report_;
    std::unique_ptr<ControlPlane> plane_;
    std::unique_ptr<os::Completion<Result<>>> served_;  // of plane_
    std::unique_ptr<client::Client> client_;
    client::RemoteClient* remote_ = nullptr;  // client_, when it is one
    std::unique_ptr<cli::Runner> runner_;
    bool interrupted_ = false;
    bool again_ = false;
};

}  // namespace

int run_run(const cli::RunOptions& given, cli::Terminal terminal, const cli::Surroundings& surroundings) {
    cli::RunOptions options = given;
    if (names_server(options)) {
        const Result<client::ServerAccess> access = read_access_for(options, surroundings);
        if (!access.ok()) {
            terminal.err << "muster: " << access.error().message << '\n';
            return cli::kExitBadUsage;
        }
        if (options.namespace_.empty()) options.namespace_ = access->namespace_;
    }
    if (!options.work_directory.empty()) options.work_directory = os::absolute_path(options.work_directory);
    Result<cli::Work> work = cli::gather_work(options, this_caller(), surroundings.read_manifest);
    if (!work.ok()) {
        terminal.err << "muster: " << work.error().message << '\n';
        return cli::kExitBadUsage;
    }
    return Run(options, terminal, surroundings, std::move(*work)).run();
}

}  // namespace muster
