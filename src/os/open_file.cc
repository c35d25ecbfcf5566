#include "os/open_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "os/descriptor.h"
#include "os/errno_error.h"
#include "os/files.h"

namespace muster::os {

constexpr mode_t kForAll = 0666;

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
