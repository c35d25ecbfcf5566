#include "os/files/record_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "os/errno_error.h"

namespace muster::os {

Result<RecordFile> RecordFile::open(const std::string& path, bool only_us) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, only_us ? 0600 : 0644));
    if (!file) return errno_error(errno, "open", path);
    return RecordFile(path, std::move(file));
}

Result<> RecordFile::append(std::string_view text) {
    std::size_t written = 0;
    return append(text, written);
}

Result<> RecordFile::append(std::string_view text, std::size_t& written) {
    while (written < text.size()) {
        const ssize_t count = ::write(file_.number(), text.data() + written, text.size() - written);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno_error(errno, "write", path_);
        written += static_cast<std::size_t>(count);
    }
    return {};
}

Result<> RecordFile::append_whole(std::string_view text) {
    std::size_t written = 0;
    Result<> appended = append(text, written);
    struct stat now {};
    if (!appended.ok() && written > 0 && ::fstat(file_.number(), &now) == 0)
        (void)cut(static_cast<std::uint64_t>(now.st_size) - written).ok();
    return appended;
}

Result<> RecordFile::cut(std::uint64_t size) {
    if (::ftruncate(file_.number(), static_cast<off_t>(size)) != 0) return errno_error(errno, "cut", path_);
    return {};
}

Result<> RecordFile::sync() {
    if (::fdatasync(file_.number()) != 0) return errno_error(errno, "sync", path_);
    return {};
}

}  // namespace muster::os
