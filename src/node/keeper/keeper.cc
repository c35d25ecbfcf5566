#include "node/keeper/keeper.h"

#include <algorithm>

#include "base/check.h"
#include "node/keeper/protocol.h"
#include "node/keeper/run_notes.h"
#include "node/runtime/node_paths.h"
#include "node/volumes/volume_places.h"
#include "os/http/http_limits.h"
#include "os/loop/signals.h"
#include "os/machine/machine.h"
#include "os/process/process_label.h"
#include "os/process/process_table.h"

namespace muster::node {
namespace {

constexpr Duration kFirstContact = 30s;
// Until then a run is young: most of those that are short are over, and their end says that they began.
constexpr Duration kYoung = 10ms;
// From then on a client may follow the output, which costs less when there is a log.
constexpr Duration kFollowed = 100ms;
// Those that have begun are looked at together: most have ended by then, and their ends are told together, too.
constexpr std::size_t kBegunTogether = 16;
constexpr Duration kBegunWait = 5ms;
// A start that has come to its program gets there within this.
constexpr Duration kStartsSettle = 1s;
constexpr int kSettleLooksMax = 1000;

constexpr int kOutput = 1;
constexpr int kErrorOutput = 2;

}  // namespace

std::string run_mark(const RunKey& key) { return kRunMark + ('=' + format_run_mark(key)); }

std::string keeper_mark(const std::string& directory) { return "MUSTER_KEEPER=" + directory; }

Keeper::Keeper(os::RealLoop& loop, std::string directory, os::Guardian& guardian)
    : loop_(loop),
      directory_(std::move(directory)),
      guardian_(guardian),
      board_(guardian.shared()),
      log_(loop, files_, directory_),
      records_(log_.records()),
      boot_(os::boot_id()),
      processes_(loop, os::LinuxProcesses::Reaping::kLater),
      groups_(loop, directory_, [this] { expect_idle(); }),
      young_(loop, kYoung, [this](const RunKey& key) { on_grown(key); }),
      without_log_(loop, kFollowed, [this](const RunKey& key) { on_followed(key); }),
      begun_(loop, kBegunTogether, [this](Begun each) { on_begun(each.asked->key, std::move(each.run)); }),
      sweep_(loop, orphans_, live_runs()),
      tasks_(loop),
      remover_("remover", 1),
      removals_(loop, remover_, directory_, [this] { expect_idle(); }),
      starters_("starter", os::processor_count()) {}

Keeper::~Keeper() {
    *lives_ = false;
    for (const os::TimerId timer : {begun_timer_, contact_timer_})
        if (timer != 0) loop_.cancel(timer);
}

Result<> Keeper::start() {
    CHECK(!listener_, "a keeper starts once");
    TRY(log_.read());
    // A run that the record does not tell of, because it is damaged or missing, is not to be started a second time.
    std::vector<RunRecord> found = read_run_notes(files_, directory_);
    for (RunRecord& record : find_marked_runs(directory_, boot_)) found.push_back(std::move(record));
    log_.add_found(found);
    take_over_all();
    if (log_.lossy()) log_.accept_loss();
    groups_.take_over([this](const RunKey& key) { return kept_.contains(key); });
    TRY(log_.open());
    board_.clear();
    if (!orphans_.left_to_guardian().empty()) sweep_.look();
    TRY_ASSIGN(listener_, os::LineListener::open(loop_, keeper_socket(directory_),
                                                 [this](auto socket) { on_accept(std::move(socket)); }));
    contact_timer_ = loop_.after(kFirstContact, [this] {
        contact_timer_ = 0;
        awaited_ = false;
        expect_idle();
    });
    return {};
}

void Keeper::take_over_all() {
    const bool any =
        std::any_of(records_.begin(), records_.end(), [](const auto& each) { return each.second.active(); });
    if (!any) return;
    settle_starts();
    const auto found = os::find_marked_processes(kRunMark);
    std::set<std::string> lost;
    // An intended run that is on the start board without a process never began. The agent asks for it again if needed.
    std::erase_if(records_, [this](const auto& each) {
        return each.second.state == RunState::kIntended && board_.find(format_run_mark(each.first)) == 0;
    });
    for (auto& [key, record] : records_) {
        if (!record.active()) continue;
        const auto marked = found.find(format_run_mark(key));
        const std::vector<int> none;
        if (take_over(record, marked == found.end() ? none : marked->second)) continue;
        record.state = RunState::kLost;
        record.ended_at = loop_.now();
        if (marked != found.end()) lost.insert(marked->first);
    }
    if (!lost.empty()) os::kill_marked_processes(kRunMark, lost);
}

// A child of the keeper before us that has not come to its program yet looks like that keeper, and must not begin after
// we have said what became of it.
void Keeper::settle_starts() {
    const Duration patience_ends = loop_.uptime() + kStartsSettle;
    for (int look = 0; look < kSettleLooksMax; ++look) {
        bool any = false;
        for (const int pid : os::find_processes(keeper_mark(directory_))) {
            if (pid == os::own_pid() || pid == guardian_.pid()) continue;
            any = true;
            if (!board_.has(pid) || loop_.uptime() > patience_ends) os::kill_process(pid);
        }
        if (!any) return;
    }
}

// False, with the reason in its message, when nothing can be said of it any more. `found` are those with its mark.
bool Keeper::take_over(RunRecord& record, const std::vector<int>& found) {
    record.message = "the machine was restarted";
    if (record.boot != boot_) return false;
    record.message = "it ended while the node's keeper was not running";
    if (record.state == RunState::kIntended) {
        // The first of those with its mark leads the group: the others descend from it.
        record.pid = board_.find(format_run_mark(record.key)).value_or(found.empty() ? 0 : found.front());
        if (record.pid == 0) return false;
        record.start_ticks = os::process_start_ticks(record.pid).value_or(0);
        record.state = RunState::kRunning;
    }
    auto foreign = os::ForeignProcess::watch(
        loop_, record.pid, record.start_ticks,
        [this, key = record.key](std::optional<os::ProcessEnd> end) { on_end(key, end); },
        [this](int pid) { return guardian_.end_of(pid); });
    if (!foreign.ok()) return false;
    record.message.clear();
    auto kept = std::make_unique<KeptRun>(loop_, files_, record.log_path, log_limits_, true);
    kept->foreign = std::move(*foreign);
    kept->label = run_label(record.key);
    if (const auto mark = os::process_mark(record.pid); mark && mark != os::process_mark(os::own_pid()))
        kept->mark = *mark;
    if (auto output = os::reopen_output(record.pid, kOutput); output.ok()) kept->read_output(std::move(*output));
    if (auto errors = os::reopen_output(record.pid, kErrorOutput); errors.ok()) kept->read_errors(std::move(*errors));
    kept->begin_reading();
    kept->begin_log();
    kept_[record.key] = std::move(kept);
    return true;
}

void Keeper::on_accept(std::unique_ptr<os::LineSocket> socket) {
    awaited_ = false;
    os::LineSocket& peer = *socket;
    peers_.push_back(std::move(socket));
    // An earlier server's starts that have not begun are not the new one's: it does not know of them, and asks for
    // those pods again with addresses of its own.
    line_.forget_waiting();
    peer.listen([this, &peer](std::vector<std::string> lines) { on_lines(peer, lines); },
                [this] {
                    // Not from within its own call.
                    post([this] {
                        std::erase_if(peers_, [](const auto& each) { return each->closed(); });
                        for (const auto& [key, kept] : kept_)
                            if (kept->streams) kept->streams->leave();
                        expect_idle();
                    });
                });
    std::string all;
    for (const auto* entry : in_order(records_)) all += format_message(entry->second);
    if (!log_.notice().empty()) all += format_message(Notice{log_.notice()});
    if (log_.complete_since() != Instant()) all += format_message(CompleteSince{log_.complete_since()});
    told_unclear_ = false;
    peer.send(format_message(KeeperVersion{kKeeperVersion}) + format_message(OldestServer{kOldestServer}) + all +
              format_message(Synced()));
}

void Keeper::on_lines(os::LineSocket& from, const std::vector<std::string>& lines) {
    if (&from != peers_.back().get()) return;  // said by a server that another one has followed
    std::vector<RunRequest> starts;
    for (const std::string& line : lines) {
        Result<Message> message = parse_message(line);
        if (!message.ok()) {
            if (!std::exchange(told_unclear_, true)) from.send(format_message(Unclear{message.error().message}));
            continue;
        }
        if (auto* start = std::get_if<RunRequest>(&*message)) {
            starts.push_back(std::move(*start));
            continue;
        }
        // In the order in which they were said: what is signalled may be among what is to be started.
        start_all(from, std::exchange(starts, {}));
        if (const auto* request = std::get_if<SignalRequest>(&*message)) signal(*request);
        if (const auto* request = std::get_if<ForgetRequest>(&*message)) forget(request->pod_uid);
        if (const auto* entered = std::get_if<EnteredRun>(&*message)) on_entered(entered->label);
        if (const auto* older = std::get_if<OlderPod>(&*message)) older_.insert(older->pod_uid);
        if (const auto* limits = std::get_if<LogLimits>(&*message)) log_limits_ = *limits;
        if (const auto* stream = std::get_if<StreamMessage>(&*message)) on_stream(*stream);
    }
    start_all(from, std::move(starts));
}

void Keeper::on_stream(const StreamMessage& message) {
    const auto found = kept_.find(message.key);
    if (found != kept_.end() && found->second->streams) found->second->streams->on_message(message);
}

void Keeper::start_all(os::LineSocket& from, std::vector<RunRequest> requests) {
    for (RunRequest& request : requests) {
        if (const auto known = records_.find(request.key); known != records_.end()) {
            from.send(format_message(known->second));
            continue;
        }
        // Its pod was forgotten and the run is being killed: until it has ended, the key is its own.
        if (kept_.contains(request.key)) continue;
        if (older_.contains(request.key.pod_uid) && !line_.starting().contains(request.key) &&
            may_have_run(records_, request.key, log_.complete_since())) {
            tell_lost(request);
            continue;
        }
        line_.add(std::move(request));
    }
    start_waiting();
}

void Keeper::tell_lost(const RunRequest& request) {
    RunRecord& record = records_[request.key];
    record.key = request.key;
    record.state = RunState::kLost;
    record.boot = boot_;
    record.log_path = request.log_path;
    record.pod_ip = request.pod_ip;
    // Should the clock have been set back, the next attempt is started all the same.
    record.started_at = record.ended_at = std::max(loop_.now(), log_.complete_since());
    record.message = "the node's record of runs was damaged, so it is not known whether it ran";
    note(record);
    log_.drop_older(request.key);
}

void Keeper::start_waiting() {
    std::vector<RunRequest> group = line_.take_group();
    if (group.empty()) return;
    std::string intents;
    for (RunRequest& request : group) {
        const auto [known, fresh] = records_.try_emplace(request.key);
        CHECK(fresh, "a key with a record is never started");
        RunRecord& record = known->second;
        record.key = request.key;
        record.boot = boot_;
        record.log_path = request.log_path;
        record.pod_ip = request.pod_ip;
        record.started_at = loop_.now();
        intents += format_message(record);
        line_.set_place(request.key, board_.take(format_run_mark(request.key)));
        request.environment.push_back(run_mark(request.key));
        request.environment.push_back(kNodeMark + ('=' + directory_));
    }
    const Result<> stored = log_.append(intents, true);
    const Duration now = loop_.uptime();
    for (RunRequest& request : group) {
        if (!stored.ok()) {
            post([this, key = request.key, error = stored.error()] { on_begun(key, error); });
            continue;
        }
        groups_.expect(request);
        begun_.expect();
        StartBoard::Place* place = line_.starting().at(request.key).place;
        PreparedMounts::Namespaces entered = mounts_.take(request.setup, request.key.pod_uid.view(), now);
        auto start = [this, place, entered = std::move(entered),
                      asked = std::make_unique<RunRequest>(std::move(request))]() mutable {
            begun_.take_up();
            const Result<> limited = groups_.prepare(*asked);
            std::vector<int> namespaces;
            if (entered) namespaces = entered->numbers();
            Result<BegunRun> run = limited.ok()
                                       ? begin_run(loop_, *asked, std::move(namespaces), place ? &place->pid : nullptr)
                                       : limited.error();
            // The request goes back to the thread that made it, for which dropping it costs least.
            begun_.add({std::move(asked), std::move(run)});
        };
        starters_.run(std::move(start));
    }
    expect_begun();
}

// Should one of them take long, the others do not wait for it.
void Keeper::expect_begun() {
    if (begun_timer_ != 0 || line_.under_way() == 0) return;
    begun_timer_ = loop_.after(kBegunWait, [this] {
        begun_timer_ = 0;
        begun_.empty();
        expect_begun();
    });
}

void Keeper::on_not_begun(const RunKey& key, std::string why) {
    const auto known = records_.find(key);
    if (known == records_.end()) return;
    known->second.state = RunState::kNotStarted;
    known->second.ended_at = loop_.now();
    known->second.message = std::move(why);
    note(known->second);
}

void Keeper::on_begun(const RunKey& key, Result<BegunRun> begun) {
    const StartLine::Starting starting = line_.finish(key);
    CHECK(!kept_.contains(key), "a run begins once");
    start_waiting();
    log_.drop_older(key);
    if (!begun.ok()) {
        groups_.remove(key);
        settled_.push_back({.place = starting.place});
        on_not_begun(key, begun.error().message);
        return flush_soon();
    }
    const auto known = records_.find(key);
    const bool forgotten = known == records_.end();
    auto kept = std::make_unique<KeptRun>(loop_, files_, forgotten ? std::string() : known->second.log_path,
                                          log_limits_, false);
    kept->mark = begun->launched.mark;
    kept->label = begun->label;
    sweep_.on_begun(kept->mark);
    kept->process = processes_.adopt(std::move(begun->launched));
    kept->place = starting.place;
    const std::shared_ptr<os::Process> process = kept->process;
    if (forgotten) {
        (void)kept->signal(os::kKillSignal).ok();
    } else {
        if (begun->output) kept->read_output(std::move(begun->output));
        if (begun->errors) kept->read_errors(std::move(begun->errors));
        // One that has ended is read when its end is told.
        if (!process->end()) kept->begin_reading();
        if (begun->held)
            kept->hold(key, std::move(begun->held), begun->terminal, [this](const StreamMessage& message) {
                for (const auto& peer : peers_) peer->send(format_message(message));
            });
        for (const int number : starting.signals) (void)kept->signal(number).ok();
        CHECK(known->second.state == RunState::kIntended, "a start is recorded before it happens");
        known->second.state = RunState::kRunning;
        known->second.pid = kept->process->pid();
        known->second.started_at = begun->at;
        if (!process->end()) young_.add(key);
    }
    kept_[key] = std::move(kept);
    // Last: it may have ended.
    tasks_.spawn([](Keeper* keeper, RunKey run, std::shared_ptr<os::Process> child) -> os::Task<void> {
        const os::ProcessEnd end = co_await child->wait();
        keeper->on_end(run, end);
    }(this, key, process));
}

void Keeper::on_grown(const RunKey& key) {
    const auto kept = kept_.find(key);
    const auto known = records_.find(key);
    if (kept == kept_.end() || known == records_.end()) return;
    known->second.start_ticks = os::process_start_ticks(known->second.pid).value_or(0);
    note(known->second);
    settled_.push_back({.place = std::exchange(kept->second->place, nullptr)});
    without_log_.add(key);
}

void Keeper::on_followed(const RunKey& key) {
    const auto kept = kept_.find(key);
    const auto known = records_.find(key);
    if (kept == kept_.end() || known == records_.end()) return;
    kept->second->begin_log();
    write_run_note(files_, directory_, known->second);
}

void Keeper::on_end(RunKey key, std::optional<os::ProcessEnd> end) {
    const auto found = kept_.find(key);
    if (found == kept_.end()) return;
    const std::unique_ptr<KeptRun> kept = std::move(found->second);
    kept_.erase(found);
    CHECK((kept->process != nullptr) != (kept->foreign != nullptr), "a run has one process");
    sweep_.on_end({key, kept->mark, kept->label, kept->foreign != nullptr});
    settled_.push_back(
        {kept->foreign ? kept->foreign->pid() : kept->process->pid(), kept->foreign != nullptr, kept->place});
    const bool out_of_memory = groups_.ran_out_of_memory(key);
    groups_.remove(key);
    const auto known = records_.find(key);
    if (known == records_.end()) return flush_soon();
    kept->finish_log();
    RunRecord& record = known->second;
    CHECK(record.active(), "a run ends once");
    record.state = end ? RunState::kEnded : RunState::kLost;
    record.ended_at = loop_.now();
    if (end) record.code = end->code;
    if (end) record.signal = end->signal;
    record.out_of_memory = out_of_memory && !(end && *end == os::ProcessEnd());
    if (!end) record.message = "the node's keeper was restarted while it ran, so its exit code is not known";
    note(record);
}

// What one turn of the loop brings is written and told in one piece.
void Keeper::note(const RunRecord& record) {
    news_ += format_message(record);
    flush_soon();
}

void Keeper::flush_soon() {
    if (std::exchange(flushing_, true)) return;
    post([this] {
        flushing_ = false;
        sweep_.sweep();
        const std::string news = std::exchange(news_, {});
        // What does not get there costs an exit code at worst, should the keeper be killed as well.
        if (!news.empty()) (void)log_.append(news, false).ok();
        for (const auto& peer : peers_) peer->send(news);
        let_go();
        expect_idle();
    });
}

void Keeper::let_go() {
    for (const Settled& each : std::exchange(settled_, {})) {
        if (each.pid != 0 && each.foreign) guardian_.reap(each.pid);
        if (each.pid != 0 && !each.foreign) (void)os::reap_ended(each.pid);
        if (each.place) board_.free(each.place);
    }
}

void Keeper::on_entered(std::uint64_t label) {
    if (runs_with_label(label)) return sweep_.on_entered(label, true);
    // It has ended meanwhile. Labels of runs that are not ours are left alone: a process may give itself one.
    const auto has_label = [&](const auto& each) { return run_label(each.first) == label; };
    if (std::none_of(records_.begin(), records_.end(), has_label)) return;
    sweep_.on_entered(label, false);
    flush_soon();
}

LiveRuns Keeper::live_runs() const {
    return {[this] { return !kept_.empty(); }, [this] { return !line_.empty(); },
            [this](const std::string& mark) { return runs_with_mark(mark); },
            [this](std::uint64_t label) { return runs_with_label(label); }};
}

std::vector<int> Keeper::Orphans::adopted() { return os::adopted_processes(); }

std::vector<int> Keeper::Orphans::left_to_guardian() {
    std::vector<int> left = owner_.guardian_.children();
    if (left.empty()) return left;
    std::set<int> ours;
    for (const auto& [key, kept] : owner_.kept_)
        if (kept->foreign) ours.insert(kept->foreign->pid());
    for (const Settled& each : owner_.settled_) ours.insert(each.pid);
    std::erase_if(left, [&](int pid) { return ours.contains(pid); });
    return left;
}

bool Keeper::Orphans::reap_adopted(int pid) { return os::reap_ended(pid); }

bool Keeper::Orphans::reap_left(int pid) {
    const bool gone = owner_.guardian_.end_of(pid).has_value();
    if (gone) owner_.guardian_.reap(pid);
    return gone;
}

std::optional<std::uint64_t> Keeper::Orphans::mark_of(int pid) { return os::process_mark(pid); }

std::optional<std::string> Keeper::Orphans::run_of(int pid) { return os::process_variable(pid, kRunMark); }

std::optional<std::uint64_t> Keeper::Orphans::label_of(int pid) { return os::process_label(pid); }

void Keeper::Orphans::kill(int pid) { os::kill_process(pid); }

void Keeper::Orphans::kill_runs(const std::set<std::string>& runs) { os::kill_marked_processes(kRunMark, runs); }

void Keeper::Orphans::kill_labels(const std::set<std::uint64_t>& labels) { os::kill_labelled_processes(labels); }

bool Keeper::runs_with_mark(const std::string& mark) const {
    const auto has_mark = [&](const auto& each) { return format_run_mark(each.first) == mark; };
    return std::any_of(kept_.begin(), kept_.end(), has_mark) ||
           std::any_of(line_.starting().begin(), line_.starting().end(), has_mark);
}

bool Keeper::runs_with_label(std::uint64_t label) const {
    return std::any_of(kept_.begin(), kept_.end(), [&](const auto& each) { return each.second->label == label; }) ||
           std::any_of(line_.starting().begin(), line_.starting().end(),
                       [&](const auto& each) { return run_label(each.first) == label; });
}

void Keeper::signal(const SignalRequest& request) {
    if (line_.signal(request.key, request.number)) return;
    const auto found = kept_.find(request.key);
    // That it has ended has been told or will be.
    if (found != kept_.end()) (void)found->second->signal(request.number).ok();
}

void Keeper::forget(const Text& pod_uid) {
    older_.erase(pod_uid);
    for (const RunKey& key : runs_of(kept_, pod_uid)) (void)kept_.at(key)->signal(os::kKillSignal).ok();
    line_.forget(pod_uid);
    if (!erase_runs_of(records_, pod_uid)) {
        // One that never ran may have volumes all the same.
        removals_.remove(pod_uid);
        return;
    }
    ForgetRequest forgotten;
    forgotten.pod_uid = pod_uid;
    news_ += format_message(forgotten);
    flush_soon();
    removals_.remove(pod_uid);
}

void Keeper::expect_idle() {
    // What is not written down yet would be lost with us: the guardian ends with a keeper that has nothing to do.
    const bool busy =
        awaited_ || flushing_ || !kept_.empty() || !line_.empty() || groups_.removing() || removals_.removing();
    if (!busy && peers_.empty() && on_idle) on_idle();
}

void Keeper::post(os::Work work) {
    loop_.post([lives = lives_, work = std::move(work)]() mutable {
        if (*lives) work();
    });
}

int run_keeper(const std::string& directory) {
    os::LinuxFiles files;
    if (!files.create_directories(directory, os::Access::kOnlyUs).ok()) return 1;
    auto lock = files.lock(directory + "/keeper.lock");
    if (!lock.ok()) return 1;
    os::Guardian guardian = os::Guardian::divide(StartBoard::kBytes);
    os::RealLoop loop;
    os::adopt_orphans();
    os::raise_descriptor_limit();
    // It ends when it has nothing to keep, and not with the terminal or the service that the server belongs to.
    const os::Signals ignored(loop, os::end_signals(), [](int) {});
    Keeper keeper(loop, directory, guardian);
    keeper.on_idle = [&] { loop.stop(); };
    if (!keeper.start().ok()) {
        // The guardian may try again, and the lock is its, too.
        (void)lock->release();
        return 1;
    }
    loop.run();
    return 0;
}

}  // namespace muster::node
