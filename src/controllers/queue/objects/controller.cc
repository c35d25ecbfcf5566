#include "controllers/queue/objects/controller.h"

#include "api/kinds/kueue/kueue_names.h"

namespace muster::controllers {
namespace {

constexpr std::size_t kObjectsAtOnceMax = 256;
// Workloads are many and change often; whether the last has left a queue is asked so often while it is to go.
constexpr Duration kAskAgain = 500ms;

}  // namespace

QueueObjects::QueueObjects(os::Loop& loop, client::Client& client, client::Metrics& metrics)
    : client_(client),
      recorder_(loop, client, "queue-controller"),
      cluster_queues_(loop, client),
      flavors_(loop, client),
      checks_(loop, client),
      workloads_(loop, client),
      reconciler_(loop, client::QueueMetrics(metrics, "queue_objects"), kObjectsAtOnceMax,
                  [this](Key key) { return sync(std::move(key)); }) {}

template <class K>
void QueueObjects::watch(client::Mirror<K>& mirror) {
    mirror.on_change([this](const client::Ref<K>&, const client::Ref<K>& now) {
        if (now) reconciler_.add(key_of(*now));
    });
}

template <class K>
void QueueObjects::look_at_deleted(const client::Mirror<K>& mirror) {
    for (const client::Ref<K>& object : mirror.all())
        if (object->metadata.deletion_timestamp) reconciler_.add(key_of(*object));
}

void QueueObjects::start() {
    watch(cluster_queues_);
    watch(flavors_);
    watch(checks_);
    cluster_queues_.on_change([this](const client::Ref<ClusterQueue>& before, const client::Ref<ClusterQueue>& now) {
        // The status changes often and does not affect which flavors and checks are in use.
        if (before && now && before->metadata.generation == now->metadata.generation) return;
        look_at_deleted(flavors_);
        look_at_deleted(checks_);
    });
    cluster_queues_.start();
    flavors_.start();
    checks_.start();
    workloads_.start();
    // Who uses what is known only when all have been seen.
    reconciler_.start_after(cluster_queues_, workloads_);
}

std::vector<std::string> QueueObjects::workloads_in(std::string_view cluster_queue) const {
    std::vector<std::string> names;
    for (const auto& workload : workloads_.all())
        if (queue::uses_queue(*workload, cluster_queue))
            names.push_back("Workload " + client::format_name(client::name_of(*workload)));
    return names;
}

template <class Uses>
std::vector<std::string> QueueObjects::queues_that(Uses uses) const {
    std::vector<std::string> names;
    for (const client::Ref<ClusterQueue>& cluster_queue : cluster_queues_.all())
        if (uses(*cluster_queue)) names.push_back("ClusterQueue " + cluster_queue->metadata.name.str());
    return names;
}

os::Task<Worked> QueueObjects::sync(Key key) {
    const client::ObjectName name(Text(), key.name);
    if (key.namespace_ == ClusterQueue::kKindOptions.plural) {
        const client::Ref<ClusterQueue> object = cluster_queues_.get(name);
        if (!object) co_return Worked::kDone;
        co_return co_await sync_queue(key, object);
    }
    if (key.namespace_ == ResourceFlavor::kKindOptions.plural) {
        const client::Ref<ResourceFlavor> object = flavors_.get(name);
        if (!object) co_return Worked::kDone;
        queue::HoldPlan plan = queue::decide_hold(object->metadata, [&] {
            return queues_that([&](const ClusterQueue& it) { return queue::uses_flavor(it, key.name); });
        });
        co_return co_await sync_of<ResourceFlavor>(object, plan);
    }
    const client::Ref<AdmissionCheck> object = checks_.get(name);
    if (!object) co_return Worked::kDone;
    queue::HoldPlan plan = queue::decide_hold(object->metadata, [&] {
        return queues_that([&](const ClusterQueue& it) { return queue::uses_check(it, key.name); });
    });
    co_return co_await sync_of<AdmissionCheck>(object, plan);
}

os::Task<Worked> QueueObjects::sync_queue(Key key, client::Ref<ClusterQueue> object) {
    queue::HoldPlan plan = queue::decide_hold(object->metadata, [&] { return workloads_in(key.name); });
    const bool may_go = plan.release;
    if (may_go) {
        plan.release = false;
        if (queue::is_closed(*object)) {
            const Result<bool> unused = co_await is_unused(key.name);
            plan.release = unused.ok() && *unused;
        }
    }
    // Its status, or a workload's end, is waited for.
    if (!plan.why.empty() || (may_go && !plan.release)) reconciler_.add_after(key, kAskAgain);
    co_return co_await sync_of<ClusterQueue>(object, plan);
}

os::Task<Result<bool>> QueueObjects::is_unused(Text cluster_queue) {
    CO_TRY_ASSIGN(const auto listing, co_await client_.list<api::kueue::Workload>(""));
    for (const auto& workload : listing.items)
        if (queue::uses_queue(*workload, cluster_queue)) co_return false;
    co_return true;
}

template <class K>
os::Task<Worked> QueueObjects::sync_of(client::Ref<K> object, queue::HoldPlan plan) {
    if (!plan.why.empty()) recorder_.note(*object, client::Note::normal("ResourceInUse", plan.why));
    if (!plan.hold && !plan.release) co_return Worked::kLater;
    client::MetadataPatch patch(object->metadata.uid);
    (plan.hold ? patch.add_finalizers : patch.remove_finalizers).emplace_back(api::kueue::kResourceInUseFinalizer);
    const auto patched = co_await client_.patch_metadata<K>(client::name_of(*object), std::move(patch));
    if (patched.ok() || patched.error().code == Code::kNotFound || patched.error().code == Code::kConflict)
        co_return Worked::kDone;
    co_return Worked::kRetry;
}

}  // namespace muster::controllers
