#include "os/files/publish_directory.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "os/descriptor.h"
#include "os/errno_error.h"

namespace muster::os {
namespace {

Result<> sync_path(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file) return errno_error(errno, "open", path);
    if (::fsync(file.number()) != 0) return errno_error(errno, "sync", path);
    return {};
}

Result<> sync_all_below(const std::string& directory) {
    std::error_code failure;
    std::filesystem::recursive_directory_iterator at(directory, failure);
    for (; !failure && at != std::filesystem::recursive_directory_iterator(); at.increment(failure))
        TRY(sync_path(at->path().string()));
    if (failure) return errno_error(failure.value(), "list", directory);
    return sync_path(directory);
}

// Not every file system can refuse to replace. There, an empty directory with the name is replaced.
int rename_to_new(const std::string& from, const std::string& to) {
    if (::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

Result<> publish_directory(const std::string& unfinished, const std::string& finished) {
    TRY(sync_all_below(unfinished));
    if (const int error = rename_to_new(unfinished, finished); error != 0)
        return errno_error(error, "rename " + unfinished + " to", finished);
    const std::string parent = std::filesystem::path(finished).parent_path().string();
    return sync_path(parent.empty() ? "." : parent);
}

}  // namespace muster::os
