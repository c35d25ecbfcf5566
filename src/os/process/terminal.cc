#include "os/process/terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include <cerrno>

#include "os/errno_error.h"

namespace muster::os {

Result<TerminalPair> open_terminal() {
    TerminalPair pair;
    pair.ours = Descriptor(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
    if (!pair.ours) return errno_error(errno, "make", "a terminal");
    char name[64];
    if (::grantpt(pair.ours.number()) != 0 || ::unlockpt(pair.ours.number()) != 0 ||
        ::ptsname_r(pair.ours.number(), name, sizeof name) != 0)
        return errno_error(errno, "set up", "a terminal");
    pair.theirs = Descriptor(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!pair.theirs) return errno_error(errno, "open", name);
    return pair;
}

void resize_terminal(const Descriptor& terminal, int columns, int rows) {
    constexpr int kMax = 0xffff;
    if (columns < 1 || rows < 1 || columns > kMax || rows > kMax) return;
    winsize size{};
    size.ws_col = static_cast<unsigned short>(columns);
    size.ws_row = static_cast<unsigned short>(rows);
    (void)::ioctl(terminal.number(), TIOCSWINSZ, &size);
}

}  // namespace muster::os
