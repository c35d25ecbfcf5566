// How the RocksDB journal finds out what it has, and whether that is what was written.
#include <optional>

#include "base/check.h"
#include "store/recovery.h"
#include "store/rocksdb/rocksdb_database.h"

namespace muster::store {
namespace {

std::string_view view(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

// By an iterator: RocksDB 7.8's default for reading one key from a memtable of another make never frees what it used.
Result<GroupMark> find_mark(rocksdb::DB& db, const std::string& directory) {
    const rocksdb::Slice key(kMarkKey.data(), kMarkKey.size());
    const std::unique_ptr<rocksdb::Iterator> at(db.NewIterator({}));
    at->Seek(key);
    if (!at->status().ok()) return unreadable("read", directory, at->status());
    if (!at->Valid() || at->key() != key) return GroupMark{};
    return parse_mark(view(at->value()));
}

rocksdb::ReadOptions scan_options() {
    rocksdb::ReadOptions options;
    options.fill_cache = false;
    options.verify_checksums = true;
    options.readahead_size = 2u << 20;
    return options;
}

// Goes through the records of a key space, keys without the space's letter.
class Scan {
public:
    Scan(rocksdb::DB& db, const std::string& directory, char space)
        : directory_(directory), end_(1, static_cast<char>(space + 1)), upper_(end_) {
        rocksdb::ReadOptions options = scan_options();
        options.iterate_upper_bound = &upper_;
        at_.reset(db.NewIterator(options));
        at_->Seek(rocksdb::Slice(&space, 1));
    }
    Scan(const Scan&) = delete;
    Scan& operator=(const Scan&) = delete;

    bool valid() const { return at_->Valid(); }
    std::string_view key() const { return view(at_->key()).substr(1); }
    std::string_view value() const { return view(at_->value()); }
    void next() { at_->Next(); }
    // To be asked when it is not valid any more.
    Result<> ended_well() const {
        if (at_->status().ok()) return {};
        return unreadable("read", directory_, at_->status());
    }

private:
    const std::string& directory_;
    const std::string end_;
    const rocksdb::Slice upper_;
    std::unique_ptr<rocksdb::Iterator> at_;
};

// Walks the status records in step with the objects.
class Statuses {
public:
    Statuses(rocksdb::DB& db, const std::string& directory) : scan_(db, directory, kStatusSpace) {}

    // The status record of a key, if it has one; keys must come in order. Good until the next call.
    Result<std::optional<StatusRecord>> of(std::string_view key) {
        if (on_record_) scan_.next();
        on_record_ = scan_.valid() && scan_.key() == key;
        if (on_record_) {
            TRY_ASSIGN(const StatusRecord record, parse_status(key, scan_.value()));
            return std::optional(record);
        }
        if (scan_.valid() && scan_.key() < key) return lonely();
        return std::optional<StatusRecord>();
    }
    Result<> end() {
        if (on_record_) scan_.next();
        if (scan_.valid()) return lonely();
        return scan_.ended_well();
    }

private:
    Error lonely() const {
        return {Code::kCorrupt, "there is a status record of \"" + std::string(scan_.key()) + "\" but no object"};
    }

    Scan scan_;
    bool on_record_ = false;  // that was given out
};

}  // namespace

// Reads the logs without changing them: RocksDB proper would replace them by a table of what it could read.
Result<GroupMark> RocksdbJournal::Database::read_mark() const {
    rocksdb::DB* opened = nullptr;
    const auto status = rocksdb::DB::OpenForReadOnly(rocksdb_options(options_), directory_ + "/db", &opened);
    if (!status.ok()) return unreadable("open", directory_, status);
    const std::unique_ptr<rocksdb::DB> db(opened);
    return find_mark(*db, directory_);
}

// Without a format there is nothing yet, or what a set-up that was cut short left: a database without a group.
Result<> RocksdbJournal::Database::check_nothing_written() const {
    if (!has_data(directory_)) return {};
    const Result<GroupMark> mark = read_mark();
    if (mark.ok() && mark->group == 0) return {};
    return Error{Code::kCorrupt, directory_ + "/format is missing, but there is data in " + directory_ +
                                     "/db; if nothing else is amiss, put it back, with the line \"" + format_line() +
                                     "\""};
}

Result<Revision> RocksdbJournal::Database::recover(Codec& codec, const Each& each) {
    CHECK(db_ && !record_, "a journal is recovered once, and before it is written");
    TRY_ASSIGN(mark_, find_mark(*db_, directory_));
    if (!checked_loss_) TRY(check_loss(mark_));
    mark_.sealed = false;
    PartLoader loader;
    TRY(load_parts(loader));
    TRY(load_objects(codec, loader, each));
    TRY(loader.hand_over(parts_));
    TRY(keep_record());
    return mark_.revision;
}

Result<> RocksdbJournal::Database::load_parts(PartLoader& loader) {
    Scan scan(*db_, directory_, kPartSpace);
    for (; scan.valid(); scan.next()) {
        TRY_ASSIGN(const PartRecord part, parse_part(kPartSpace + std::string(scan.key()), scan.value()));
        loader.add(part.number, std::string(part.bytes));
    }
    return scan.ended_well();
}

Result<> RocksdbJournal::Database::load_objects(Codec& codec, PartLoader& loader, const Each& each) {
    std::uint64_t objects = 0;
    std::uint64_t digest = 0;
    std::string bytes;
    Recovery recovery(codec, loader, each);
    Scan scan(*db_, directory_, kObjectSpace);
    Statuses statuses(*db_, directory_);
    for (; scan.valid(); scan.next()) {
        const std::string_view key = scan.key();
        TRY_ASSIGN(const ObjectRecord record, parse_object(key, scan.value()));
        TRY_ASSIGN(const std::optional<StatusRecord> status, statuses.of(key));
        Revision revision = record.revision;
        std::string_view whole = record.bytes;
        if (status && status->base == record.revision) {
            revision = status->revision;
            whole = bytes.assign(record.own()).append(status->bytes);
        }
        if (revision > mark_.revision)
            return Error{Code::kCorrupt, "the record of \"" + std::string(key) + "\" has revision " +
                                             std::to_string(revision) + ", but the newest is " +
                                             std::to_string(mark_.revision)};
        TRY(recovery.add(key, revision, record.revision, whole));
        ++objects;
        digest += object_digest(key, revision);
    }
    TRY(recovery.finish());
    TRY(scan.ended_well());
    TRY(statuses.end());
    if (objects != mark_.objects || digest != mark_.digest)
        return Error{Code::kCorrupt, directory_ + "/db is damaged: it holds " + std::to_string(objects) +
                                         " objects that are not the " + std::to_string(mark_.objects) + " that group " +
                                         std::to_string(mark_.group) + " left; restore a backup"};
    return {};
}

}  // namespace muster::store
