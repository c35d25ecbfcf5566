// One resource of the store: its objects, what happened to them lately, and who waits for more. Internal to the
// store; watches hold it too, so that they outlive a store that is torn down.
#pragma once

#include <string>

#include "os/loop/waiter.h"
#include "store/history.h"
#include "store/index.h"

namespace muster::store {

// How far the store is, seen by its watches.
struct Progress {
    Revision opened_at = 0;  // the newest when the store was opened: nothing is remembered of what came before
    Revision revision = 0;   // the newest given out
    Revision durable = 0;    // everything up to here is on disk
    bool closed = false;     // the store is gone
};

struct Bucket {
    Bucket(std::string name, std::shared_ptr<const Progress> store_progress, std::size_t bytes_max)
        : prefix(std::move(name)),
          history_bytes_max(bytes_max),
          progress(std::move(store_progress)),
          history(progress->opened_at) {}

    const std::string prefix;             // "/<group>/<resource>/"
    const std::size_t history_bytes_max;  // of this resource alone
    const std::shared_ptr<const Progress> progress;
    Index index;
    History history;
    os::WaiterLine waiting;          // for the next event
    os::WaiterLine waiting_durable;  // for the next event that is on disk
    Revision first_volatile = 0;     // the first event that may not be on disk; 0: none
};

// "/batch/jobs/" of "/batch/jobs/default/pi"; empty when the key does not reach its resource.
inline std::string_view bucket_of(std::string_view key) {
    if (key.empty() || key[0] != '/') return {};
    const std::size_t group_end = key.find('/', 1);
    if (group_end == std::string_view::npos) return {};
    const std::size_t resource_end = key.find('/', group_end + 1);
    if (resource_end == std::string_view::npos || resource_end == group_end + 1) return {};
    return key.substr(0, resource_end + 1);
}

}  // namespace muster::store
