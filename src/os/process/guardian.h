// The parent of a process that starts others and may be killed. When that process is killed, its children become
// children of the guardian (a child subreaper). The guardian forks a new process at once, and the new process asks how
// each of those children ended. The guardian reaps a child only on request, so an end that is not recorded yet stays in
// the kernel's process table and its number is not used again.
//
// The guardian is the original process; it forks the working process before it does anything else. It waits, answers
// and forks again, and keeps no state of its own. It costs nothing while the working process is not killed. If the
// guardian itself is killed, the working process continues without it, and the ends that the guardian held are lost.
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
    // Reaps a process that has ended. Its number may be used again from here on.
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
