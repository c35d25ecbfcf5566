// The directory a store lives in:
//     lock      held while a process uses it, with its number inside
//     format    "muster store format 2"; written last when a directory is set up
//     db/       RocksDB's
//     durable   which revision was acknowledged last (store/durable_record.h)
//     closed    only after an orderly end: which files there are and how they look
// A store that was closed in order must be found as it was left, file by file: RocksDB takes a MANIFEST that lost its
// tail for one that was being written when the power went. After a crash there is no such list, and `check_logs` does
// what can be done then.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/files/files.h"
#include "store/record.h"

namespace muster::store {

inline constexpr int kFormatVersion = 2;

using DirectoryLock = std::unique_ptr<os::FileLock>;
// Makes the directory if need be. kUnavailable, naming the process that has it.
Result<DirectoryLock> lock_directory(const std::string& directory);

// Whether the directory has been set up. kInvalid, naming both versions, when it was by another format. kCorrupt for
// anything else in the file's place.
Result<bool> check_format(const std::string& directory);
Result<> write_format(const std::string& directory);
// Says in the place of a format that the directory is a backup that is not finished; `check_format` then refuses it.
inline constexpr std::string_view kUnfinishedSuffix = ".unfinished";
Result<> write_unfinished(const std::string& directory);
// "muster store format 2"
std::string format_line();
// Whether there are files of RocksDB's that may hold data.
bool has_data(const std::string& directory);

// Says how the files are, after RocksDB has closed them.
Result<> write_closed(const std::string& directory);
// False when there is nothing to compare with. kCorrupt, naming the file that is not as it was left.
Result<bool> check_closed(const std::string& directory);
// To be called before anything is written.
Result<> remove_closed(const std::string& directory);

// What the write-ahead logs tell, whether or not RocksDB can read them. A group is begun only when the one before is
// durable, so only the last one may be missing, and not even that when it is sealed.
struct LogMarks {
    std::uint64_t durable_group = 0;
    std::uint64_t group = 0;  // the newest that was begun
    Revision revision = 0;    // of that
    std::string path{};       // the log that tells of the newest durable one
};
Result<LogMarks> find_log_marks(const std::string& directory);

}  // namespace muster::store
