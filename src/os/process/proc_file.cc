#include "os/process/proc_file.h"

#include <fcntl.h>

#include <cerrno>

namespace muster::os {

std::optional<std::string> read_proc(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    return file ? read_proc(file) : std::nullopt;
}

std::optional<std::string> read_proc(const Descriptor& file) {
    std::string text;
    char buffer[16384];
    for (;;) {
        const ssize_t count = ::pread(file.number(), buffer, sizeof buffer, static_cast<off_t>(text.size()));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return {};
        if (count == 0) return text;
        text.append(buffer, static_cast<std::size_t>(count));
    }
}

}  // namespace muster::os
