// The half of the RocksDB journal that the worker runs: open, recover, write, close. Internal to it.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "store/data_directory.h"
#include "store/durable_record.h"
#include "store/parts.h"
#include "store/record.h"
#include "store/rocksdb/rocksdb_journal.h"

namespace muster::store {

rocksdb::Options rocksdb_options(const RocksdbJournalOptions& options);
// Why RocksDB cannot open or read its files. kCorrupt, with the way out, when they are damaged or missing; else kIo.
Error unreadable(std::string_view doing, const std::string& directory, const rocksdb::Status& status);

struct RocksdbJournal::Database {
    // The loop tells the time, on any thread.
    Database(const os::Loop& loop, std::string data_directory, DirectoryLock data_lock,
             RocksdbJournalOptions journal_options);
    ~Database();

    // Looks before it touches: what cannot be trusted is left as it is.
    Result<> open();
    Result<Revision> recover(Codec& codec, const Each& each);
    // False when the disk failed, now or before.
    bool write(const Group& group);
    // Says in the log, without a sync, that the last group is durable: a log that ends with this has lost nothing.
    void seal();
    Result<> backup(std::string target, const std::vector<std::string>& beside);
    void fail(std::string_view what, const std::string& why);

private:
    Result<GroupMark> read_mark() const;
    // Whether acknowledged writes are gone. kCorrupt, telling which and how to go on without them, unless the options
    // accept exactly this loss.
    Result<> check_loss(const GroupMark& found);
    Result<> keep_record();
    Result<> begin_behind(const DurableMark& lost);
    Result<> check_nothing_written() const;
    Result<> copy_to(const std::string& target, const std::vector<std::string>& beside);
    Result<> load_parts(PartLoader& loader);
    Result<> load_objects(Codec& codec, PartLoader& loader, const Each& each);
    void add_to_batch(const Change& change);
    void put_object(const Change& change);
    void put_status(const Change& change);
    Result<> record_durable();
    void close();

    const os::Loop& loop_;
    const std::string directory_;
    const RocksdbJournalOptions options_;
    DirectoryLock lock_;
    std::unique_ptr<rocksdb::DB> db_;
    std::atomic<bool> failed_ = false;
    PartTable parts_;
    PartWriter writer_{parts_};
    GroupMark mark_;
    std::unique_ptr<DurableRecord> record_;
    Duration record_synced_{};  // by uptime
    bool checked_loss_ = false;
    std::optional<DurableMark> lost_up_to_;  // the newest that was begun, when a loss was accepted
    rocksdb::WriteBatch batch_;
};

}  // namespace muster::store
