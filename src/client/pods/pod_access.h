// What clients reach of a running pod: its logs, commands inside it, its input and output, its ports. A node's runtime
// offers it. The server, which knows who may ask and how clients are talked to, and `muster run` use it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/kinds/core/pod.h"
#include "base/result.h"
#include "os/loop/session.h"
#include "os/loop/task.h"
#include "os/network/network.h"

namespace muster::client {

// A log that is being read. Destroying it ends the reading; no Task of it may be left then.
class LogStream {
public:
    virtual ~LogStream() = default;
    // Once, first.
    virtual os::Task<Result<>> open() = 0;
    // The next part, at least a byte; nothing at the end. The end of a followed log is the end of its run.
    virtual os::Task<Result<std::optional<std::string>>> next() = 0;
};

// What a client wants of a container: to run a command in it, or, without a command, to be attached to it.
struct SessionRequest {
    Text container{};
    std::vector<std::string> command{};
    bool input = false;
    bool output = false;
    bool errors = false;
    bool terminal = false;
};

class PodAccess {
public:
    virtual ~PodAccess() = default;
    // kBadRequest, with a kubelet's sentence, when there is no such log.
    virtual Result<std::unique_ptr<LogStream>> open_log(const api::core::Pod& pod,
                                                        const api::core::PodLogOptions& options) = 0;
    // Whether the container runs. kInternal, with a kubelet's sentence, when it does not.
    virtual Result<> check_session(const api::core::Pod& pod, const SessionRequest& request) = 0;
    // With a kubelet's sentence kIo when the command cannot be started, kInternal when the container is gone.
    virtual Result<std::unique_ptr<os::Session>> open_session(const api::core::Pod& pod,
                                                              const SessionRequest& request) = 0;
    // Where the addresses of pods can be reached.
    virtual os::Network& network() = 0;
};

}  // namespace muster::client
