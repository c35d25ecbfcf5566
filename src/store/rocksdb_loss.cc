// Whether the RocksDB journal has lost acknowledged writes, and how it goes on when the operator accepts that.
#include <algorithm>

#include "store/rocksdb_database.h"

namespace muster::store {
namespace {

// What was acknowledged last may not be known. No store acknowledges so many writes between two syncs of its record.
constexpr Revision kRevisionGap = 1'000'000;

std::string way_out(const std::string& directory, Revision found) {
    const std::string from = std::to_string(found + 1);
    return "; restore a backup, or go on without the writes from revision " + from + " on: muster up --data-dir " +
           directory + " --accept-loss-from " + from;
}

// Why acknowledged writes are gone, or may be; empty when all are there. A store whose mark does not say so never kept
// a record, and there is none to miss.
std::string describe_loss(const std::string& directory, const GroupMark& found,
                          const Result<std::optional<DurableMark>>& record, const LogMarks& logs) {
    if (found.group < logs.durable_group)
        return logs.path + " is damaged, or a log before it: group " + std::to_string(logs.durable_group) +
               " was written whole, but only " + std::to_string(found.group) + " groups can be read";
    if (!record.ok()) return record.error().message + ", so it is not known which writes were acknowledged";
    if (!*record && !found.recorded) return "";
    if (!*record) return durable_path(directory) + " is missing, so it is not known which writes were acknowledged";
    if ((*record)->revision <= found.revision) return "";
    return directory + "/db has lost acknowledged writes: it ends at revision " + std::to_string(found.revision) +
           ", and " + durable_path(directory) + " says that " + std::to_string((*record)->revision) +
           " was acknowledged; a log is missing or was cut short";
}

}  // namespace

Result<> RocksdbJournal::Database::check_loss(const GroupMark& found) {
    checked_loss_ = true;
    const Result<std::optional<DurableMark>> record = read_durable(directory_);
    if (!record.ok() && record.error().code != Code::kCorrupt) return record.error();
    TRY_ASSIGN(const LogMarks logs, find_log_marks(directory_));
    const std::string loss = describe_loss(directory_, found, record, logs);
    if (loss.empty()) return {};
    if (options_.accept_loss_from != found.revision + 1)
        return Error{Code::kCorrupt, loss + way_out(directory_, found.revision)};
    lost_up_to_ = DurableMark{std::max(found.group, logs.group), std::max(found.revision, logs.revision)};
    if (!record.ok() || !*record) return {};
    lost_up_to_->group = std::max(lost_up_to_->group, (*record)->group);
    lost_up_to_->revision = std::max(lost_up_to_->revision, (*record)->revision);
    return {};
}

Result<> RocksdbJournal::Database::keep_record() {
    if (lost_up_to_) return begin_behind(*lost_up_to_);
    if (options_.accept_loss_from && options_.report)
        options_.report("nothing is lost in " + directory_ + ": --accept-loss-from has no effect");
    mark_.recorded = true;
    TRY_ASSIGN(const std::optional<DurableMark> record, read_durable(directory_));
    if (!record) TRY(replace_durable(directory_, {mark_.group, mark_.revision}));
    TRY_ASSIGN(record_, DurableRecord::open(directory_));
    return record_->write({mark_.group, mark_.revision});
}

// On disk before anything is read or written: no revision that was given out is given again, whatever happens now.
Result<> RocksdbJournal::Database::begin_behind(const DurableMark& lost) {
    const Revision found = mark_.revision;
    mark_.group = lost.group + 1;
    mark_.revision = lost.revision + kRevisionGap;
    mark_.recorded = true;
    rocksdb::WriteBatch batch;
    batch.Put(rocksdb::Slice(kMarkKey.data(), kMarkKey.size()), format_mark(mark_));
    rocksdb::WriteOptions synced;
    synced.sync = true;
    auto status = db_->Write(synced, &batch);
    // The logs that tell of lost groups go with this.
    if (status.ok()) status = db_->Flush({});
    if (!status.ok()) return Error{Code::kIo, "cannot write to " + directory_ + "/db: " + status.ToString()};
    TRY(replace_durable(directory_, {mark_.group, mark_.revision}));
    TRY_ASSIGN(record_, DurableRecord::open(directory_));
    if (options_.report)
        options_.report("the store in " + directory_ + " goes on without the writes from revision " +
                        std::to_string(found + 1) + " on; the next revision is " + std::to_string(mark_.revision + 1));
    return {};
}

}  // namespace muster::store
