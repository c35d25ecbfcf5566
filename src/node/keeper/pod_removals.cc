#include "node/keeper/pod_removals.h"

#include "base/check.h"
#include "node/runtime/node_paths.h"
#include "node/volumes/volume_places.h"
#include "os/loop/guard.h"

namespace muster::node {

PodRemovals::PodRemovals(os::Loop& loop, os::Worker& worker, std::string directory, std::function<void()> removed)
    : loop_(loop),
      worker_(worker),
      directory_(std::move(directory)),
      removed_(std::move(removed)),
      self_(std::make_shared<PodRemovals*>(this)) {}

PodRemovals::~PodRemovals() { *self_ = nullptr; }

void PodRemovals::remove(const Text& pod_uid) {
    ++count_;
    // The worker knows what it needs by value: this may be destroyed before it comes to the work.
    worker_.run([&loop = loop_, self = self_, path = pod_directory(directory_, pod_uid), uid = pod_uid.str()] {
        const Result<> done = os::attempt([&] { remove_pod_files(path, uid); });
        if (!done.ok()) os::report_failure("the removal of " + path, done.error().message);
        loop.post([self] {
            if (*self) (*self)->on_removed();
        });
    });
}

void PodRemovals::on_removed() {
    CHECK(count_ > 0);
    if (--count_ == 0) removed_();
}

}  // namespace muster::node
