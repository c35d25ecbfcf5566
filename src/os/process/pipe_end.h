// Our end of a pipe or of a terminal whose other end a process has: read and written on the loop, as much as goes
// without waiting. Whoever uses it is told when more goes, and so decides how far the process may run ahead.
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
    // Gives how many bytes it took, 0 when there is no room now; nothing when nobody is there to read them.
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
