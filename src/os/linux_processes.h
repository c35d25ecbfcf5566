// Processes in the manner of vfork: the child shares our memory until its program is loaded, so that starting one costs
// the same however much the store holds, and carries out its own setup with system calls alone. Their ends come by
// pidfd, so no signal handler is involved.
#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>

#include "os/descriptor.h"
#include "os/process.h"
#include "os/real_loop.h"

namespace muster::os {

class LinuxProcesses final : public Processes {
public:
    explicit LinuxProcesses(RealLoop& loop);
    // Processes that still run are left running, and nobody learns of their ends.
    ~LinuxProcesses() override;

    Result<std::shared_ptr<Process>> start(const ProcessSpec& spec) override;

private:
    class Child;
    void on_end(int pid);

    RealLoop& loop_;
    std::unique_ptr<std::byte[]> stack_;  // a child's, while we stand still
    // Those not yet reaped, whether or not anybody holds them.
    std::unordered_map<int, std::shared_ptr<Child>> running_;
};

}  // namespace muster::os
