// Our end of a pipe or of a terminal whose other end a process has. Reads and writes happen on the loop and never
// block. The owner is told when it can read or write more, and so decides how far the process may run ahead.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/descriptor.h"
#include "os/loop/real_loop.h"

namespace muster::os {

struct Pipe {
    Descriptor read;
    Descriptor write;
};
// Both ends block; whichever becomes ours is made not to by PipeEnd.
Result<Pipe> make_pipe();

class PipeEnd {
public:
    // `ready` is called on the loop when there may be more to read, or room to write; it must not destroy this.
    PipeEnd(RealLoop& loop, Descriptor ours, std::function<void()> ready);
    ~PipeEnd();
    PipeEnd(const PipeEnd&) = delete;
    PipeEnd& operator=(const PipeEnd&) = delete;

    // Appends what is there, `size_max` at most. False at the end: nothing will ever come.
    bool read(std::string& out, std::size_t size_max);
    // Returns how many bytes it took, 0 when there is no room now; nothing when the pipe has no reader any more.
    std::optional<std::size_t> write(std::string_view bytes);
    void close();
    const Descriptor& descriptor() const { return ours_; }

private:
    RealLoop& loop_;
    Descriptor ours_;
    std::function<void()> ready_;
    RealLoop::WatchId watch_ = 0;
};

}  // namespace muster::os
