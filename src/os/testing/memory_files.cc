#include "os/testing/memory_files.h"

#include <cerrno>
#include <filesystem>

#include "os/errno_error.h"

namespace muster::os {
namespace {

std::string parent_of(const std::string& path) {
    const std::string parent = std::filesystem::path(path).parent_path().string();
    return parent.empty() ? "." : parent;
}

// Whether path is under the directory, at any depth.
bool is_under(const std::string& path, const std::string& directory) {
    return path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/';
}

template <class Container>
void erase_tree(Container& entries, const std::string& path, auto path_of) {
    std::erase_if(entries, [&](const auto& entry) {
        const std::string& at = path_of(entry);
        return at == path || is_under(at, path);
    });
}

}  // namespace

// Locks of before a crash outlive it only as empty shells, since the crash left them an older set.
class MemoryFiles::Lock final : public FileLock {
public:
    Lock(std::shared_ptr<Locks> locks, std::string path) : locks_(std::move(locks)), path_(std::move(path)) {
        locks_->insert(path_);
    }
    ~Lock() override { locks_->erase(path_); }

private:
    std::shared_ptr<Locks> locks_;
    std::string path_;
};

void MemoryFiles::fail(FileStep step, int error, int times) { faults_[step] = {error, times}; }

void MemoryFiles::crash() {
    visible_ = durable_;
    locks_ = std::make_shared<Locks>();
}

Result<> MemoryFiles::reach(FileStep step, std::string_view doing, const std::string& path) {
    const auto fault = faults_.find(step);
    if (fault == faults_.end() || fault->second.times == 0) return {};
    --fault->second.times;
    return errno_error(fault->second.error, doing, path);
}

bool MemoryFiles::has_parent(const std::string& path) const { return visible_.directories.contains(parent_of(path)); }

Result<std::unique_ptr<FileLock>> MemoryFiles::lock(const std::string& path) {
    TRY(reach(FileStep::kLock, "lock", path));
    if (!has_parent(path)) return errno_error(ENOENT, "open", path);
    if (locks_->contains(path)) return Error{Code::kUnavailable, path + " is held by process 1"};
    visible_.files.try_emplace(path);
    return std::unique_ptr<FileLock>(std::make_unique<Lock>(locks_, path));
}

Result<std::string> MemoryFiles::read(const std::string& path, std::size_t size_max) {
    TRY(reach(FileStep::kRead, "read", path));
    const auto file = visible_.files.find(path);
    if (file == visible_.files.end()) return errno_error(ENOENT, "open", path);
    if (file->second.size() > size_max)
        return Error{Code::kTooLarge, path + " is larger than " + std::to_string(size_max) + " bytes"};
    return file->second;
}

Result<> MemoryFiles::replace(const std::string& path, std::string_view content, Access /*access*/) {
    if (!has_parent(path)) return errno_error(ENOENT, "open", path);
    TRY(reach(FileStep::kWrite, "write", path));
    TRY(reach(FileStep::kSync, "sync", path));
    TRY(reach(FileStep::kRename, "rename", path));
    visible_.files[path] = content;
    TRY(reach(FileStep::kSyncDirectory, "sync", parent_of(path)));
    durable_.files[path] = content;
    return {};
}

Result<std::uint64_t> MemoryFiles::size(const std::string& path) {
    const auto file = visible_.files.find(path);
    if (file == visible_.files.end()) return errno_error(ENOENT, "look at", path);
    return file->second.size();
}

Result<std::vector<std::string>> MemoryFiles::list(const std::string& directory) {
    TRY(reach(FileStep::kList, "list", directory));
    if (!visible_.directories.contains(directory)) return errno_error(ENOENT, "list", directory);
    std::set<std::string> names;
    const auto add = [&](const std::string& path) {
        if (path != directory && parent_of(path) == directory)
            names.insert(std::filesystem::path(path).filename().string());
    };
    for (const auto& [path, content] : visible_.files) add(path);
    for (const std::string& path : visible_.directories) add(path);
    return std::vector<std::string>(names.begin(), names.end());
}

Result<> MemoryFiles::create_directories(const std::string& path, Access /*access*/) {
    TRY(reach(FileStep::kCreate, "create directory", path));
    std::filesystem::path made;
    for (const std::filesystem::path& part : std::filesystem::path(path)) {
        made /= part;
        if (visible_.files.contains(made.string())) return errno_error(ENOTDIR, "create directory", made.string());
        visible_.directories.insert(made.string());
        durable_.directories.insert(made.string());
    }
    return {};
}

Result<> MemoryFiles::remove(const std::string& path) {
    TRY(reach(FileStep::kRemove, "remove", path));
    for (Tree* tree : {&visible_, &durable_}) {
        erase_tree(tree->files, path, [](const auto& entry) -> const std::string& { return entry.first; });
        erase_tree(tree->directories, path, [](const auto& entry) -> const std::string& { return entry; });
    }
    return {};
}

Result<std::uint64_t> MemoryFiles::free_bytes(const std::string& path) {
    TRY(reach(FileStep::kMeasure, "measure", path));
    return free_bytes_;
}

}  // namespace muster::os
