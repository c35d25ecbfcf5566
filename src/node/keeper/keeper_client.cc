#include "node/keeper/keeper_client.h"

#include <algorithm>

#include "base/check.h"
#include "node/keeper/keeper.h"
#include "node/keeper/wire.h"
#include "node/runtime/node_paths.h"

namespace muster::node {
namespace {

// A keeper takes some milliseconds to start, and pods wait for it: so at first it is looked for often.
constexpr Duration kRetryFirst = 1ms;
constexpr int kRetriesFirst = 100;
constexpr Duration kRetryMax = 1s;
// A keeper that was left ends at once.
constexpr Duration kKeeperEnds = 20ms;
constexpr const char* kHelperVersion = "NodeHelperVersion";
constexpr const char* kKeeperPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

}  // namespace

KeeperClient::KeeperClient(os::RealLoop& loop, os::Processes& processes, std::string directory,
                           std::vector<std::string> keeper, LogLimits logs)
    : loop_(loop),
      processes_(processes),
      directory_(std::move(directory)),
      keeper_(std::move(keeper)),
      logs_(logs),
      closed_(loop),
      tasks_(loop) {}

KeeperClient::~KeeperClient() = default;

void KeeperClient::listen(RunListener listener) {
    CHECK(!listener_.run, "runs have one listener");
    listener_ = std::move(listener);
    tasks_.spawn(stay_in_touch());
}

os::Task<void> KeeperClient::stay_in_touch() {
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
        terms_ = {};
        told_unclear_ = false;
        complete_since_ = {};
        given_.clear();
        held_.clear();
        socket_->send(format_message(logs_));
        socket_->listen([this](std::vector<std::string> lines) { on_lines(lines); }, [this] { closed_.notify(); });
        while (!socket_->closed() && !leaves_) co_await closed_.wait();
        socket_.reset();
        listener_.out_of_touch();
        if (std::exchange(leaves_, false)) co_await os::sleep_for(loop_, kKeeperEnds);
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

void KeeperClient::on_lines(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
        const Result<Message> message = parse_message(line);
        if (message.ok())
            on_message(*message);
        else if (message.error().code != Code::kNotFound)
            tell_unclear("the node helper sent a message that this server cannot read: " + message.error().message);
    }
}

void KeeperClient::on_message(const Message& message) {
    if (const auto* version = std::get_if<KeeperVersion>(&message)) terms_.version = version->number;
    if (const auto* oldest = std::get_if<OldestServer>(&message)) terms_.oldest_server = oldest->number;
    if (const auto* since = std::get_if<CompleteSince>(&message)) complete_since_ = since->at;
    if (const auto* record = std::get_if<RunRecord>(&message)) on_record(*record);
    if (const auto* stream = std::get_if<StreamMessage>(&message); stream && on_stream_) on_stream_(*stream);
    if (const auto* notice = std::get_if<Notice>(&message)) listener_.notice("RunRecordDamaged", notice->text);
    if (const auto* unclear = std::get_if<Unclear>(&message))
        tell_unclear("the node helper cannot read a message of this server: " + unclear->what);
    if (std::holds_alternative<Synced>(message)) listener_.in_touch();
}

void KeeperClient::tell_unclear(const std::string& text) {
    if (std::exchange(told_unclear_, true)) return;
    listener_.notice(kHelperVersion, text +
                                         ". Server and node helper are of different versions: run the version of "
                                         "muster that started the node helper, or delete the node's pods, so that a "
                                         "new node helper starts");
}

// What is asked for in one turn goes out as one piece, so that many starts share one sync of the keeper's disk.
void KeeperClient::send(std::string line) {
    if (!socket_) return;
    if (waiting_.empty()) tasks_.spawn(send_waiting());
    waiting_ += line;
}

os::Task<void> KeeperClient::send_waiting() {
    const std::string lines = std::exchange(waiting_, {});
    if (socket_) socket_->send(lines);
    co_return;
}

void KeeperClient::on_record(const RunRecord& record) {
    listener_.run(record);
    if (starts_all(terms_)) return;
    if (record.active())
        given_.insert(record.key);
    else
        given_.erase(record.key);
    leave_when_idle();
}

void KeeperClient::start(RunRequest request) {
    if (!socket_) return;
    if (!can_start(terms_, request)) return hold_back(request.key);
    if (!starts_all(terms_)) given_.insert(request.key);
    const bool known = request.pod_created_at != Instant();
    if (known && request.pod_created_at <= complete_since_) send(format_message(OlderPod{request.key.pod_uid}));
    send(format_message(std::move(request)));
}

void KeeperClient::hold_back(const RunKey& key) {
    if (!given_.empty()) {
        const std::string why = explain_wait(terms_, given_.size());
        if (held_.empty()) listener_.notice(kHelperVersion, why);
        listener_.waits(key, why);
    }
    held_.insert(key);
    leave_when_idle();
}

void KeeperClient::leave_when_idle() {
    if (held_.empty() || !given_.empty() || leaves_) return;
    leaves_ = true;
    closed_.notify();
}

os::Task<void> KeeperClient::tell_not_started(RunKey key) {
    RunRecord record;
    record.key = key;
    record.state = RunState::kNotStarted;
    record.ended_at = loop_.now();
    record.message = "it was ended before the node's helper could start it";
    listener_.run(record);
    co_return;
}

void KeeperClient::signal(const RunKey& key, int number) {
    if (held_.erase(key) != 0) return tasks_.spawn(tell_not_started(key));
    SignalRequest request;
    request.key = key;
    request.number = number;
    send(format_message(std::move(request)));
}

void KeeperClient::forget(const Text& pod_uid) {
    erase_runs_of(held_, pod_uid);
    erase_runs_of(given_, pod_uid);
    leave_when_idle();
    ForgetRequest request;
    request.pod_uid = pod_uid;
    send(format_message(std::move(request)));
}

}  // namespace muster::node
