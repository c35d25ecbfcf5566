// How RocksDB is set up for a journal: written in order, synced in groups, read only when the process starts.
#include <rocksdb/env.h>
#include <rocksdb/table.h>

#include "store/rocksdb/append_memtable.h"
#include "store/rocksdb/rocksdb_database.h"

namespace muster::store {

rocksdb::Options rocksdb_options(const RocksdbJournalOptions& options) {
    rocksdb::Options result;
    if (options.env) result.env = options.env;

    // Nothing is looked up while it runs, so a write is put behind the others and sorted when the buffer is full.
    result.memtable_factory = std::make_shared<AppendMemtableFactory>();
    result.allow_concurrent_memtable_write = false;
    result.write_buffer_size = options.write_buffer_bytes;
    result.max_write_buffer_number = 3;

    // Neither does anyone mind many tables, until there are so many that opening takes long.
    result.compression = rocksdb::kNoCompression;
    result.level0_file_num_compaction_trigger = 8;
    result.level0_slowdown_writes_trigger = 64;
    result.level0_stop_writes_trigger = 128;
    result.soft_pending_compaction_bytes_limit = 0;
    result.hard_pending_compaction_bytes_limit = 0;
    result.max_bytes_for_level_base = 256u << 20;
    result.target_file_size_base = 16u << 20;         // so that objects are not copied when only statuses are new
    result.check_flush_compaction_key_order = false;  // the records add up to the mark, or the store does not open
    result.max_background_jobs = 2;
    result.bytes_per_sync = 1u << 20;

    rocksdb::BlockBasedTableOptions table;
    table.no_block_cache = true;
    table.block_size = 32u << 10;
    table.format_version = 5;
    table.checksum = rocksdb::kXXH3;
    result.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));

    // A log that ends in a torn group is what a crash leaves. Whether more than that is missing RocksDB cannot tell;
    // check_loss can.
    result.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
    result.paranoid_checks = true;
    result.skip_stats_update_on_db_open = true;
    result.max_file_opening_threads = 1;  // there are a handful of tables: threads cost more than they save

    result.stats_dump_period_sec = 0;
    result.stats_persist_period_sec = 0;
    result.info_log_level = rocksdb::WARN_LEVEL;
    result.max_log_file_size = 1u << 20;
    result.keep_log_file_num = 2;
    return result;
}

}  // namespace muster::store
