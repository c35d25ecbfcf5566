// The files that are ours to write: a data directory's lock and format, certificates, kubeconfig. Small files, whole
// at a time; the journal's own files are RocksDB's. Calls block: they are for the start and for workers, not for the
// loop's turns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::os {

// Holds a lock until destroyed. The lock ends with the process, however that ends.
class FileLock {
public:
    virtual ~FileLock() = default;
};

enum class Access { kEveryoneReads, kOnlyUs };

// From the root, links left as they are; relative to our working directory.
std::string absolute_path(const std::string& path);
// Whether it is a file, and one that we may execute.
bool may_execute(const std::string& path);

// Sets the mode of an existing directory to 0700, so that only our user has access.
Result<> close_to_others(const std::string& directory);

// All files in a directory and those below it, as paths that begin with it, sorted name by name. Links to directories
// are not followed. kNotFound, kIo.
Result<std::vector<std::string>> files_below(const std::string& directory);

class Files {
public:
    virtual ~Files() = default;

    // Creates the file if needed, for our user only, and locks it. kUnavailable, with the number of the process that
    // holds the lock, when it is locked already.
    virtual Result<std::unique_ptr<FileLock>> lock(const std::string& path) = 0;
    // The whole content. kNotFound, or kTooLarge beyond `size_max`.
    virtual Result<std::string> read(const std::string& path, std::size_t size_max) = 0;
    // Puts the content under the path, old content gone: all or nothing, and on disk when it succeeds. On failure the
    // old content stands, or the new one whose durability is in doubt.
    virtual Result<> replace(const std::string& path, std::string_view content,
                             Access access = Access::kEveryoneReads) = 0;
    // In bytes. kNotFound.
    virtual Result<std::uint64_t> size(const std::string& path) = 0;
    // The names in a directory, sorted.
    virtual Result<std::vector<std::string>> list(const std::string& directory) = 0;
    // Makes the directory and those above it; one that exists is no error. The access is that of the last.
    virtual Result<> create_directories(const std::string& path, Access access = Access::kEveryoneReads) = 0;
    // Removes a file, or a directory with all that is in it; an absent one is no error. Links are not followed.
    virtual Result<> remove(const std::string& path) = 0;
    // What we could still write on the filesystem that holds the path.
    virtual Result<std::uint64_t> free_bytes(const std::string& path) = 0;
};

class LinuxFiles final : public Files {
public:
    Result<std::unique_ptr<FileLock>> lock(const std::string& path) override;
    Result<std::string> read(const std::string& path, std::size_t size_max) override;
    Result<> replace(const std::string& path, std::string_view content, Access access) override;
    Result<std::uint64_t> size(const std::string& path) override;
    Result<std::vector<std::string>> list(const std::string& directory) override;
    Result<> create_directories(const std::string& path, Access access) override;
    Result<> remove(const std::string& path) override;
    Result<std::uint64_t> free_bytes(const std::string& path) override;
};

}  // namespace muster::os
