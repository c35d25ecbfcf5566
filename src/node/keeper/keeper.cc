#include "node/keeper/keeper.h"

#include <algorithm>

#include "node/keeper/kept_run.h"
#include "node/keeper/protocol.h"
#include "node/keeper/run_lines.h"
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

constexpr std::size_t kRecordsMax = 1u << 30;
// Rewriting costs as much as what is kept, so it waits for a multiple of that.
constexpr std::size_t kRewriteAfter = 4u << 20;
constexpr Duration kFirstContact = 30s;
// Until then a run is young: most of those that are short are over, and their end says that they began.
constexpr Duration kYoung = 10ms;
// From then on a client may follow the output, which costs less when there is a log.
constexpr Duration kFollowed = 100ms;
constexpr std::size_t kUnderWayMax = 64;
// Those that have begun are looked at together: most have ended by then, and their ends are told together, too.
constexpr std::size_t kBegunTogether = 16;
constexpr Duration kBegunWait = 5ms;
constexpr Duration kStoreRetry = 1s;
constexpr Duration kSweepSoon = 2ms;
// A start that has come to its program gets there within this.
constexpr Duration kStartsSettle = 1s;
constexpr int kSettleLooksMax = 1000;
constexpr Duration kSweepLater = 1s;
constexpr const char* kRuns = "/runs";
constexpr const char* kRunsCopy = "/runs.copy";
constexpr const char* kRunsMade = "/runs.made";  // empty: both have been written

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
      boot_(os::boot_id()),
      processes_(loop, os::LinuxProcesses::Reaping::kLater),
      groups_(loop, directory_, [this] { expect_idle(); }),
      young_(loop, kYoung, [this](const RunKey& key) { on_grown(key); }),
      without_log_(loop, kFollowed, [this](const RunKey& key) { on_followed(key); }),
      begun_(loop, kBegunTogether, [this](Begun each) { on_begun(each.asked->key, std::move(each.run)); }),
      own_label_(os::process_label(os::own_pid())),
      tasks_(loop),
      remover_("remover", 1),
      removals_(loop, remover_, directory_, [this] { expect_idle(); }),
      starters_("starter", os::processor_count()) {}

Keeper::~Keeper() {
    *lives_ = false;
    for (const os::TimerId timer : {begun_timer_, sweep_timer_, store_timer_, contact_timer_})
        if (timer != 0) loop_.cancel(timer);
}

Result<> Keeper::start() {
    TRY(read_records());
    find_unrecorded();
    take_over_all();
    if (lossy_) on_loss();
    groups_.take_over([this](const RunKey& key) { return kept_.contains(key); });
    // A full disk: what was there is read again another time.
    if (!rewrite_records().ok()) {
        TRY_ASSIGN(os::RecordFile file, os::RecordFile::open(directory_ + kRuns));
        file_.emplace(std::move(file));
        (void)file_->cut(whole_bytes_).ok();
        fall_behind();
    }
    board_.clear();
    if (!left_to_guardian().empty()) sweep_orphans();
    TRY_ASSIGN(listener_, os::LineListener::open(loop_, keeper_socket(directory_),
                                                 [this](auto socket) { on_accept(std::move(socket)); }));
    contact_timer_ = loop_.after(kFirstContact, [this] {
        contact_timer_ = 0;
        awaited_ = false;
        expect_idle();
    });
    return {};
}

Result<> Keeper::read_records() {
    made_ = files_.size(directory_ + kRunsMade).ok();
    const Result<std::string> text = files_.read(directory_ + kRuns, kRecordsMax);
    if (!text.ok() && text.error().code != Code::kNotFound) return text.error();
    bool whole = false;
    if (text.ok()) {
        ReadRuns read = read_run_lines(*text);
        whole = is_whole(read);
        records_ = std::move(read.records);
        whole_bytes_ = read.whole_bytes;
        complete_since_ = read.complete_since.value_or(Instant());
        if (read.damaged_lines != 0) {
            // The damaged file is kept: it shows what happened.
            (void)files_.replace(directory_ + "/runs.damaged", *text, os::Access::kOnlyUs).ok();
            add_notice(std::to_string(read.damaged_lines) + " lines of " + directory_ +
                       "/runs, the record of what pods run, are damaged; the file is kept as runs.damaged");
        }
    } else if (const auto pods = files_.list(directory_ + "/pods"); made_ || (pods.ok() && !pods->empty())) {
        // The first start makes the file, and pods have directories only after it.
        add_notice(directory_ + "/runs, the record of what pods run, is missing");
    } else {
        whole = true;
    }
    const bool whole_copy = read_copy();
    lossy_ = !whole && !whole_copy;
    std::vector<RunKey> keys;
    for (const auto& [key, record] : records_) keys.push_back(key);
    for (const RunKey& key : keys) drop_older(key);
    return {};
}

// Also when no line is damaged: whole lines may be missing. Whether the copy is whole.
bool Keeper::read_copy() {
    const Result<std::string> text = files_.read(directory_ + kRunsCopy, kRecordsMax);
    if (!text.ok()) return false;
    const ReadRuns read = read_run_lines(*text);
    complete_since_ = std::max(complete_since_, read.complete_since.value_or(Instant()));
    const std::size_t added = add_missing_runs(records_, read.records);
    if (added != 0) add_notice(std::to_string(added) + " runs were read from its copy, runs.copy");
    return is_whole(read);
}

// An emptied file has no damaged line, and lacks the line that every file has since kRunsMade is there.
bool Keeper::is_whole(const ReadRuns& read) const { return read.damaged_lines == 0 && (read.complete_since || !made_); }

// When all that can be found has been found.
void Keeper::on_loss() {
    complete_since_ = loop_.now();
    add_notice(
        "runs of less than a tenth of a second may be missing: containers of which nothing is known end with "
        "ContainerStatusUnknown once instead of starting");
}

void Keeper::add_notice(const std::string& text) { notice_ += (notice_.empty() ? "" : "; ") + text; }

// A run that the record does not tell of, because it is damaged or missing, is not to be started a second time.
void Keeper::find_unrecorded() {
    const std::size_t known = records_.size();
    const auto add = [this](const std::vector<RunRecord>& found) {
        for (const RunRecord& record : found) {
            const std::vector<RunKey> runs = runs_of(records_, record.key.pod_uid);
            const bool told = std::any_of(runs.begin(), runs.end(), [&](const RunKey& other) {
                return other.container == record.key.container && other.attempt >= record.key.attempt;
            });
            if (!told) records_[record.key] = record;
        }
    };
    add(read_run_notes(files_, directory_));
    add(find_marked_runs(directory_, boot_));
    if (records_.size() == known) return;
    add_notice(std::to_string(records_.size() - known) + " runs were found by their notes and processes alone");
}

Result<> Keeper::rewrite_records() {
    std::string text = format_message(CompleteSince{complete_since_});
    for (const auto& [key, record] : records_) text += format_message(record);
    text = seal_lines(text);
    TRY(files_.replace(directory_ + kRuns, text, os::Access::kOnlyUs));
    TRY_ASSIGN(os::RecordFile file, os::RecordFile::open(directory_ + kRuns));
    file_.emplace(std::move(file));
    TRY(files_.replace(directory_ + kRunsCopy, text, os::Access::kOnlyUs));
    TRY_ASSIGN(os::RecordFile copy, os::RecordFile::open(directory_ + kRunsCopy));
    copy_.emplace(std::move(copy));
    if (!made_) TRY(files_.replace(directory_ + kRunsMade, "", os::Access::kOnlyUs));
    made_ = true;
    appended_ = 0;
    written_ = text.size();
    behind_ = false;
    return {};
}

// Only the latest two attempts of a container are of interest.
void Keeper::drop_older(const RunKey& key) {
    if (key.attempt < 2) return;
    for (const RunKey& older : runs_of(records_, key.pod_uid)) {
        if (!(older.container == key.container) || older.attempt + 1 >= key.attempt) continue;
        remove_log(files_, records_.at(older).log_path);
        (void)files_.remove(run_note_path(directory_, older)).ok();
        records_.erase(older);
    }
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
    if (!notice_.empty()) all += format_message(Notice{notice_});
    if (complete_since_ != Instant()) all += format_message(CompleteSince{complete_since_});
    told_unclear_ = false;
    peer.send(format_message(KeeperVersion{kKeeperVersion}) + format_message(OldestServer{kOldestServer}) + all +
              format_message(Synced()));
}

void Keeper::on_lines(os::LineSocket& from, const std::vector<std::string>& lines) {
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
        if (older_.contains(request.key.pod_uid) && !starting_.contains(request.key) &&
            may_have_run(records_, request.key, complete_since_)) {
            tell_lost(request);
            continue;
        }
        if (starting_.try_emplace(request.key).second) waiting_.push_back(std::move(request));
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
    record.started_at = record.ended_at = std::max(loop_.now(), complete_since_);
    record.message = "the node's record of runs was damaged, so it is not known whether it ran";
    note(record);
    drop_older(request.key);
}

// A few at a time: what is intended when the keeper is killed counts as started, and what only waits does not.
void Keeper::start_waiting() {
    if (waiting_.empty() || under_way_ > kUnderWayMax / 2) return;
    std::vector<RunRequest> group;
    std::string intents;
    while (!waiting_.empty() && under_way_ + group.size() < kUnderWayMax) {
        RunRequest request = std::move(waiting_.front());
        waiting_.pop_front();
        RunRecord& record = records_[request.key];
        record.key = request.key;
        record.boot = boot_;
        record.log_path = request.log_path;
        record.pod_ip = request.pod_ip;
        record.started_at = loop_.now();
        intents += format_message(record);
        starting_[request.key].place = board_.take(format_run_mark(request.key));
        request.environment.push_back(run_mark(request.key));
        request.environment.push_back(kNodeMark + ('=' + directory_));
        group.push_back(std::move(request));
    }
    under_way_ += group.size();
    const Result<> stored = store(intents, true);
    const Duration now = loop_.uptime();
    for (RunRequest& request : group) {
        if (!stored.ok()) {
            post([this, key = request.key, error = stored.error()] { on_begun(key, error); });
            continue;
        }
        groups_.expect(request);
        begun_.expect();
        StartBoard::Place* place = starting_[request.key].place;
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
    if (begun_timer_ != 0 || under_way_ == 0) return;
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
    const auto starting = starting_.extract(key);
    CHECK(!starting.empty());
    --under_way_;
    start_waiting();
    drop_older(key);
    if (!begun.ok()) {
        groups_.remove(key);
        settled_.push_back({.place = starting.mapped().place});
        on_not_begun(key, begun.error().message);
        return flush_soon();
    }
    const auto known = records_.find(key);
    const bool forgotten = known == records_.end();
    auto kept = std::make_unique<KeptRun>(loop_, files_, forgotten ? std::string() : known->second.log_path,
                                          log_limits_, false);
    kept->mark = begun->launched.mark;
    kept->label = begun->label;
    ended_marks_.erase(kept->mark);
    kept->process = processes_.adopt(std::move(begun->launched));
    kept->place = starting.mapped().place;
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
        for (const int number : starting.mapped().signals) (void)kept->signal(number).ok();
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
    if (kept->mark != 0) ended_marks_.insert(kept->mark);
    if (kept->foreign) foreign_ended_.insert(format_run_mark(key));
    if (entered_.erase(kept->label) != 0 || kept->foreign) searched_labels_.insert(kept->label);
    any_ended_ = true;
    settled_.push_back(
        {kept->foreign ? kept->foreign->pid() : kept->process->pid(), kept->foreign != nullptr, kept->place});
    const bool out_of_memory = groups_.ran_out_of_memory(key);
    groups_.remove(key);
    const auto known = records_.find(key);
    if (known == records_.end()) return flush_soon();
    kept->finish_log();
    RunRecord& record = known->second;
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
        sweep();
        const std::string news = std::exchange(news_, {});
        // What does not get there costs an exit code at worst, should the keeper be killed as well.
        if (!news.empty()) (void)store(news, false).ok();
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

// What a run left behind in other sessions ends with it.
void Keeper::sweep() {
    if (!foreign_ended_.empty()) os::kill_marked_processes(kRunMark, std::exchange(foreign_ended_, {}));
    if (!searched_labels_.empty()) os::kill_labelled_processes(std::exchange(searched_labels_, {}));
    if (std::exchange(any_ended_, false)) sweep_orphans();
}

void Keeper::sweep_orphans() {
    const std::vector<int> orphans = os::adopted_processes();
    const std::vector<int> left = left_to_guardian();
    bool changed = false;
    std::set<std::uint64_t> seen;
    for (const int pid : orphans) {
        // Its own children become ours with its end.
        const bool gone = os::reap_ended(pid);
        changed = gone || sweep_orphan(pid, seen) || changed;
    }
    for (const int pid : left) {
        const bool gone = guardian_.end_of(pid).has_value();
        if (gone) guardian_.reap(pid);
        changed = gone || sweep_orphan(pid, seen) || changed;
    }
    // Marks without a process left are forgotten: the kernel may use the number again.
    std::erase_if(ended_marks_, [&](std::uint64_t mark) { return !seen.contains(mark); });
    if ((orphans.empty() && left.empty()) || sweep_timer_ != 0) return;
    sweep_timer_ = loop_.after(changed ? kSweepSoon : kSweepLater, [this] {
        sweep_timer_ = 0;
        sweep_orphans();
    });
}

// Whether it was to go. Its mark is put into `seen`.
bool Keeper::sweep_orphan(int pid, std::set<std::uint64_t>& seen) {
    const auto mark = os::process_mark(pid);
    if (mark) seen.insert(*mark);
    if (!is_left_behind(pid, mark)) return false;
    os::kill_process(pid);
    return true;
}

bool Keeper::is_left_behind(int pid, std::optional<std::uint64_t> mark) const {
    if (mark && ended_marks_.contains(*mark)) return true;
    if (kept_.empty()) return starting_.empty();
    if (const auto run = os::process_variable(pid, kRunMark)) return !runs_with_mark(*run);
    // One that has cleared its environment.
    const auto label = os::process_label(pid);
    return label && label != own_label_ && !runs_with_label(*label);
}

void Keeper::on_entered(std::uint64_t label) {
    if (runs_with_label(label)) {
        entered_.insert(label);
        return;
    }
    // It has ended meanwhile. Labels of runs that are not ours are left alone: a process may give itself one.
    const auto has_label = [&](const auto& each) { return run_label(each.first) == label; };
    if (std::none_of(records_.begin(), records_.end(), has_label)) return;
    searched_labels_.insert(label);
    flush_soon();
}

// What a keeper before us left there, runs that go on apart.
std::vector<int> Keeper::left_to_guardian() {
    std::vector<int> left = guardian_.children();
    if (left.empty()) return left;
    std::set<int> ours;
    for (const auto& [key, kept] : kept_)
        if (kept->foreign) ours.insert(kept->foreign->pid());
    for (const Settled& each : settled_) ours.insert(each.pid);
    std::erase_if(left, [&](int pid) { return ours.contains(pid); });
    return left;
}

bool Keeper::runs_with_mark(const std::string& mark) const {
    const auto has_mark = [&](const auto& each) { return format_run_mark(each.first) == mark; };
    return std::any_of(kept_.begin(), kept_.end(), has_mark) ||
           std::any_of(starting_.begin(), starting_.end(), has_mark);
}

bool Keeper::runs_with_label(std::uint64_t label) const {
    return std::any_of(kept_.begin(), kept_.end(), [&](const auto& each) { return each.second->label == label; }) ||
           std::any_of(starting_.begin(), starting_.end(),
                       [&](const auto& each) { return run_label(each.first) == label; });
}

void Keeper::signal(const SignalRequest& request) {
    if (const auto starting = starting_.find(request.key); starting != starting_.end())
        return starting->second.signals.push_back(request.number);
    const auto found = kept_.find(request.key);
    // That it has ended has been told or will be.
    if (found != kept_.end()) (void)found->second->signal(request.number).ok();
}

void Keeper::forget(const Text& pod_uid) {
    older_.erase(pod_uid);
    for (const RunKey& key : runs_of(kept_, pod_uid)) (void)kept_.at(key)->signal(os::kKillSignal).ok();
    std::erase_if(waiting_, [&](const RunRequest& request) {
        if (!(request.key.pod_uid == pod_uid)) return false;
        starting_.erase(request.key);
        return true;
    });
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

Result<> Keeper::store(const std::string& lines, bool synced) {
    // Should a part of a record stay there, the next begins on a line of its own.
    const std::string sealed = seal_lines(lines);
    const Result<> appended = file_->append_whole(behind_ ? '\n' + sealed : sealed);
    const Result<> done = appended.ok() && synced ? file_->sync() : appended;
    if (!done.ok()) {
        fall_behind();
        return done;
    }
    // What the copy lacks it gets when the file is written again.
    if (!copy_ || !copy_->append_whole(behind_ ? '\n' + sealed : sealed).ok()) fall_behind();
    appended_ += sealed.size();
    if (appended_ > kRewriteAfter + 2 * written_ && !rewrite_records().ok()) fall_behind();
    return {};
}

void Keeper::fall_behind() {
    behind_ = true;
    if (store_timer_ != 0) return;
    store_timer_ = loop_.after(kStoreRetry, [this] {
        store_timer_ = 0;
        if (!rewrite_records().ok()) fall_behind();
    });
}

void Keeper::expect_idle() {
    // What is not written down yet would be lost with us: the guardian ends with a keeper that has nothing to do.
    const bool busy =
        awaited_ || flushing_ || !kept_.empty() || !starting_.empty() || groups_.removing() || removals_.removing();
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
