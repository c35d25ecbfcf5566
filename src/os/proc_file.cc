#include "os/proc_file.h"

#include <fcntl.h>

#include <cerrno>

#include "os/descriptor.h"

namespace muster::os {

std::optional<std::string> read_proc(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return {};
    std::string text;
    char buffer[16384];
    for (;;) {
        const ssize_t count = ::read(file.number(), buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return {};
        if (count == 0) return text;
        text.append(buffer, static_cast<std::size_t>(count));
    }
}

}  // namespace muster::os
