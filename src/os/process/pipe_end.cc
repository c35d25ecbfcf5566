#include "os/process/pipe_end.h"

#include <fcntl.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>

#include "os/errno_error.h"

namespace muster::os {

Result<Pipe> make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return errno_error(errno, "make", "a pipe");
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

PipeEnd::PipeEnd(RealLoop& loop, Descriptor ours, std::function<void()> ready)
    : loop_(loop), ours_(std::move(ours)), ready_(std::move(ready)) {
    ::signal(SIGPIPE, SIG_IGN);  // a reader that has gone is an answer to a write, not our end
    ::fcntl(ours_.number(), F_SETFL, ::fcntl(ours_.number(), F_GETFL) | O_NONBLOCK);
    watch_ = loop_.watch(ours_.number(), [this](RealLoop::Readiness) { ready_(); });
}

PipeEnd::~PipeEnd() { close(); }

void PipeEnd::close() {
    if (!ours_) return;
    loop_.unwatch(watch_, ours_.number());
    ours_.close();
}

bool PipeEnd::read(std::string& out, std::size_t size_max) {
    if (!ours_) return false;
    const std::size_t before = out.size();
    out.resize(before + size_max);
    ssize_t count = 0;
    do {
        count = ::read(ours_.number(), out.data() + before, size_max);
    } while (count < 0 && errno == EINTR);
    const bool waits = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    out.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    // A terminal that no program has any more says so by an error.
    return count > 0 || waits;
}

std::optional<std::size_t> PipeEnd::write(std::string_view bytes) {
    if (!ours_) return {};
    ssize_t count = 0;
    do {
        count = ::write(ours_.number(), bytes.data(), bytes.size());
    } while (count < 0 && errno == EINTR);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
    return {};
}

}  // namespace muster::os
