// The parent of a process that starts others and may be killed: what it leaves comes to the guardian (a child
// subreaper), which holds it until the next of that process, started by the guardian at once, has asked how each ended.
// Nothing is reaped but on order, so an end that nobody has written down yet stays in the kernel's own table, and its
// number is nobody else's.
//
// The guardian is what the process was before its first own step: it waits, answers and starts again, without memory of
// its own. It costs nothing while nobody is killed. Killed itself, it takes its knowledge along, and the process goes
// on without it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "os/descriptor.h"
#include "os/process/process.h"

namespace muster::os {

class Guardian {
public:
    // Divides this process, which has one thread yet. The caller stays behind as the guardian for as long as needed and
    // ends with the other's code: this returns in a child, and again in another whenever that is killed. `shared_bytes`
    // of memory, zero at first, are the same for all of them.
    static Guardian divide(std::size_t shared_bytes);

    int pid() const { return pid_; }
    std::span<std::byte> shared() const { return shared_; }

    // How a process that was left to the guardian ended; nothing when it runs, is not the guardian's, or there is no
    // guardian any more.
    std::optional<ProcessEnd> end_of(int pid);
    // Lets go of one that has ended: its number may be another's from here on.
    void reap(int pid);
    // Those it was left, ended or not. They only become fewer: what they leave behind themselves is there before they
    // are reaped.
    std::vector<int> children();

private:
    Guardian(int pid, Descriptor socket, std::span<std::byte> shared)
        : pid_(pid), socket_(std::move(socket)), shared_(shared) {}
    std::optional<ProcessEnd> ask(int pid, bool reaps);

    int pid_;
    bool has_children_ = true;  // as far as we know
    Descriptor socket_;
    std::span<std::byte> shared_;
};

}  // namespace muster::os
