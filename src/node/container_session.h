// A client's session with a container: a command that runs in it, or the container's own input and output.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "os/task.h"

namespace muster::node {

// Destroying it ends the command, or leaves the container; no Task of it may be left then.
class ContainerSession {
public:
    virtual ~ContainerSession() = default;

    struct Output {
        bool is_error = false;  // standard error rather than standard output
        std::string bytes{};
    };
    // The next output; nothing when all has been told and the command, or the container, has ended.
    virtual os::Task<std::optional<Output>> next() = 0;
    // Goes on when the bytes are taken, or will not be taken by anybody. One at a time.
    virtual os::Task<void> write(std::string bytes) = 0;
    virtual void end_input() = 0;
    virtual void resize(int columns, int rows) = 0;
    // Once there is no more output: the exit code, as a shell counts it.
    virtual Result<int> end() const = 0;
};

}  // namespace muster::node
