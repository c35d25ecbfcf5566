// How the RocksDB journal finds out what it has, and whether that is what was written.
#include "store/rocksdb_database.h"

namespace muster::store {
namespace {

std::string_view view(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

// By an iterator: RocksDB 7.8's default for reading one key from a memtable of another make never frees what it used.
Result<GroupMark> find_mark(rocksdb::DB& db, const std::string& directory) {
    const rocksdb::Slice key(kMarkKey.data(), kMarkKey.size());
    const std::unique_ptr<rocksdb::Iterator> at(db.NewIterator({}));
    at->Seek(key);
    if (!at->status().ok())
        return Error{Code::kCorrupt, "cannot read " + directory + "/db: " + at->status().ToString()};
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

// Calls each record of a key space, without the space's letter, until one fails.
template <class Each>
Result<> scan(rocksdb::DB& db, const std::string& directory, char space, Each each) {
    const std::string end(1, static_cast<char>(space + 1));
    const rocksdb::Slice upper(end);
    rocksdb::ReadOptions options = scan_options();
    options.iterate_upper_bound = &upper;
    const std::unique_ptr<rocksdb::Iterator> at(db.NewIterator(options));
    for (at->Seek(rocksdb::Slice(&space, 1)); at->Valid(); at->Next()) TRY(each(view(at->key()), view(at->value())));
    if (!at->status().ok())
        return Error{Code::kCorrupt, "cannot read " + directory + "/db: " + at->status().ToString()};
    return {};
}

}  // namespace

// Reads the logs without changing them: RocksDB proper would replace them by a table of what it could read.
Result<> RocksdbJournal::Database::look_at_logs() {
    rocksdb::DB* opened = nullptr;
    const auto status = rocksdb::DB::OpenForReadOnly(rocksdb_options(options_), directory_ + "/db", &opened);
    if (!status.ok())
        return Error{status.IsCorruption() ? Code::kCorrupt : Code::kIo,
                     "cannot open " + directory_ + "/db: " + status.ToString()};
    const std::unique_ptr<rocksdb::DB> db(opened);
    TRY_ASSIGN(const GroupMark mark, find_mark(*db, directory_));
    return check_logs(directory_, mark.group);
}

Result<Revision> RocksdbJournal::Database::recover(Codec& codec, const Each& each) {
    TRY_ASSIGN(mark_, find_mark(*db_, directory_));
    mark_.sealed = false;
    PartLoader loader;
    TRY(load_parts(loader));
    TRY(load_objects(codec, loader, each));
    TRY(loader.hand_over(parts_));
    return mark_.revision;
}

Result<> RocksdbJournal::Database::load_parts(PartLoader& loader) {
    return scan(*db_, directory_, kPartSpace, [&](std::string_view key, std::string_view record) -> Result<> {
        TRY_ASSIGN(const PartRecord part, parse_part(key, record));
        loader.add(part.number, std::string(part.bytes));
        return {};
    });
}

Result<> RocksdbJournal::Database::load_objects(Codec& codec, PartLoader& loader, const Each& each) {
    std::uint64_t objects = 0;
    std::uint64_t digest = 0;
    TRY(scan(*db_, directory_, kObjectSpace, [&](std::string_view db_key, std::string_view bytes) -> Result<> {
        const std::string_view key = db_key.substr(1);
        TRY_ASSIGN(const ObjectRecord record, parse_object(key, bytes));
        if (record.revision > mark_.revision)
            return Error{Code::kCorrupt, "the record of \"" + std::string(key) + "\" has revision " +
                                             std::to_string(record.revision) + ", but the newest is " +
                                             std::to_string(mark_.revision)};
        auto object = codec.decode(key, record.revision, record.own, loader);
        if (!object.ok())
            return Error{object.error().code,
                         "cannot read the record of \"" + std::string(key) + "\": " + object.error().message};
        ++objects;
        digest += record_digest(key, record.revision);
        each(Text(key), record.revision, std::move(*object));
        return {};
    }));
    if (objects != mark_.objects || digest != mark_.digest)
        return Error{Code::kCorrupt, directory_ + "/db is damaged: it holds " + std::to_string(objects) +
                                         " objects that are not the " + std::to_string(mark_.objects) + " that group " +
                                         std::to_string(mark_.group) + " left"};
    return {};
}

}  // namespace muster::store
