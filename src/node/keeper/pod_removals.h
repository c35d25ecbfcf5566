// The removal of what pods have on disk, on the keeper's side. A volume may have many files, so a worker removes them,
// and starts of other pods do not wait.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/text.h"
#include "os/loop/loop.h"

namespace muster::node {

class PodRemovals {
public:
    // `directory` is the node's. `removed` is called on the loop when the last removal has ended. The loop must outlive
    // the worker. This may be destroyed before both: removals go on, and their end is not told.
    PodRemovals(os::Loop& loop, os::Worker& worker, std::string directory, std::function<void()> removed);
    ~PodRemovals();
    PodRemovals(const PodRemovals&) = delete;
    PodRemovals& operator=(const PodRemovals&) = delete;

    // Unmounts and removes all that the pod has in the directory and in memory.
    void remove(const Text& pod_uid);
    bool removing() const { return count_ != 0; }

private:
    void on_removed();

    os::Loop& loop_;
    os::Worker& worker_;
    const std::string directory_;
    const std::function<void()> removed_;
    std::size_t count_ = 0;
    const std::shared_ptr<PodRemovals*> self_;  // read and written on the loop
};

}  // namespace muster::node
