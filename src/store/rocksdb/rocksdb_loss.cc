// Whether the RocksDB journal has lost acknowledged writes, and how it goes on when the operator accepts that.
#include "base/check.h"
#include "store/loss.h"
#include "store/rocksdb/rocksdb_database.h"

namespace muster::store {

Result<> RocksdbJournal::Database::check_loss(const GroupMark& found) {
    checked_loss_ = true;
    LossFacts facts{found, read_durable(directory_), {}};
    if (!facts.record.ok() && facts.record.error().code != Code::kCorrupt) return facts.record.error();
    TRY_ASSIGN(facts.logs, find_log_marks(directory_));
    TRY_ASSIGN(lost_up_to_, decide_loss(directory_, facts, options_.accept_loss_from));
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
    const DurableMark behind = mark_behind(lost);
    CHECK(behind.revision > found && behind.group > mark_.group, "what was given out is not given again");
    mark_.group = behind.group;
    mark_.revision = behind.revision;
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
