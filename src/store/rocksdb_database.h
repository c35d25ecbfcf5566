// The half of the RocksDB journal that the worker runs: open, recover, write, close. Internal to it.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <atomic>
#include <memory>
#include <string>

#include "store/data_directory.h"
#include "store/parts.h"
#include "store/record.h"
#include "store/rocksdb_journal.h"

namespace muster::store {

rocksdb::Options rocksdb_options(const RocksdbJournalOptions& options);

struct RocksdbJournal::Database {
    Database(std::string data_directory, DirectoryLock data_lock, RocksdbJournalOptions journal_options);
    ~Database();

    // Looks before it touches: what cannot be trusted is left as it is.
    Result<> open();
    Result<Revision> recover(Codec& codec, const Each& each);
    // False when the disk failed, now or before.
    bool write(const Group& group);
    // Says in the log, without a sync, that the last group is durable: a log that ends with this has lost nothing.
    void seal();
    Result<> backup(std::string target, const std::vector<std::string>& beside);
    void fail(std::string_view what, const rocksdb::Status& status);

private:
    Result<GroupMark> read_mark() const;
    Result<> look_at_logs();
    Result<> check_nothing_written() const;
    Result<> copy_to(const std::string& target, const std::vector<std::string>& beside);
    Result<> load_parts(PartLoader& loader);
    Result<> load_objects(Codec& codec, PartLoader& loader, const Each& each);
    void add_to_batch(const Change& change);
    void put_object(const Change& change);
    void put_status(const Change& change);
    void close();

    const std::string directory_;
    const RocksdbJournalOptions options_;
    DirectoryLock lock_;
    std::unique_ptr<rocksdb::DB> db_;
    std::atomic<bool> failed_ = false;
    PartTable parts_;
    PartWriter writer_{parts_};
    GroupMark mark_;
    rocksdb::WriteBatch batch_;
};

}  // namespace muster::store
