// The roots behind images of the form rootfs:/path: a directory as it is, or a tar file that is unpacked once, into the
// node's directory, and kept there. A tar file that has changed is another.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "os/process.h"
#include "os/task.h"

namespace muster::node {

class ImageRoots {
public:
    // All must outlive it. Without processes, tar files are refused.
    ImageRoots(os::Loop& loop, os::Processes* processes, std::string directory);

    // The directory. Whoever asks while it is being unpacked waits. kInvalid with a sentence when there is none.
    os::Task<Result<std::string>> root_of(std::string path);

private:
    os::Task<Result<std::string>> unpack(std::string path, std::string root);

    os::Loop& loop_;
    os::Processes* processes_;
    const std::string directory_;
    std::map<std::string, std::shared_ptr<os::Event>> unpacking_;  // by root
};

}  // namespace muster::node
