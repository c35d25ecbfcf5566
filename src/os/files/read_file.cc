#include "os/files/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "os/errno_error.h"

namespace muster::os {

Result<ReadFile> ReadFile::open(const std::string& path) {
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return errno_error(errno, "open", path);
    return ReadFile(path, std::move(file));
}

Result<std::size_t> ReadFile::read_at(std::uint64_t offset, std::span<char> buffer) const {
    std::size_t filled = 0;
    while (filled < buffer.size()) {
        const ssize_t count = ::pread(file_.number(), buffer.data() + filled, buffer.size() - filled,
                                      static_cast<off_t>(offset + filled));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno_error(errno, "read", path_);
        if (count == 0) break;
        filled += static_cast<std::size_t>(count);
    }
    return filled;
}

Result<std::uint64_t> ReadFile::size() const {
    struct stat about {};
    if (::fstat(file_.number(), &about) != 0) return errno_error(errno, "look at", path_);
    return static_cast<std::uint64_t>(about.st_size);
}

bool ReadFile::nameless() const {
    struct stat about {};
    return ::fstat(file_.number(), &about) != 0 || about.st_nlink == 0;
}

}  // namespace muster::os
