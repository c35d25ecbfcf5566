#include "os/files/append_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "os/errno_error.h"

namespace muster::os {

Result<std::unique_ptr<AppendFile>> AppendFile::open(const std::string& path) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
    if (!file) return errno_error(errno, "open", path);
    return std::unique_ptr<AppendFile>(new AppendFile(std::move(file)));
}

void AppendFile::write(std::string line) {
    if (waiting_ + line.size() > kWaitingBytesMax) {
        ++dropped_;
        return;
    }
    waiting_ += line.size();
    worker_.run([this, line = std::move(line)] {
        std::string_view rest = line;
        while (!rest.empty()) {
            const ssize_t written = ::write(file_.number(), rest.data(), rest.size());
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) {
                ++dropped_;
                break;
            }
            rest.remove_prefix(static_cast<std::size_t>(written));
        }
        waiting_ -= line.size();
    });
}

}  // namespace muster::os
