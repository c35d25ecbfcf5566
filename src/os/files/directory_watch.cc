#include "os/files/directory_watch.h"

#include <sys/inotify.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "os/errno_error.h"

namespace muster::os {

DirectoryWatches::DirectoryWatches(RealLoop& loop) : loop_(loop), inotify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    // Without a descriptor every watch fails, and the caller must poll.
    if (inotify_) ready_ = loop_.watch(inotify_.number(), [this](RealLoop::Readiness) { on_ready(); });
}

DirectoryWatches::~DirectoryWatches() {
    CHECK(watches_.empty(), "a watch outlives those who keep it");
    if (inotify_) loop_.unwatch(ready_, inotify_.number());
}

DirectoryWatches::Watch::~Watch() { owner_.drop(*this); }

Result<std::unique_ptr<DirectoryWatches::Watch>> DirectoryWatches::watch(const std::string& directory,
                                                                         std::function<void()> changed) {
    constexpr std::uint32_t kChanges =
        IN_MODIFY | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_DELETE_SELF | IN_ONLYDIR;
    if (!inotify_) return Error{Code::kTooManyRequests, "the system allows no more watches of directories"};
    const int number = ::inotify_add_watch(inotify_.number(), directory.c_str(), kChanges);
    if (number < 0 && (errno == ENOSPC || errno == ENOMEM))
        return Error{Code::kTooManyRequests, "the system allows no more watches of directories"};
    if (number < 0) return errno_error(errno, "watch", directory);
    auto made = std::unique_ptr<Watch>(new Watch(*this, number, std::move(changed)));
    watches_[number].push_back(made.get());
    return made;
}

void DirectoryWatches::on_ready() {
    alignas(inotify_event) char buffer[16384];
    std::set<int> changed;
    std::set<int> ended;
    for (;;) {
        const ssize_t count = ::read(inotify_.number(), buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        for (ssize_t at = 0; at < count;) {
            inotify_event event{};
            std::memcpy(&event, buffer + at, sizeof event);
            at += static_cast<ssize_t>(sizeof event + event.len);
            // When changes came faster than they were read, the kernel does not say of what: of anything.
            if (event.mask & IN_Q_OVERFLOW)
                for (const auto& [number, watching] : watches_) changed.insert(number);
            changed.insert(event.wd);
            if (event.mask & IN_IGNORED) ended.insert(event.wd);
        }
    }
    for (const int number : changed) {
        const auto found = watches_.find(number);
        if (found == watches_.end()) continue;
        for (Watch* watch : found->second) watch->changed_();
        if (!ended.contains(number)) continue;
        for (Watch* watch : found->second) watch->number_ = -1;
        watches_.erase(found);
    }
}

void DirectoryWatches::drop(Watch& watch) {
    const auto found = watches_.find(watch.number_);
    if (found == watches_.end()) return;
    std::erase(found->second, &watch);
    if (!found->second.empty()) return;
    ::inotify_rm_watch(inotify_.number(), watch.number_);
    watches_.erase(found);
}

}  // namespace muster::os
