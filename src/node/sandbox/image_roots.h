// The roots behind images of the form rootfs:/path: a directory as it is, or a tar file that is unpacked once, into the
// node's directory, and kept there while a pod uses it and for kKeepUnused longer. A tar file that has changed is
// another.
//
//     <directory>/images/<stamp>              an unpacked root, whole
//     <directory>/images/<stamp>.partial      one that is being unpacked, or was when we were killed
//     <directory>/images/<stamp>.gone         one that is being removed
//     <directory>/pods/<uid>/images/<stamp>   that the pod uses it; goes with the pod's other files
//
// So who uses what is known after any crash, and what has its own name is whole.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/instant.h"
#include "base/result.h"
#include "base/text.h"
#include "node/identity/pod_user.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"
#include "os/process/process.h"

namespace muster::node {

class ImageRoots {
public:
    static constexpr Duration kKeepUnused = std::chrono::hours(1);
    static constexpr Duration kSweepPeriod = std::chrono::minutes(10);

    // All must outlive it. Without processes, tar files are refused; without a worker, nothing is removed. Tar files
    // are read with the rights of `pod_user`, when there is one, and their files are its.
    ImageRoots(os::Loop& loop, os::Processes* processes, os::Worker* worker, std::string directory,
               std::optional<PodUser> pod_user = {});

    // The directory, which exists as long as the pod. A call while the image is being unpacked waits. kInvalid with a
    // message when there is none.
    os::Task<Result<std::string>> root_of(std::string path, Text pod_uid);

    // Removes what no pod has used for kKeepUnused, and what a crash left half done. Happens by itself.
    os::Task<void> sweep();

private:
    os::Task<Result<std::string>> unpack(std::string path, std::string root);
    os::Task<void> keep_sweeping();
    bool is_due(const std::string& name, bool used, Duration looked_at);

    os::Loop& loop_;
    os::Processes* processes_;
    os::Worker* worker_;
    const std::string directory_;
    const std::optional<PodUser> pod_user_;
    std::map<std::string, Duration> given_;                        // by name, when it was given to a pod last
    std::map<std::string, Duration> unused_since_;                 // by name, as far as we have seen
    std::map<std::string, std::shared_ptr<os::Event>> unpacking_;  // by root
    os::TaskScope tasks_;
};

}  // namespace muster::node
