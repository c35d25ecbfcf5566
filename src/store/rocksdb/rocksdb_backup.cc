// How the RocksDB journal copies itself. A copy is made under a name that says that it is unfinished, and gets its own
// name when everything is on disk: a process that is killed meanwhile leaves DIR.unfinished and never DIR. The next
// backup to the same place removes that.
#include <rocksdb/utilities/checkpoint.h>

#include "base/check.h"
#include "os/files/publish_directory.h"
#include "store/rocksdb/rocksdb_database.h"

namespace muster::store {
namespace {

Error exists(const std::string& target) { return {Code::kAlreadyExists, "cannot make " + target + ": it exists"}; }

// Everything that a killed backup left, but for the lock, which is ours now.
Result<> remove_leftovers(os::Files& files, const std::string& directory) {
    TRY_ASSIGN(const std::vector<std::string> names, files.list(directory));
    for (const std::string& name : names)
        if (name != "lock") TRY(files.remove(directory + "/" + name));
    return {};
}

}  // namespace

Result<> RocksdbJournal::Database::backup(std::string target, const std::vector<std::string>& beside) {
    os::LinuxFiles files;
    while (target.size() > 1 && target.ends_with('/')) target.pop_back();
    if (files.size(target).ok()) return exists(target);
    const std::string unfinished = target + std::string(kUnfinishedSuffix);
    // Held to the end: two processes may have been asked to write to one place.
    TRY_ASSIGN(const DirectoryLock lock, lock_directory(unfinished));
    Result<> done = remove_leftovers(files, unfinished);
    if (done.ok()) done = copy_to(unfinished, beside);
    if (done.ok()) done = files.remove(unfinished + "/lock");
    if (done.ok()) done = os::publish_directory(unfinished, target);
    if (done.ok()) return {};
    // Why the backup failed is what matters, not whether its leftovers could be removed.
    (void)files.remove(unfinished);
    return done.error().code == Code::kAlreadyExists ? exists(target) : done.error();
}

Result<> RocksdbJournal::Database::copy_to(const std::string& target, const std::vector<std::string>& beside) {
    constexpr std::size_t kSmallFileMax = 1u << 20;
    CHECK(db_ && record_, "a copy names the last group, which is known when the journal is recovered");
    os::LinuxFiles files;
    TRY(write_unfinished(target));
    for (const std::string& folder : beside) {
        TRY(files.create_directories(target + "/" + folder, os::Access::kOnlyUs));
        TRY_ASSIGN(const std::vector<std::string> names, files.list(directory_ + "/" + folder));
        for (const std::string& name : names) {
            TRY_ASSIGN(const std::string content, files.read(directory_ + "/" + folder + "/" + name, kSmallFileMax));
            TRY(files.replace(target + "/" + folder + "/" + name, content, os::Access::kOnlyUs));
        }
    }
    rocksdb::Checkpoint* made = nullptr;
    auto status = rocksdb::Checkpoint::Create(db_.get(), &made);
    const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
    if (status.ok()) status = checkpoint->CreateCheckpoint(target + "/db");
    if (!status.ok()) return Error{Code::kIo, "cannot copy to " + target + ": " + status.ToString()};
    // The worker makes groups and backups one after the other, so this is what the copy holds.
    TRY(replace_durable(target, {mark_.group, mark_.revision}));
    return write_format(target);
}

}  // namespace muster::store
