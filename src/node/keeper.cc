#include "node/keeper.h"

#include <algorithm>

#include "node/cri_log.h"
#include "node/program.h"
#include "os/output_pipe.h"
#include "os/process_table.h"
#include "os/signals.h"

namespace muster::node {
namespace {

constexpr std::size_t kRecordsMax = 1u << 30;
// Rewriting costs as much as what is kept, so it waits for a multiple of that.
constexpr std::size_t kRewriteAfter = 4u << 20;
constexpr Duration kFirstContact = 30s;

constexpr int kOutput = 1;
constexpr int kErrorOutput = 2;

std::string directory_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

std::string keeper_socket(const std::string& directory) { return directory + "/keeper.sock"; }

std::string pod_directory(const std::string& directory, const Text& pod_uid) {
    return directory + "/pods/" + pod_uid.str();
}

std::string run_log(const std::string& directory, const RunKey& key) {
    return pod_directory(directory, key.pod_uid) + '/' + key.container.str() + '/' + std::to_string(key.attempt) +
           ".log";
}

std::string run_mark(const RunKey& key) {
    return "MUSTER_RUN=" + key.pod_uid.str() + '/' + key.container.str() + '/' + std::to_string(key.attempt);
}

// A process that runs, and its output on the way to its log.
class Keeper::Kept {
public:
    Kept(os::RealLoop& loop, os::RecordFile log) : loop_(loop), log_(std::move(log)) {}

    void read(os::Descriptor ours, LineCutter& cutter) {
        readers_.push_back(std::make_unique<os::OutputReader>(
            loop_, std::move(ours), [this, &cutter](std::string_view data) { write(cutter.add(data, loop_.now())); }));
    }
    void read_output(os::Descriptor ours) { read(std::move(ours), output_); }
    void read_errors(os::Descriptor ours) { read(std::move(ours), errors_); }
    // What it wrote before its end is in the log before its end is told.
    void finish_log() {
        for (const auto& reader : readers_) reader->drain();
        readers_.clear();
        write(output_.finish(loop_.now()));
        write(errors_.finish(loop_.now()));
    }
    Result<> signal(int number) {
        if (process) return process->signal(number);
        if (foreign) return foreign->signal(number);
        return {};
    }

    std::shared_ptr<os::Process> process;         // a child of ours
    std::unique_ptr<os::ForeignProcess> foreign;  // or of a keeper before us

private:
    void write(const std::string& entries) {
        // A full disk costs the log's lines, not the process.
        if (!entries.empty()) (void)log_.append(entries).ok();
    }

    os::RealLoop& loop_;
    os::RecordFile log_;
    LineCutter output_{"stdout"};
    LineCutter errors_{"stderr"};
    std::vector<std::unique_ptr<os::OutputReader>> readers_;
};

Keeper::Keeper(os::RealLoop& loop, std::string directory)
    : loop_(loop), directory_(std::move(directory)), boot_(os::boot_id()), processes_(loop), tasks_(loop) {}

Keeper::~Keeper() = default;

Result<> Keeper::start() {
    TRY(files_.create_directories(directory_, os::Access::kOnlyUs));
    TRY_ASSIGN(lock_, files_.lock(directory_ + "/keeper.lock"));
    TRY(read_records());
    for (auto& [key, record] : records_)
        if (record.active()) take_over(record);
    TRY(rewrite_records());
    TRY_ASSIGN(listener_, os::LineListener::open(loop_, keeper_socket(directory_),
                                                 [this](auto socket) { on_accept(std::move(socket)); }));
    loop_.after(kFirstContact, [this] { expect_idle(); });
    return {};
}

Result<> Keeper::read_records() {
    const Result<std::string> text = files_.read(directory_ + "/runs", kRecordsMax);
    if (!text.ok() && text.error().code == Code::kNotFound) return {};
    if (!text.ok()) return text.error();
    std::string_view rest = *text;
    // A last line without its end was being written when the keeper or the machine stopped. What it would have said of
    // a start has then not been acted upon.
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
        const Result<Message> message = parse_message(rest.substr(0, end));
        rest.remove_prefix(end + 1);
        if (!message.ok()) continue;
        if (const auto* record = std::get_if<RunRecord>(&*message)) {
            records_[record->key] = *record;
            drop_older(record->key);
        } else if (const auto* forgotten = std::get_if<ForgetRequest>(&*message)) {
            std::erase_if(records_, [&](const auto& each) { return each.first.pod_uid == forgotten->pod_uid; });
        }
    }
    return {};
}

Result<> Keeper::rewrite_records() {
    std::string text;
    for (const auto& [key, record] : records_) text += format_message(record);
    TRY(files_.replace(directory_ + "/runs", text, os::Access::kOnlyUs));
    TRY_ASSIGN(os::RecordFile file, os::RecordFile::open(directory_ + "/runs"));
    file_.emplace(std::move(file));
    appended_ = 0;
    return {};
}

// Only the latest two attempts of a container are of interest.
void Keeper::drop_older(const RunKey& key) {
    auto oldest = records_.lower_bound({key.pod_uid, key.container, 0});
    while (oldest != records_.end() && oldest->first.attempt + 1 < key.attempt && oldest->first < key) {
        (void)files_.remove(oldest->second.log_path).ok();
        oldest = records_.erase(oldest);
    }
}

void Keeper::take_over(RunRecord& record) {
    const auto lose = [&](const char* why) {
        os::kill_processes(run_mark(record.key));
        record.state = RunState::kLost;
        record.ended_at = loop_.now();
        record.message = why;
    };
    if (record.boot != boot_) return lose("the machine was restarted");
    if (record.state == RunState::kIntended) {
        // The first of them leads the group: the others descend from it.
        const std::vector<int> found = os::find_processes(run_mark(record.key));
        const auto ticks = found.empty() ? std::nullopt : os::process_start_ticks(found.front());
        if (!ticks) return lose("the start was under way when the node's keeper ended");
        record.pid = found.front();
        record.start_ticks = *ticks;
        record.state = RunState::kRunning;
    }
    Result<os::RecordFile> log = os::RecordFile::open(record.log_path);
    if (!log.ok()) return lose("its log cannot be written");
    auto kept = std::make_unique<Kept>(loop_, std::move(*log));
    auto foreign =
        os::ForeignProcess::watch(loop_, record.pid, record.start_ticks,
                                  [this, key = record.key](std::optional<os::ProcessEnd> end) { on_end(key, end); });
    if (!foreign.ok()) return lose("it ended while the node's keeper was not running");
    kept->foreign = std::move(*foreign);
    if (auto output = os::reopen_output(record.pid, kOutput); output.ok()) kept->read_output(std::move(*output));
    if (auto errors = os::reopen_output(record.pid, kErrorOutput); errors.ok()) kept->read_errors(std::move(*errors));
    kept_[record.key] = std::move(kept);
}

void Keeper::on_accept(std::unique_ptr<os::LineSocket> socket) {
    os::LineSocket& peer = *socket;
    peers_.push_back(std::move(socket));
    peer.listen([this, &peer](std::vector<std::string> lines) { on_lines(peer, lines); },
                [this] {
                    // Not from within its own call.
                    loop_.post([this] {
                        std::erase_if(peers_, [](const auto& each) { return each->closed(); });
                        expect_idle();
                    });
                });
    std::string all;
    for (const auto& [key, record] : records_) all += format_message(record);
    peer.send(all + format_message(Synced()));
}

void Keeper::on_lines(os::LineSocket& from, const std::vector<std::string>& lines) {
    std::vector<RunRequest> starts;
    for (const std::string& line : lines) {
        Result<Message> message = parse_message(line);
        if (!message.ok()) continue;
        if (auto* start = std::get_if<RunRequest>(&*message)) {
            starts.push_back(std::move(*start));
            continue;
        }
        // In the order in which they were said: what is signalled may be among what is to be started.
        start_all(from, std::exchange(starts, {}));
        if (const auto* request = std::get_if<SignalRequest>(&*message)) signal(*request);
        if (const auto* request = std::get_if<ForgetRequest>(&*message)) forget(request->pod_uid);
    }
    start_all(from, std::move(starts));
}

void Keeper::start_all(os::LineSocket& from, std::vector<RunRequest> requests) {
    std::string intents;
    std::erase_if(requests, [&](const RunRequest& request) {
        const auto known = records_.find(request.key);
        if (known != records_.end()) {
            from.send(format_message(known->second));
            return true;
        }
        RunRecord& record = records_[request.key];
        record.key = request.key;
        record.boot = boot_;
        record.log_path = request.log_path;
        record.started_at = loop_.now();
        intents += format_message(record);
        return false;
    });
    if (requests.empty()) return;
    store(intents, true);
    std::string outcomes;
    for (const RunRequest& request : requests) {
        RunRecord& record = records_[request.key];
        start_one(request, record);
        outcomes += format_message(record);
        drop_older(request.key);
    }
    store(outcomes, false);
    for (const auto& peer : peers_) peer->send(outcomes);
}

void Keeper::start_one(const RunRequest& request, RunRecord& record) {
    const auto fail = [&](std::string why) {
        record.state = RunState::kNotStarted;
        record.ended_at = loop_.now();
        record.message = std::move(why);
    };
    if (const Result<> made = files_.create_directories(directory_of(request.log_path), os::Access::kOnlyUs);
        !made.ok())
        return fail(made.error().message);
    const Result<std::string> program = find_program(files_, request);
    if (!program.ok()) return fail(program.error().message);
    Result<os::RecordFile> log = os::RecordFile::open(request.log_path);
    if (!log.ok()) return fail(log.error().message);
    auto output = os::make_output_pipe();
    auto errors = os::make_output_pipe();
    if (!output.ok()) return fail(output.error().message);
    if (!errors.ok()) return fail(errors.error().message);

    os::ProcessSpec spec;
    spec.program = *program;
    spec.arguments = request.command;
    spec.environment = request.environment;
    spec.environment.push_back(run_mark(request.key));
    spec.directory = request.directory.empty() ? "/" : request.directory;
    spec.output = output->theirs.number();
    spec.error = errors->theirs.number();
    record.started_at = loop_.now();
    auto process = processes_.start(spec);
    if (!process.ok()) return fail(start_failure(request, process.error()));

    auto kept = std::make_unique<Kept>(loop_, std::move(*log));
    kept->process = std::move(*process);
    kept->read_output(std::move(output->ours));
    kept->read_errors(std::move(errors->ours));
    record.state = RunState::kRunning;
    record.pid = kept->process->pid();
    record.start_ticks = os::process_start_ticks(record.pid).value_or(0);
    tasks_.spawn([](Keeper* keeper, RunKey key, std::shared_ptr<os::Process> child) -> os::Task<void> {
        const os::ProcessEnd end = co_await child->wait();
        keeper->on_end(key, end);
    }(this, request.key, kept->process));
    kept_[request.key] = std::move(kept);
}

void Keeper::on_end(RunKey key, std::optional<os::ProcessEnd> end) {
    const auto found = kept_.find(key);
    if (found == kept_.end()) return;
    const std::unique_ptr<Kept> kept = std::move(found->second);
    kept_.erase(found);
    if (kept->foreign) os::kill_processes(run_mark(key));
    kept->finish_log();
    const auto known = records_.find(key);
    if (known == records_.end()) return expect_idle();
    RunRecord& record = known->second;
    record.state = end ? RunState::kEnded : RunState::kLost;
    record.ended_at = loop_.now();
    if (end) record.code = end->code;
    if (end) record.signal = end->signal;
    if (!end) record.message = "the node's keeper was restarted while it ran, so its exit code is not known";
    store(format_message(record), false);
    tell(record);
    expect_idle();
}

void Keeper::signal(const SignalRequest& request) {
    const auto found = kept_.find(request.key);
    // That it has ended has been told or will be.
    if (found != kept_.end()) (void)found->second->signal(request.number).ok();
}

void Keeper::forget(const Text& pod_uid) {
    for (const auto& [key, kept] : kept_)
        if (key.pod_uid == pod_uid) (void)kept->signal(os::kKillSignal).ok();
    if (std::erase_if(records_, [&](const auto& each) { return each.first.pod_uid == pod_uid; }) == 0) return;
    ForgetRequest forgotten;
    forgotten.pod_uid = pod_uid;
    store(format_message(forgotten), false);
    (void)files_.remove(pod_directory(directory_, pod_uid)).ok();
}

// Going on without a record would be to run something twice one day, so a disk that does not take it ends the keeper;
// the processes go on, and the next keeper finds them.
void Keeper::store(const std::string& lines, bool synced) {
    const Result<> appended = file_->append(lines);
    CHECK(appended.ok(), "the record of processes cannot be written");
    if (synced) CHECK(file_->sync().ok(), "the record of processes cannot be written");
    appended_ += lines.size();
    if (appended_ > kRewriteAfter) CHECK(rewrite_records().ok(), "the record of processes cannot be written");
}

void Keeper::tell(const RunRecord& record) {
    const std::string line = format_message(record);
    for (const auto& peer : peers_) peer->send(line);
}

void Keeper::expect_idle() {
    if (peers_.empty() && kept_.empty() && on_idle) on_idle();
}

int run_keeper(const std::string& directory) {
    os::RealLoop loop;
    // It ends when it has nothing to keep, and not with the terminal or the service that the server belongs to.
    const os::Signals ignored(loop, os::end_signals(), [](int) {});
    Keeper keeper(loop, directory);
    keeper.on_idle = [&] { loop.stop(); };
    if (!keeper.start().ok()) return 1;
    loop.run();
    return 0;
}

}  // namespace muster::node
