// The garbage collector: keeps the graph of owners true to what the mirrors show, and carries out what decide.h plans
// for the objects that the graph points at. It works on metadata alone, whatever the kind. Before anything goes, it and
// its owners are read afresh, and only the very object that was read is removed.
// It follows the kinds of its client: a kind that appears is watched from then on, and of a kind that is gone nothing
// is known any more.
#pragma once

#include <memory>
#include <vector>

#include "client/client.h"
#include "client/kinds/kind_source.h"
#include "client/metrics.h"
#include "client/mirror.h"
#include "client/recorder.h"
#include "controllers/garbage/decide.h"
#include "controllers/garbage/graph.h"
#include "controllers/reconciler.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::controllers {

struct GarbageOptions {
    std::size_t at_once_max = 512;
    std::vector<const api::KindInfo*> kinds{};  // these alone; none: all of the client's that may have owners
    // The collection starts when everything has been listed. A defined kind, whose objects may be unreadable, is waited
    // for no longer than this.
    Duration list_time_max = 30s;
};

class GarbageController {
public:
    // All must outlive the controller; destroying it stops it.
    GarbageController(os::Loop& loop, client::Client& client, client::Metrics& metrics, GarbageOptions options = {});

    void start();
    // Nothing is known that is still to be done.
    bool idle() const { return examined_.idle() && orphaned_.idle(); }
    const OwnerGraph& graph() const { return graph_; }

private:
    using Metadata = std::shared_ptr<const api::meta::ObjectMeta>;

    // A kind whose objects are watched.
    struct Watched {
        Watched(GarbageController& controller, const api::KindInfo& of);
        const api::KindInfo& kind;
        client::AnyMirror mirror;
        bool awaited = true;  // before the collection starts
        os::TaskScope tasks;  // last: they use the mirror
    };

    void follow_kinds();
    void stop_watching(const Watched& watched);
    os::Task<void> await_list(Watched* watched);
    os::Task<void> limit_wait(Watched* watched);
    void start_if_listed();
    void on_change(const api::KindInfo& kind, const client::AnyObject& before, const client::AnyObject& now);
    void take(const GraphChanges& changes);

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
    CollectedKinds kinds_;
    std::vector<std::unique_ptr<Watched>> watched_;
    // By UID. They start when all lists are there, or have been waited for long enough.
    Reconciler<Text> examined_;
    Reconciler<Text> orphaned_;
    bool started_ = false;
    std::unique_ptr<client::KindSource::Listening> listening_;
};

}  // namespace muster::controllers
