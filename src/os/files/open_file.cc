#include "os/files/open_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "os/descriptor.h"
#include "os/errno_error.h"
#include "os/files/files.h"

namespace muster::os {

constexpr mode_t kForAll = 0666;
constexpr mode_t kOnlyOurs = 0700;
constexpr mode_t kUsual = 0755;

namespace {

// From the last part back: most of those above are there already.
Result<> make_directory_with_mode(const std::string& path, mode_t mode) {
    if (::mkdir(path.c_str(), mode) == 0 || errno == EEXIST) return {};
    const std::size_t slash = path.rfind('/');
    if (errno != ENOENT || slash == std::string::npos || slash == 0)
        return errno_error(errno, "create directory", path);
    TRY(make_directory_with_mode(path.substr(0, slash), kUsual));
    if (::mkdir(path.c_str(), mode) == 0 || errno == EEXIST) return {};
    return errno_error(errno, "create directory", path);
}

}  // namespace

Result<> make_directories(const std::string& path) { return make_directory_with_mode(path, kOnlyOurs); }

Result<> make_open_file(const std::string& path) {
    LinuxFiles files;
    TRY(files.create_directories(path.substr(0, path.rfind('/')), Access::kOnlyUs));
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, kForAll));
    if (!file) return errno_error(errno, "make", path);
    // Whatever our mask takes away.
    if (::fchmod(file.number(), kForAll) != 0) return errno_error(errno, "open to all", path);
    return {};
}

}  // namespace muster::os
