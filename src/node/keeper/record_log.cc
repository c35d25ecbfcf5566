#include "node/keeper/record_log.h"

#include <algorithm>

#include "base/check.h"
#include "node/keeper/run_notes.h"
#include "node/keeper/wire.h"
#include "node/logs/log_file.h"

namespace muster::node {
namespace {

constexpr std::size_t kRecordsMax = 1u << 30;
// Rewriting costs as much as what is kept, so it waits for a multiple of that.
constexpr std::size_t kRewriteAfter = 4u << 20;
constexpr Duration kStoreRetry = 1s;
constexpr const char* kRuns = "/runs";
constexpr const char* kRunsCopy = "/runs.copy";
constexpr const char* kRunsDamaged = "/runs.damaged";
constexpr const char* kRunsMade = "/runs.made";  // empty: both have been written

}  // namespace

RecordLog::RecordLog(os::Loop& loop, os::Files& files, std::string directory)
    : loop_(loop), files_(files), directory_(std::move(directory)) {}

RecordLog::~RecordLog() {
    if (timer_ != 0) loop_.cancel(timer_);
}

Result<> RecordLog::read() {
    CHECK(!read_ && !file_, "the record is read once, before it is written");
    made_ = files_.size(directory_ + kRunsMade).ok();
    const Result<std::string> text = files_.read(directory_ + kRuns, kRecordsMax);
    if (!text.ok() && text.error().code != Code::kNotFound) return text.error();
    bool whole = false;
    if (text.ok()) {
        ReadRuns read = read_run_lines(*text);
        whole = is_whole(read);
        records_ = std::move(read.records);
        whole_bytes_ = read.whole_bytes;
        CHECK(whole_bytes_ <= text->size());
        complete_since_ = read.complete_since.value_or(Instant());
        if (read.damaged_lines != 0) {
            // The damaged file is kept: it shows what happened.
            (void)files_.replace(directory_ + kRunsDamaged, *text, os::Access::kOnlyUs).ok();
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
    read_ = true;
    std::vector<RunKey> keys;
    for (const auto& [key, record] : records_) {
        CHECK(key == record.key);
        keys.push_back(key);
    }
    for (const RunKey& key : keys) drop_older(key);
    return {};
}

// Also when no line is damaged: whole lines may be missing. Whether the copy is whole.
bool RecordLog::read_copy() {
    const Result<std::string> text = files_.read(directory_ + kRunsCopy, kRecordsMax);
    if (!text.ok()) return false;
    const ReadRuns read = read_run_lines(*text);
    complete_since_ = std::max(complete_since_, read.complete_since.value_or(Instant()));
    const std::size_t added = add_missing_runs(records_, read.records);
    if (added != 0) add_notice(std::to_string(added) + " runs were read from its copy, runs.copy");
    return is_whole(read);
}

// An emptied file has no damaged line, and lacks the line that every file has since kRunsMade is there.
bool RecordLog::is_whole(const ReadRuns& read) const {
    return read.damaged_lines == 0 && (read.complete_since || !made_);
}

void RecordLog::add_found(const std::vector<RunRecord>& found) {
    CHECK(read_ && !file_, "what was found is added between reading and writing");
    std::size_t added = 0;
    for (const RunRecord& record : found) {
        const std::vector<RunKey> runs = runs_of(records_, record.key.pod_uid);
        const bool told = std::any_of(runs.begin(), runs.end(), [&](const RunKey& other) {
            return other.container == record.key.container && other.attempt >= record.key.attempt;
        });
        if (told) continue;
        records_[record.key] = record;
        ++added;
    }
    if (added != 0) add_notice(std::to_string(added) + " runs were found by their notes and processes alone");
}

void RecordLog::accept_loss() {
    CHECK(lossy_);
    complete_since_ = loop_.now();
    add_notice(
        "runs of less than a tenth of a second may be missing: containers of which nothing is known end with "
        "ContainerStatusUnknown once instead of starting");
}

void RecordLog::add_notice(const std::string& text) { notice_ += (notice_.empty() ? "" : "; ") + text; }

Result<> RecordLog::open() {
    CHECK(read_ && !file_);
    if (rewrite().ok()) return {};
    // A full disk: what was there is read again another time.
    TRY_ASSIGN(os::RecordFile file, os::RecordFile::open(directory_ + kRuns));
    file_.emplace(std::move(file));
    (void)file_->cut(whole_bytes_).ok();
    fall_behind();
    return {};
}

Result<> RecordLog::rewrite() {
    CHECK(read_, "a record that was not read must not be replaced");
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

Result<> RecordLog::append(const std::string& messages, bool synced) {
    CHECK(file_, "the record is opened before it is written");
    // Should a part of a record stay there, the next begins on a line of its own.
    const std::string sealed = seal_lines(messages);
    const Result<> appended = file_->append_whole(behind_ ? '\n' + sealed : sealed);
    const Result<> done = appended.ok() && synced ? file_->sync() : appended;
    if (!done.ok()) {
        fall_behind();
        return done;
    }
    // What the copy lacks it gets when the file is written again.
    if (!copy_ || !copy_->append_whole(behind_ ? '\n' + sealed : sealed).ok()) fall_behind();
    appended_ += sealed.size();
    if (appended_ > kRewriteAfter + 2 * written_ && !rewrite().ok()) fall_behind();
    return {};
}

void RecordLog::fall_behind() {
    behind_ = true;
    if (timer_ != 0) return;
    timer_ = loop_.after(kStoreRetry, [this] {
        timer_ = 0;
        if (!rewrite().ok()) fall_behind();
    });
}

void RecordLog::drop_older(const RunKey& key) {
    CHECK(key.attempt >= 0);
    if (key.attempt < 2) return;
    for (const RunKey& older : runs_of(records_, key.pod_uid)) {
        if (!(older.container == key.container) || older.attempt + 1 >= key.attempt) continue;
        remove_log(files_, records_.at(older).log_path);
        (void)files_.remove(run_note_path(directory_, older)).ok();
        records_.erase(older);
    }
}

}  // namespace muster::node
