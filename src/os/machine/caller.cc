#include "os/machine/caller.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace muster::os {

std::vector<std::pair<std::string, std::string>> caller_environment() {
    std::vector<std::pair<std::string, std::string>> variables;
    for (char** each = environ; each && *each; ++each) {
        const std::string entry = *each;
        const std::size_t equals = entry.find('=');
        if (equals != std::string::npos && equals > 0)
            variables.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
    }
    return variables;
}

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

int terminal_width(int descriptor, int otherwise) {
    winsize size{};
    if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return otherwise;
    return size.ws_col;
}

}  // namespace muster::os
