#include "node/keeper/orphan_sweep.h"

#include "base/check.h"
#include "node/keeper/run_notes.h"
#include "os/process/process_table.h"

namespace muster::node {
namespace {

constexpr Duration kSweepSoon = 2ms;
constexpr Duration kSweepLater = 1s;

}  // namespace

OrphanSweep::OrphanSweep(os::Loop& loop, OrphanTable& table, LiveRuns runs)
    : loop_(loop), table_(table), runs_(std::move(runs)), own_label_(table.label_of(os::own_pid())) {
    CHECK(runs_.any_kept && runs_.any_starting && runs_.has_run && runs_.has_label);
}

OrphanSweep::~OrphanSweep() {
    if (timer_ != 0) loop_.cancel(timer_);
}

void OrphanSweep::on_end(const EndedRun& run) {
    CHECK(run.label != 0, "every run has a label");
    if (run.mark != 0) ended_marks_.insert(run.mark);
    if (run.foreign) foreign_ended_.insert(format_run_mark(run.key));
    if (entered_.erase(run.label) != 0 || run.foreign) searched_labels_.insert(run.label);
    any_ended_ = true;
}

void OrphanSweep::on_entered(std::uint64_t label, bool runs) { (runs ? entered_ : searched_labels_).insert(label); }

void OrphanSweep::sweep() {
    if (!foreign_ended_.empty()) table_.kill_runs(std::exchange(foreign_ended_, {}));
    if (!searched_labels_.empty()) table_.kill_labels(std::exchange(searched_labels_, {}));
    if (std::exchange(any_ended_, false)) look();
}

void OrphanSweep::look() {
    const std::vector<int> adopted = table_.adopted();
    const std::vector<int> left = table_.left_to_guardian();
    bool changed = false;
    std::set<std::uint64_t> seen;
    for (const int pid : adopted) {
        const bool gone = table_.reap_adopted(pid);
        changed = gone || sweep_one(pid, seen) || changed;
    }
    for (const int pid : left) {
        const bool gone = table_.reap_left(pid);
        changed = gone || sweep_one(pid, seen) || changed;
    }
    // Marks without a process left are forgotten: the kernel may use the number again.
    std::erase_if(ended_marks_, [&](std::uint64_t mark) { return !seen.contains(mark); });
    if ((adopted.empty() && left.empty()) || timer_ != 0) return;
    timer_ = loop_.after(changed ? kSweepSoon : kSweepLater, [this] {
        timer_ = 0;
        look();
    });
}

bool OrphanSweep::sweep_one(int pid, std::set<std::uint64_t>& seen) {
    CHECK(pid > 1, "the machine's first process is no orphan");
    const auto mark = table_.mark_of(pid);
    if (mark) seen.insert(*mark);
    if (!is_left_behind(pid, mark)) return false;
    table_.kill(pid);
    return true;
}

bool OrphanSweep::is_left_behind(int pid, std::optional<std::uint64_t> mark) {
    if (mark && ended_marks_.contains(*mark)) return true;
    if (!runs_.any_kept()) return !runs_.any_starting();
    if (const auto run = table_.run_of(pid)) return !runs_.has_run(*run);
    // One that has cleared its environment.
    const auto label = table_.label_of(pid);
    return label && label != own_label_ && !runs_.has_label(*label);
}

}  // namespace muster::node
