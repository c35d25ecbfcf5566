#include "store/rocksdb/rocksdb_database.h"

#include <rocksdb/listener.h>

#include <cstdio>
#include <cstdlib>

#include "base/check.h"

namespace muster::store {
namespace {

rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

// A key in one of the spaces, for the length of an expression.
class KeyParts {
public:
    KeyParts(char space, std::string_view key) : space_(space), parts_{{&space_, 1}, slice(key)} {}
    operator rocksdb::SliceParts() const { return {parts_, 2}; }  // NOLINT(google-explicit-constructor)

private:
    const char space_;
    const rocksdb::Slice parts_[2];
};

// Flushing and compacting happen on RocksDB's own threads.
template <class Failed>
class BackgroundErrors final : public rocksdb::EventListener {
public:
    explicit BackgroundErrors(Failed failed) : failed_(std::move(failed)) {}
    void OnBackgroundError(rocksdb::BackgroundErrorReason, rocksdb::Status* status) override { failed_(*status); }

private:
    Failed failed_;
};

[[noreturn]] void end_process(std::string_view message) {
    std::fprintf(stderr, "muster: %.*s\n", static_cast<int>(message.size()), message.data());
    std::_Exit(74);  // EX_IOERR
}

}  // namespace

RocksdbJournal::Database::Database(const os::Loop& loop, std::string data_directory, DirectoryLock data_lock,
                                   RocksdbJournalOptions journal_options)
    : loop_(loop),
      directory_(std::move(data_directory)),
      options_(std::move(journal_options)),
      lock_(std::move(data_lock)) {}

RocksdbJournal::Database::~Database() {
    if (db_) close();
}

void RocksdbJournal::Database::fail(std::string_view what, const std::string& why) {
    if (failed_.exchange(true)) return;
    const std::string message = "the store in " + directory_ + " cannot go on: " + std::string(what) +
                                " failed: " + why + "; nothing after the last durable write was acknowledged";
    if (options_.fatal) {
        options_.fatal(message);
    } else {
        end_process(message);
    }
}

Error unreadable(std::string_view doing, const std::string& directory, const rocksdb::Status& status) {
    const std::string what = "cannot " + std::string(doing) + ' ' + directory + "/db: " + status.ToString();
    if (!status.IsCorruption() && !status.IsPathNotFound()) return {Code::kIo, what};
    return {Code::kCorrupt, what + "; a file is damaged or missing: restore a backup"};
}

Result<> RocksdbJournal::Database::open() {
    TRY_ASSIGN(const bool exists, check_format(directory_));
    if (exists) {
        TRY_ASSIGN(const bool closed_in_order, check_closed(directory_));
        if (!closed_in_order) {
            TRY_ASSIGN(const GroupMark mark, read_mark());
            TRY(check_loss(mark));
        }
    } else {
        TRY(check_nothing_written());
        TRY(check_loss({}));
    }
    TRY(remove_closed(directory_));
    // RocksDB makes its files for everybody to read.
    TRY(os::LinuxFiles().create_directories(directory_ + "/db", os::Access::kOnlyUs));
    TRY(os::close_to_others(directory_ + "/db"));
    rocksdb::Options options = rocksdb_options(options_);
    options.create_if_missing = !exists;
    const auto on_error = [this](const rocksdb::Status& status) { fail("writing", status.ToString()); };
    options.listeners.push_back(std::make_shared<BackgroundErrors<decltype(on_error)>>(on_error));
    rocksdb::DB* db = nullptr;
    if (const auto status = rocksdb::DB::Open(options, directory_ + "/db", &db); !status.ok())
        return unreadable("open", directory_, status);
    db_.reset(db);
    if (!exists) TRY(write_format(directory_));
    return {};
}

void RocksdbJournal::Database::close() {
    if (failed_) return;
    const bool recorded = !record_ || record_->sync().ok();
    const auto flushed = db_->Flush({});
    const auto closed = db_->Close();
    db_.reset();
    // Without the list the next opening takes this end for a crash, which is right if not all was flushed.
    if (recorded && flushed.ok() && closed.ok()) (void)write_closed(directory_);
}

void RocksdbJournal::Database::add_to_batch(const Change& change) {
    const std::string_view key = change.key;
    CHECK(change.revision > change.replaces && change.revision > change.base, key);
    if (change.replaces != 0) {
        CHECK(mark_.objects > 0, "what is replaced was counted");
        mark_.digest -= object_digest(key, change.replaces);
        --mark_.objects;
    }
    if (change.object) {
        mark_.digest += object_digest(key, change.revision);
        ++mark_.objects;
        if (change.base == 0) {
            put_object(change);
        } else {
            put_status(change);
        }
    } else if (change.replaces != 0) {
        batch_.Delete(KeyParts(kObjectSpace, key));
        batch_.Delete(KeyParts(kStatusSpace, key));
    }
}

void RocksdbJournal::Database::put_object(const Change& change) {
    writer_.bytes.clear();
    change.object->encode_own(writer_);
    const std::size_t own_size = writer_.bytes.size();
    change.object->encode_status(writer_);
    char header[kObjectHeaderSize];
    format_object_header(change.key, {change.revision, own_size, writer_.bytes}, header);
    const rocksdb::Slice value[2] = {{header, kObjectHeaderSize}, slice(writer_.bytes)};
    batch_.Put(KeyParts(kObjectSpace, change.key), rocksdb::SliceParts(value, 2));
}

void RocksdbJournal::Database::put_status(const Change& change) {
    writer_.bytes.clear();
    change.object->encode_status(writer_);
    char header[kStatusHeaderSize];
    format_status_header(change.key, {change.revision, change.base, writer_.bytes}, header);
    const rocksdb::Slice value[2] = {{header, kStatusHeaderSize}, slice(writer_.bytes)};
    batch_.Put(KeyParts(kStatusSpace, change.key), rocksdb::SliceParts(value, 2));
}

bool RocksdbJournal::Database::write(const Group& group) {
    if (failed_) return false;
    CHECK(db_ && record_, "a journal is recovered before it is written");
    CHECK(group.revision > mark_.revision && group.newest >= group.revision, "groups come in order");
    batch_.Clear();
    ++mark_.group;
    mark_.revision = group.revision;
    for (const Change& change : group.changes) add_to_batch(change);
    for (const std::uint64_t part : parts_.take_dead(group.revision, group.newest)) batch_.Delete(part_key(part));
    for (const auto& [number, bytes] : parts_.fresh()) batch_.Put(part_key(number), format_part(number, bytes));
    parts_.fresh().clear();
    batch_.Put(slice(kMarkKey), format_mark(mark_));
    rocksdb::WriteOptions synced;
    synced.sync = true;
    if (const auto status = db_->Write(synced, &batch_); !status.ok()) {
        fail("writing", status.ToString());
        return false;
    }
    if (const Result<> recorded = record_durable(); !recorded.ok()) {
        fail("recording", recorded.error().message);
        return false;
    }
    parts_.look_for_dead(64 + 2 * group.changes.size());
    return !failed_;
}

void RocksdbJournal::Database::seal() {
    if (failed_) return;
    CHECK(record_ && mark_.group != 0, "a group is sealed when it was written");
    batch_ = rocksdb::WriteBatch();  // gives back what a large group took
    GroupMark sealed = mark_;
    sealed.sealed = true;
    batch_.Put(slice(kMarkKey), format_mark(sealed));
    if (const auto status = db_->Write({}, &batch_); !status.ok()) fail("writing", status.ToString());
    if (const Result<> synced = record_->sync(); !synced.ok()) fail("recording", synced.error().message);
    record_synced_ = loop_.uptime();
}

// After the group's sync and before it is acknowledged.
Result<> RocksdbJournal::Database::record_durable() {
    constexpr Duration kSyncEvery = 1s;
    TRY(record_->write({mark_.group, mark_.revision}));
    const Duration now = loop_.uptime();
    if (now - record_synced_ < kSyncEvery) return {};
    record_synced_ = now;
    return record_->sync();
}

}  // namespace muster::store
