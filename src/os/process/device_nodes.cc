#include "os/process/device_nodes.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "os/errno_error.h"

namespace muster::os {
namespace {

constexpr int kOpenDirectoriesMax = 16;

int remove_if_device(const char* path, const struct stat* figures, int kind, FTW*) {
    if (kind == FTW_F && (S_ISCHR(figures->st_mode) || S_ISBLK(figures->st_mode)) && ::unlink(path) != 0) return errno;
    return 0;
}

}  // namespace

Result<> remove_device_nodes(const std::string& directory) {
    const int failed = ::nftw(directory.c_str(), remove_if_device, kOpenDirectoriesMax, FTW_PHYS | FTW_MOUNT);
    if (failed < 0) return errno_error(errno, "look through", directory);
    if (failed > 0) return errno_error(failed, "remove device nodes from", directory);
    return {};
}

}  // namespace muster::os
