// Tells when the files of a directory change: one inotify descriptor on the loop for all who want to know, so that
// thousands of them cost nothing while nothing happens.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "os/descriptor.h"
#include "os/loop/real_loop.h"

namespace muster::os {

class DirectoryWatches {
public:
    explicit DirectoryWatches(RealLoop& loop);
    ~DirectoryWatches();
    DirectoryWatches(const DirectoryWatches&) = delete;
    DirectoryWatches& operator=(const DirectoryWatches&) = delete;

    // Ends when it is destroyed.
    class Watch {
    public:
        ~Watch();
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;

    private:
        friend class DirectoryWatches;
        Watch(DirectoryWatches& owner, int number, std::function<void()> changed)
            : owner_(owner), number_(number), changed_(std::move(changed)) {}
        DirectoryWatches& owner_;
        int number_;
        std::function<void()> changed_;
    };
    // Calls `changed` on the loop after a file in the directory was made, written, moved or removed, or the directory
    // itself was; once for many changes that come together. No watch may be destroyed from within the call. Must be
    // destroyed before this. kNotFound when there is no such directory; kTooManyRequests when the system allows no more
    // watches.
    Result<std::unique_ptr<Watch>> watch(const std::string& directory, std::function<void()> changed);

private:
    void on_ready();
    void drop(Watch& watch);

    RealLoop& loop_;
    Descriptor inotify_;
    RealLoop::WatchId ready_ = 0;
    std::unordered_map<int, std::vector<Watch*>> watches_;  // by the kernel's number of the directory
};

}  // namespace muster::os
