#include "os/files/slot_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "os/errno_error.h"

namespace muster::os {

Result<std::unique_ptr<SlotFile>> SlotFile::open(std::string path) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file) return errno_error(errno, "open", path);
    return std::unique_ptr<SlotFile>(new SlotFile(std::move(path), std::move(file)));
}

Result<> SlotFile::write(std::size_t at, std::string_view bytes) {
    ssize_t written = 0;
    do {
        written = ::pwrite(file_.number(), bytes.data(), bytes.size(), static_cast<off_t>(at));
    } while (written < 0 && errno == EINTR);
    if (written != static_cast<ssize_t>(bytes.size())) return errno_error(written < 0 ? errno : EIO, "write", path_);
    unsynced_ = true;
    return {};
}

Result<> SlotFile::sync() {
    if (!unsynced_) return {};
    if (::fdatasync(file_.number()) != 0) return errno_error(errno, "sync", path_);
    unsynced_ = false;
    return {};
}

}  // namespace muster::os
