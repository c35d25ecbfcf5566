#include "node/inside/process_actions.h"

#include "base/ascii.h"
#include "node/inside/inside.h"
#include "node/inside/probe_request.h"
#include "node/pods/vitals.h"
#include "os/http/client/http_client.h"
#include "os/loop/thread_worker.h"
#include "os/loop/within.h"
#include "os/network/linux_network.h"
#include "os/network/resolve.h"
#include "os/process/output_pipe.h"
#include "os/process/process_table.h"

namespace muster::node {
namespace {

constexpr std::size_t kOutputMax = 10 << 10;
constexpr int kRedirectsMax = 10;

ActionResult failure(std::string why) { return {ActionResult::Kind::kFailure, std::move(why)}; }
ActionResult trouble(std::string why) { return {ActionResult::Kind::kError, std::move(why)}; }

// Kills the command when its caller does not wait any more.
struct Held {
    explicit Held(std::shared_ptr<os::Process> started) : process(std::move(started)) {}
    ~Held() {
        if (!process->end()) (void)process->signal(os::kKillSignal).ok();
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    std::shared_ptr<os::Process> process;
};

std::string format_command(const List<Text>& command) {
    std::string out;
    for (const Text& word : command) out += (out.empty() ? "" : " ") + word.str();
    return out;
}

std::string format_seconds_of(Duration span) {
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(span).count()) + 's';
}

}  // namespace

ProcessActions::ProcessActions(os::RealLoop& loop, os::Processes& processes, RunBoard& board)
    : loop_(loop), processes_(processes), board_(board), network_(std::make_unique<os::LinuxNetwork>(loop)) {}

ProcessActions::~ProcessActions() = default;

os::Worker& ProcessActions::resolver() {
    if (!resolver_) resolver_ = std::make_unique<os::ThreadWorker>("probe-names");
    return *resolver_;
}

os::Task<ActionResult> ProcessActions::act(Action action, ActionTarget target, Duration timeout) {
    if (action.exec) co_return co_await run(std::move(action), std::move(target), timeout);
    if (action.sleep) co_return co_await sleep(std::move(action));
    if (action.http_get) {
        const Result<ProbeUrl> made = make_probe_url(*action.http_get, target);
        const std::string url = made.ok() ? format_url(*made) : std::string();
        auto answer = co_await os::within(loop_, timeout, get(std::move(action), std::move(target)));
        if (answer) co_return std::move(*answer);
        co_return failure("Get \"" + url +
                          "\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)");
    }
    if (action.tcp_socket) {
        const Text host = action.tcp_socket->host.empty() ? target.pod_ip : action.tcp_socket->host;
        const std::string port = action.tcp_socket->port.text();
        auto answer = co_await os::within(loop_, timeout, connect(std::move(action), std::move(target)));
        if (answer) co_return std::move(*answer);
        co_return failure("dial tcp " + host.str() + ':' + port + ": i/o timeout");
    }
    co_return trouble("invalid handler");
}

os::Task<ActionResult> ProcessActions::sleep(Action action) {
    co_await os::sleep_for(loop_, span_of(action.sleep->seconds));
    co_return ActionResult();
}

os::Task<ActionResult> ProcessActions::run(Action action, ActionTarget target, Duration timeout) {
    auto pipe = os::make_output_pipe();
    if (!pipe.ok()) co_return trouble(pipe.error().message);
    const std::optional<int> pid = board_.find_process(target.run);
    if (!pid) co_return trouble("container not found (\"" + target.run.container.str() + "\")");
    InsideCommand inside;
    inside.pid = *pid;
    inside.directory = target.directory.str();
    for (const Text& word : action.exec->command) inside.command.push_back(word.str());
    inside.output = inside.error = pipe->theirs.number();
    auto process = start_inside(processes_, inside, [this](std::uint64_t label) { board_.enter(label); });
    if (!process.ok()) co_return trouble(process.error().message);
    const Held held(std::move(*process));
    std::string output;
    os::OutputReader reader(loop_, std::move(pipe->ours), [&output](std::string_view data) {
        output += data.substr(0, kOutputMax - std::min(kOutputMax, output.size()));
    });
    const auto end = co_await os::within(loop_, timeout, held.process->wait());
    if (!end)
        co_return failure("command timed out: \"" + format_command(action.exec->command) + "\" timed out after " +
                          format_seconds_of(timeout));
    reader.drain();
    if (end->code == 0 && end->signal == 0) co_return ActionResult{ActionResult::Kind::kSuccess, output};
    co_return failure(std::move(output));
}

os::Task<ActionResult> ProcessActions::connect(Action action, ActionTarget target) {
    const auto& socket = *action.tcp_socket;
    const Result<std::uint16_t> port = find_port(socket.port, target.ports);
    if (!port.ok()) co_return trouble(port.error().message);
    const std::string host = socket.host.empty() ? target.pod_ip.str() : socket.host.str();
    const auto look_up = [host, number = *port] { return os::resolve(host, number); };
    const auto found = co_await os::offload(loop_, resolver(), look_up);
    if (!found.ok()) co_return failure("dial tcp: lookup " + host + ": no such host");
    std::string why;
    for (const os::Address& address : *found) {
        const auto stream = co_await network_->connect(address);
        if (stream.ok()) co_return ActionResult();
        why = "dial tcp " + os::format_address(address) + ": " + dial_words(stream.error());
    }
    co_return failure(std::move(why));
}

os::Task<ActionResult> ProcessActions::get(Action action, ActionTarget target) {
    Result<ProbeUrl> first = make_probe_url(*action.http_get, target);
    if (!first.ok()) co_return trouble(first.error().message);
    ProbeUrl url = *first;
    for (int redirects = 0;; ++redirects) {
        os::HttpClientSettings settings;
        settings.origin.tls = url.tls;
        settings.origin.host = url.host;
        settings.origin.port = url.port;
        settings.tls.verify_server = false;
        settings.user_agent = target.agent.str();
        settings.kept_max = 0;
        auto client = os::make_http_client(loop_, *network_, resolver(), std::move(settings));
        if (!client.ok()) co_return trouble(client.error().message);
        os::HttpClientRequest request("GET", url.target);
        request.headers = make_probe_headers(*action.http_get);
        const auto answer = co_await (*client)->open(std::move(request));
        if (!answer.ok())
            co_return failure("Get \"" + format_url(url) + "\": dial tcp " + url.host + ':' + std::to_string(url.port) +
                              ": " + dial_words(answer.error()));
        const os::HttpAnswerHead& head = (*answer)->head();
        if (head.status < 200 || head.status >= 400)
            co_return failure("HTTP probe failed with statuscode: " + std::to_string(head.status));
        if (head.status < 300) co_return ActionResult();
        const auto next = follow_redirect(url, head.status, head.header("location"));
        if (!next || next->host != first->host) {
            const auto body = co_await (*answer)->next();
            const std::string text = body.ok() && *body ? (*body)->substr(0, kOutputMax) : std::string();
            co_return ActionResult{ActionResult::Kind::kWarning, "Probe terminated redirects, Response body: " + text};
        }
        if (redirects + 1 >= kRedirectsMax)
            co_return failure("Get \"" + format_url(*next) + "\": stopped after 10 redirects");
        url = *next;
    }
}

}  // namespace muster::node
