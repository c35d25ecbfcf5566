#include "os/process/output_pipe.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>

#include "os/errno_error.h"

namespace muster::os {
namespace {

// Held for good: most of the way to a descriptor's file is the way to here.
int own_descriptors() {
    static const Descriptor directory(::open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC));
    return directory.number();
}

}  // namespace

Result<OutputPipe> make_output_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return errno_error(errno, "make", "a pipe");
    OutputPipe pipe{Descriptor(ends[0]), {}};
    const Descriptor write_only(ends[1]);
    // A second open of the pipe has its own flags: without O_NONBLOCK, so that the process's writes block.
    const std::string name = std::to_string(write_only.number());
    pipe.theirs = Descriptor(::openat(own_descriptors(), name.c_str(), O_RDWR | O_CLOEXEC));
    if (!pipe.theirs) return errno_error(errno, "open", "/proc/self/fd/" + name);
    return pipe;
}

Result<Descriptor> reopen_output(int pid, int number) {
    const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(number);
    Descriptor pipe(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
    if (!pipe) return errno_error(errno, "open", path);
    struct stat about {};
    if (::fstat(pipe.number(), &about) != 0) return errno_error(errno, "look at", path);
    if (!S_ISFIFO(about.st_mode)) return Error{Code::kNotFound, path + " is no pipe"};
    return pipe;
}

OutputReader::OutputReader(RealLoop& loop, Descriptor ours, OnData on_data)
    : loop_(loop), ours_(std::move(ours)), on_data_(std::move(on_data)) {
    watch_ = loop_.watch(ours_.number(), [this](RealLoop::Readiness) { drain(); });
}

OutputReader::~OutputReader() { loop_.unwatch(watch_, ours_.number()); }

void OutputReader::drain() { read_available(ours_, on_data_); }

void read_available(const Descriptor& ours, const std::function<void(std::string_view data)>& on_data) {
    char buffer[65536];
    for (;;) {
        const ssize_t count = ::read(ours.number(), buffer, sizeof buffer);
        if (count > 0)
            on_data(std::string_view(buffer, static_cast<std::size_t>(count)));
        else if (count == 0 || errno != EINTR)
            return;
    }
}

}  // namespace muster::os
