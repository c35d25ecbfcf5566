// What the admission controller knows of each Workload, by its number in the engine and by its name. There is one write
// at a time for a Workload; a Workload that is gone keeps its number until its write has ended. No I/O.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/kinds/kueue/workload.h"
#include "client/client.h"
#include "client/mirror.h"
#include "controllers/queue/admission/model/state.h"
#include "controllers/queue/admission/workloads/place.h"

namespace muster::controllers::queue {

struct Tracked {
    client::ObjectName name{};
    Text uid{};
    Place place{};
    client::AwaitedVersion awaited{};  // that we wrote or read, and the mirror has not shown
    Instant waiting_since{};
    Instant explained_at{};
    Text explained_reason{};
    std::uint32_t sequence = 0;                 // order of arrival, for those created in one second
    std::optional<std::int32_t> preemptions{};  // how many its status told of last
    bool busy = false;                          // something is being written
    bool gone = false;                          // meanwhile

    bool is_free() const { return name.name.empty(); }
};

class WorkloadTable {
public:
    using Name = client::ObjectName;

    // Numbers that were ever used; some are free.
    std::size_t size() const { return tracked_.size(); }
    Tracked& operator[](ItemId item) { return tracked_[item]; }
    const Tracked& operator[](ItemId item) const { return tracked_[item]; }
    std::optional<ItemId> find(const Name& name) const;

    // The number must be free, and no other Workload of that name known.
    Tracked& add(ItemId item, const Name& name, const Text& uid);
    // Its name is free for another Workload from now on. Gives whether its number is, too: otherwise it is when its
    // write has ended.
    bool leave(ItemId item);
    // Nothing is being written about it.
    void free(ItemId item);

    void begin_write(ItemId item);
    void end_write(ItemId item);
    std::size_t writing() const { return writing_; }
    // Something is being written about a Workload that is counted there.
    bool is_being_written(const Text& cluster_queue) const;

private:
    std::map<Name, ItemId> items_;
    std::vector<Tracked> tracked_;
    std::uint32_t arrivals_ = 0;
    std::size_t writing_ = 0;
};

}  // namespace muster::controllers::queue
