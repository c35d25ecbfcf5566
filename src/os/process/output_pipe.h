// Reads the output of a process. The process's end of the pipe is open for reading, too, so that the process does not
// get SIGPIPE when we end. Without a reader it blocks once the pipe is full, until our successor continues to read.
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

// Reads the bytes that are in the pipe now. Only for a pipe without another reader.
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
