// Protects objects that are in use: adds a finalizer to ClusterQueues, ResourceFlavors and AdmissionChecks, and removes
// it when the object is deleted and no longer in use. Until then an event tells what still uses the object.
#pragma once

#include "api/kinds/kueue/kueue.h"
#include "client/client.h"
#include "client/metrics.h"
#include "client/mirror.h"
#include "client/recorder.h"
#include "controllers/queue/objects/decide.h"
#include "controllers/reconciler.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::controllers {

class QueueObjects {
public:
    // All must outlive it; destroying it stops it.
    QueueObjects(os::Loop& loop, client::Client& client, client::Metrics& metrics);
    void start();

private:
    using ClusterQueue = api::kueue::ClusterQueue;
    using ResourceFlavor = api::kueue::ResourceFlavor;
    using AdmissionCheck = api::kueue::AdmissionCheck;
    // The resource and the object's name: the kinds here have no namespaces.
    using Key = client::ObjectName;

    template <class K>
    static Key key_of(const K& object) {
        return {Text(K::kKindOptions.plural), object.metadata.name};
    }
    template <class K>
    void watch(client::Mirror<K>& mirror);
    template <class K>
    void look_at_deleted(const client::Mirror<K>& mirror);
    os::Task<Worked> sync(Key key);
    os::Task<Worked> sync_queue(Key key, client::Ref<ClusterQueue> object);
    // As of now, not of a moment ago: an admission may just have been written.
    os::Task<Result<bool>> is_unused(Text cluster_queue);
    template <class K>
    os::Task<Worked> sync_of(client::Ref<K> object, queue::HoldPlan plan);
    std::vector<std::string> workloads_in(std::string_view cluster_queue) const;
    template <class Uses>
    std::vector<std::string> queues_that(Uses uses) const;

    client::Client& client_;
    client::Recorder recorder_;
    client::Mirror<ClusterQueue> cluster_queues_;
    client::Mirror<ResourceFlavor> flavors_;
    client::Mirror<AdmissionCheck> checks_;
    client::Mirror<api::kueue::Workload> workloads_;
    Reconciler<Key> reconciler_;
};

}  // namespace muster::controllers
