// Files that are not there: a tree in memory that a test can fill, fail and crash.
#pragma once

#include <map>
#include <set>

#include "os/files/files.h"

namespace muster::os {

// The steps that can be made to fail. kSync is that of a new content before it gets its name, kSyncDirectory the one
// after: then the content is visible, and a crash forgets it.
enum class FileStep { kLock, kRead, kWrite, kSync, kRename, kSyncDirectory, kList, kCreate, kRemove, kMeasure };

class MemoryFiles final : public Files {
public:
    Result<std::unique_ptr<FileLock>> lock(const std::string& path) override;
    Result<std::string> read(const std::string& path, std::size_t size_max) override;
    Result<> replace(const std::string& path, std::string_view content, Access access) override;
    Result<std::uint64_t> size(const std::string& path) override;
    Result<std::vector<std::string>> list(const std::string& directory) override;
    Result<> create_directories(const std::string& path, Access access) override;
    Result<> remove(const std::string& path) override;
    Result<std::uint64_t> free_bytes(const std::string& path) override;

    // The next `times` calls that reach the step fail with this errno (ENOSPC, EIO, …).
    void fail(FileStep step, int error, int times = 1);
    void set_free_bytes(std::uint64_t bytes) { free_bytes_ = bytes; }
    // What a power failure leaves: the content that was synced, and no locks.
    void crash();

private:
    using Locks = std::set<std::string>;
    struct Fault {
        int error;
        int times;
    };
    struct Tree {
        std::map<std::string, std::string> files;
        std::set<std::string> directories{"/", "."};
    };
    class Lock;

    Result<> reach(FileStep step, std::string_view doing, const std::string& path);
    bool has_parent(const std::string& path) const;

    Tree visible_;
    Tree durable_;
    std::shared_ptr<Locks> locks_ = std::make_shared<Locks>();
    std::map<FileStep, Fault> faults_;
    std::uint64_t free_bytes_ = std::uint64_t{1} << 40;
};

}  // namespace muster::os
