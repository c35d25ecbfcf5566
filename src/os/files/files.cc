#include "os/files/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>

#include "os/descriptor.h"
#include "os/errno_error.h"

namespace muster::os {
namespace {

Result<Descriptor> open_file(const std::string& path, int flags, mode_t mode = 0) {
    Descriptor file(::open(path.c_str(), flags | O_CLOEXEC, mode));
    if (!file) return errno_error(errno, "open", path);
    return file;
}

Result<> write_all(const Descriptor& file, std::string_view content, const std::string& path) {
    while (!content.empty()) {
        const ssize_t written = ::write(file.number(), content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno_error(errno, "write", path);
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

Result<> sync(const Descriptor& file, const std::string& path) {
    if (::fsync(file.number()) != 0) return errno_error(errno, "sync", path);
    return {};
}

std::string directory_of(const std::string& path) {
    const std::string parent = std::filesystem::path(path).parent_path().string();
    return parent.empty() ? "." : parent;
}

Result<> sync_directory(const std::string& path) {
    TRY_ASSIGN(const Descriptor directory, open_file(path, O_RDONLY | O_DIRECTORY));
    return sync(directory, path);
}

// The number in a lock file; 0 when its holder has not written it yet.
int read_holder(const Descriptor& file) {
    char digits[16];
    const ssize_t count = ::pread(file.number(), digits, sizeof(digits), 0);
    int pid = 0;
    if (count > 0) std::from_chars(digits, digits + count, pid);
    return pid;
}

class LinuxFileLock final : public FileLock {
public:
    explicit LinuxFileLock(Descriptor file) : file_(std::move(file)) {}
    // The file stays: were it removed, two processes could each lock a file of that name.
    ~LinuxFileLock() override {
        if (::ftruncate(file_.number(), 0) != 0) {
            // Then it names us until the next holder writes its own pid.
        }
        // For those, too, who got the file from us.
        ::flock(file_.number(), LOCK_UN);
    }

private:
    Descriptor file_;
};

Result<> write_new(const std::string& path, std::string_view content, Access access) {
    const mode_t mode = access == Access::kOnlyUs ? 0600 : 0644;
    TRY_ASSIGN(const Descriptor file, open_file(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode));
    // A file left by a crash keeps the mode it was made with.
    if (::fchmod(file.number(), mode) != 0) return errno_error(errno, "set the mode of", path);
    TRY(write_all(file, content, path));
    return sync(file, path);
}

}  // namespace

std::string absolute_path(const std::string& path) {
    std::error_code failure;
    const std::filesystem::path absolute = std::filesystem::absolute(path, failure);
    return failure ? path : absolute.lexically_normal().string();
}

bool may_execute(const std::string& path) {
    constexpr mode_t kEveryone = S_IXUSR | S_IXGRP | S_IXOTH;
    struct stat figures;
    if (::stat(path.c_str(), &figures) != 0 || !S_ISREG(figures.st_mode)) return false;
    // Who we are matters only when not all may.
    return (figures.st_mode & kEveryone) == kEveryone || ::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0;
}

Result<std::vector<std::string>> files_below(const std::string& directory) {
    std::error_code failure;
    std::vector<std::filesystem::path> found;
    std::filesystem::recursive_directory_iterator at(directory, failure);
    const std::filesystem::recursive_directory_iterator end;
    while (!failure && at != end) {
        if (!at->is_directory(failure)) found.push_back(at->path());
        failure.clear();  // a link that leads nowhere is a file that cannot be read, as its reader will find
        at.increment(failure);
    }
    if (failure) return errno_error(failure.value(), "list", directory);
    std::sort(found.begin(), found.end());
    return std::vector<std::string>(found.begin(), found.end());
}

Result<std::unique_ptr<FileLock>> LinuxFiles::lock(const std::string& path) {
    // A user that may read the file could lock it.
    TRY_ASSIGN(Descriptor file, open_file(path, O_RDWR | O_CREAT, 0600));
    if (::fchmod(file.number(), 0600) != 0 && errno != EPERM) return errno_error(errno, "set the mode of", path);
    if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return errno_error(errno, "lock", path);
        const int holder = read_holder(file);
        return Error{Code::kUnavailable,
                     path + " is held by " + (holder ? "process " + std::to_string(holder) : "another process")};
    }
    if (::ftruncate(file.number(), 0) != 0) return errno_error(errno, "truncate", path);
    TRY(write_all(file, std::to_string(::getpid()) + "\n", path));
    return std::unique_ptr<FileLock>(std::make_unique<LinuxFileLock>(std::move(file)));
}

Result<std::string> LinuxFiles::read(const std::string& path, std::size_t size_max) {
    // Not blocking: opening a pipe without a writer must not hang us.
    TRY_ASSIGN(const Descriptor file, open_file(path, O_RDONLY | O_NONBLOCK));
    std::string content;
    for (;;) {
        const std::size_t used = content.size();
        const std::size_t wanted = std::min<std::size_t>(size_max - used, (std::size_t{1} << 16) - 1) + 1;
        content.resize(used + wanted);
        const ssize_t count = ::read(file.number(), content.data() + used, wanted);
        content.resize(used + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        if (count == 0) return content;
        if (count < 0 && errno != EINTR) return errno_error(errno, "read", path);
        if (content.size() > size_max)
            return Error{Code::kTooLarge, path + " is larger than " + std::to_string(size_max) + " bytes"};
    }
}

Result<> LinuxFiles::replace(const std::string& path, std::string_view content, Access access) {
    const std::string fresh = path + ".new";
    if (Result<> written = write_new(fresh, content, access); !written) {
        ::unlink(fresh.c_str());
        return written;
    }
    if (::rename(fresh.c_str(), path.c_str()) != 0) {
        const int error = errno;
        ::unlink(fresh.c_str());
        return errno_error(error, "rename", fresh);
    }
    return sync_directory(directory_of(path));
}

Result<std::uint64_t> LinuxFiles::size(const std::string& path) {
    struct stat figures;
    if (::stat(path.c_str(), &figures) != 0) return errno_error(errno, "look at", path);
    return static_cast<std::uint64_t>(figures.st_size);
}

Result<std::vector<std::string>> LinuxFiles::list(const std::string& directory) {
    std::error_code failure;
    std::vector<std::string> names;
    std::filesystem::directory_iterator entry(directory, failure);
    for (; !failure && entry != std::filesystem::directory_iterator(); entry.increment(failure))
        names.push_back(entry->path().filename().string());
    if (failure) return errno_error(failure.value(), "list", directory);
    std::sort(names.begin(), names.end());
    return names;
}

Result<> LinuxFiles::create_directories(const std::string& path, Access access) {
    std::filesystem::path whole(path);
    if (!whole.has_filename()) whole = whole.parent_path();  // it ended in a slash
    std::filesystem::path made;
    for (const std::filesystem::path& part : whole) {
        made /= part;
        const mode_t mode = access == Access::kOnlyUs && made == whole ? 0700 : 0755;
        if (::mkdir(made.c_str(), mode) == 0) {
            TRY(sync_directory(directory_of(made.string())));
        } else if (errno != EEXIST) {
            return errno_error(errno, "create directory", made.string());
        }
    }
    if (!std::filesystem::is_directory(path)) return errno_error(ENOTDIR, "create directory", path);
    return {};
}

Result<> close_to_others(const std::string& directory) {
    if (::chmod(directory.c_str(), 0700) != 0) return errno_error(errno, "set the mode of", directory);
    return {};
}

Result<> LinuxFiles::remove(const std::string& path) {
    std::error_code failure;
    if (std::filesystem::remove_all(path, failure) == 0) return {};
    if (failure) return errno_error(failure.value(), "remove", path);
    return sync_directory(directory_of(path));
}

Result<std::uint64_t> LinuxFiles::free_bytes(const std::string& path) {
    struct statvfs figures;
    if (::statvfs(path.c_str(), &figures) != 0) return errno_error(errno, "measure", path);
    return std::uint64_t{figures.f_bavail} * figures.f_frsize;
}

}  // namespace muster::os
