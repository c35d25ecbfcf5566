// A client's session with something that talks: a command that runs in a container, or a container that the client is
// attached to. The server knows clients, the node processes; this is what passes between them.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "os/loop/task.h"

namespace muster::os {

// Destroying it ends the command, or lets the container go; no Task of it may be left then.
class Session {
public:
    virtual ~Session() = default;

    struct Output {
        bool is_error = false;  // standard error rather than standard output
        std::string bytes{};
    };
    // The next output; nothing when all has been told and the command, or the container, has ended.
    virtual Task<std::optional<Output>> next() = 0;
    // Goes on when the bytes are taken, or will not be taken by anybody. One at a time.
    virtual Task<void> write(std::string bytes) = 0;
    virtual void end_input() = 0;
    virtual void resize(int columns, int rows) = 0;
    // Once there is no more output: the exit code, as a shell counts it, or why it could not be run.
    virtual Result<int> end() const = 0;
};

}  // namespace muster::os
