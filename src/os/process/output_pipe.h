// What a process writes, read by us. The process's end is open for reading, too, so that the process is not ended by
// what happens to us: without a reader it waits once the pipe is full, and whoever comes after us reads on.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "os/descriptor.h"
#include "os/loop/real_loop.h"

namespace muster::os {

struct OutputPipe {
    Descriptor ours;
    Descriptor theirs;
};
Result<OutputPipe> make_output_pipe();

// Our end of a pipe that is a running process's descriptor of that number. kNotFound when it is no pipe any more.
Result<Descriptor> reopen_output(int pid, int number);

// What is there now, of a pipe that nobody else reads.
void read_available(const Descriptor& ours, const std::function<void(std::string_view data)>& on_data);

class OutputReader {
public:
    using OnData = std::function<void(std::string_view data)>;
    OutputReader(RealLoop& loop, Descriptor ours, OnData on_data);
    ~OutputReader();
    OutputReader(const OutputReader&) = delete;
    OutputReader& operator=(const OutputReader&) = delete;

    // What is there now.
    void drain();

private:
    RealLoop& loop_;
    Descriptor ours_;
    OnData on_data_;
    RealLoop::WatchId watch_ = 0;
};

}  // namespace muster::os
