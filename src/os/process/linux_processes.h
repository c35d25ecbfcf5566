// Processes in the manner of vfork: the child shares our memory until its program is loaded, so that starting one costs
// the same however much the store holds, and carries out its own setup with system calls alone. Their ends come by
// pidfd, so no signal handler is involved.
#pragma once

#include <memory>
#include <unordered_map>

#include "os/descriptor.h"
#include "os/loop/real_loop.h"
#include "os/process/process.h"

namespace muster::os {

class LinuxProcesses final : public Processes {
public:
    // kAtOnce: an ended process is reaped when its end is reported. kLater: the caller reaps it (reap_ended() in
    // process_table.h) after it has passed the end on, so that the end is not lost when the caller is killed before.
    enum class Reaping { kAtOnce, kLater };
    explicit LinuxProcesses(RealLoop& loop, Reaping reaping = Reaping::kAtOnce);
    // Processes that still run are left running, and their ends are not reported.
    ~LinuxProcesses() override;

    Result<std::shared_ptr<Process>> start(const ProcessSpec& spec) override;

    // start() in two halves: launch() on any thread, which blocks until the program runs, then adopt() on the loop. If
    // the process ends in between, its end is reported after adopt(). Every launched process must be adopted, because
    // only then is it reaped.
    struct Launched {
        int pid = 0;
        Descriptor pidfd{};
        std::uint64_t mark = 0;  // of a marked process: process_mark() of it and its descendants; 0: none was to be had
    };
    static Result<Launched> launch(const ProcessSpec& spec);
    std::shared_ptr<Process> adopt(Launched launched);

private:
    class Child;
    void on_end(int pid);

    RealLoop& loop_;
    const Reaping reaping_;
    // Those that have not ended, whether or not anybody holds them.
    std::unordered_map<int, std::shared_ptr<Child>> running_;
};

}  // namespace muster::os
