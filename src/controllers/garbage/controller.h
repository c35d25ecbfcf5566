// The garbage collector: keeps the graph of owners true to what the mirrors show, and carries out what decide.h plans
// for the objects that the graph points at. It works on metadata alone, whatever the kind. Before anything goes, it and
// its owners are read afresh, and only the very object that was read is removed.
#pragma once

#include <memory>
#include <vector>

#include "client/client.h"
#include "client/metrics.h"
#include "client/mirror.h"
#include "client/recorder.h"
#include "client/work_queue.h"
#include "controllers/deletable_kinds.h"
#include "controllers/garbage/decide.h"
#include "controllers/garbage/graph.h"
#include "controllers/workers.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::controllers {

struct GarbageOptions {
    std::size_t at_once_max = 512;
    std::vector<const api::KindInfo*> kinds = owning_kinds();
};

class GarbageController {
public:
    // All must outlive the controller; destroying it stops it.
    GarbageController(os::Loop& loop, client::Client& client, client::Metrics& metrics, GarbageOptions options = {});

    void start();
    // Nothing is known that is still to be done.
    bool idle() const { return examine_.idle() && orphan_.idle(); }
    const OwnerGraph& graph() const { return graph_; }

private:
    using Metadata = std::shared_ptr<const api::meta::ObjectMeta>;

    void on_change(const api::KindInfo& kind, const client::AnyObject& before, const client::AnyObject& now);
    void take(const GraphChanges& changes);
    os::Task<void> run();

    os::Task<Worked> examine(Text uid);
    os::Task<Worked> look_for_owner(Text uid);
    os::Task<Worked> settle_dependent(ObjectIdentity identity);
    os::Task<Worked> settle_waiting(ObjectIdentity identity);
    os::Task<Worked> release_dependents(Text uid);

    // The standing of each owner; kForbidden when an owner cannot exist where the reference says, which no retry heals.
    os::Task<Result<std::vector<OwnerStanding>>> read_standings(ObjectIdentity identity, Metadata latest);
    os::Task<Result<OwnerStanding>> read_standing(ObjectIdentity owner);
    // kNotFound when something else is there, too.
    os::Task<Result<Metadata>> read(ObjectIdentity identity);
    os::Task<Result<Metadata>> patch(ObjectIdentity identity, client::MetadataPatch patch);
    os::Task<Result<Metadata>> unblock(ObjectIdentity identity, Metadata latest);

    os::Loop& loop_;
    client::Client& client_;
    GarbageOptions options_;
    client::Recorder recorder_;
    OwnerGraph graph_;
    client::WorkQueue<Text> examine_;
    client::WorkQueue<Text> orphan_;
    std::vector<std::unique_ptr<client::AnyMirror>> mirrors_;
    Workers<Text> examiners_;
    Workers<Text> orphaners_;
    os::TaskScope tasks_;
};

}  // namespace muster::controllers
