#include "node/process_runtime.h"

#include <algorithm>

#include "node/keeper.h"
#include "node/wire.h"

namespace muster::node {
namespace {

// A keeper takes some milliseconds to start, and pods wait for it: so at first it is looked for often.
constexpr Duration kRetryFirst = 1ms;
constexpr int kRetriesFirst = 100;
constexpr Duration kRetryMax = 1s;
constexpr const char* kKeeperPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

}  // namespace

ProcessRuntime::ProcessRuntime(os::RealLoop& loop, os::Processes& processes, std::string directory,
                               std::vector<std::string> keeper, LogLimits logs)
    : loop_(loop),
      processes_(processes),
      directory_(std::move(directory)),
      keeper_(std::move(keeper)),
      logs_(logs),
      closed_(loop),
      tasks_(loop) {}

ProcessRuntime::~ProcessRuntime() = default;

void ProcessRuntime::listen(Listener listener) {
    listener_ = std::move(listener);
    tasks_.spawn(stay_in_touch());
}

os::Task<void> ProcessRuntime::stay_in_touch() {
    Duration delay = kRetryFirst;
    int tries = keeper_comes_ ? 1 : 0;
    for (;;) {
        auto socket = os::LineSocket::connect(loop_, keeper_socket(directory_));
        if (!socket.ok()) {
            // A second one finds the directory locked and ends.
            if (tries == 0 || delay == kRetryMax) start_keeper(processes_, directory_, keeper_);
            co_await os::sleep_for(loop_, delay);
            if (++tries > kRetriesFirst) delay = std::min(2 * delay, kRetryMax);
            continue;
        }
        delay = kRetryFirst;
        tries = 0;
        socket_ = std::move(*socket);
        socket_->send(format_message(logs_));
        socket_->listen([this](std::vector<std::string> lines) { on_lines(lines); }, [this] { closed_.notify(); });
        while (!socket_->closed()) co_await closed_.wait();
        socket_.reset();
        listener_.out_of_touch();
    }
}

void start_keeper(os::Processes& processes, const std::string& directory, const std::vector<std::string>& keeper) {
    os::ProcessSpec spec;
    spec.program = keeper.front();
    spec.arguments = keeper;
    spec.environment = {kKeeperPath, keeper_mark(directory)};
    // What keeps it from starting shows as touch that is not found.
    (void)processes.start(spec).ok();
}

void ProcessRuntime::on_lines(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
        const Result<Message> message = parse_message(line);
        if (!message.ok()) continue;
        if (const auto* record = std::get_if<RunRecord>(&*message)) listener_.run(*record);
        if (const auto* stream = std::get_if<StreamMessage>(&*message); stream && on_stream_) on_stream_(*stream);
        if (const auto* notice = std::get_if<Notice>(&*message); notice && listener_.notice)
            listener_.notice(notice->text);
        if (std::holds_alternative<Synced>(*message)) listener_.in_touch();
    }
}

// What is asked for in one turn goes out as one piece, so that many starts share one sync of the keeper's disk.
void ProcessRuntime::send(std::string line) {
    if (!socket_) return;
    if (waiting_.empty()) tasks_.spawn(send_waiting());
    waiting_ += line;
}

os::Task<void> ProcessRuntime::send_waiting() {
    const std::string lines = std::exchange(waiting_, {});
    if (socket_) socket_->send(lines);
    co_return;
}

void ProcessRuntime::start(RunRequest request) { send(format_message(std::move(request))); }

void ProcessRuntime::signal(const RunKey& key, int number) {
    SignalRequest request;
    request.key = key;
    request.number = number;
    send(format_message(std::move(request)));
}

void ProcessRuntime::forget(const Text& pod_uid) {
    ForgetRequest request;
    request.pod_uid = pod_uid;
    send(format_message(std::move(request)));
}

}  // namespace muster::node
