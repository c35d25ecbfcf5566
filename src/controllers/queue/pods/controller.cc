#include "controllers/queue/pods/controller.h"

#include "api/kinds/conditions.h"
#include "api/kinds/kueue/kueue_names.h"
#include "base/reached.h"
#include "controllers/owners.h"
#include "controllers/queue/pods/group/compose.h"
#include "controllers/queue/pods/group/gate.h"
#include "controllers/queue/pods/pod_metrics.h"
#include "controllers/queue/workload/queued_metadata.h"
#include "controllers/queue/workload/workload_state.h"
#include "os/loop/gather.h"

namespace muster::controllers {
namespace {

namespace names = api::kueue;
using api::core::Pod;
using api::kueue::Workload;
using client::MetadataPatch;
using client::Note;
using client::ObjectName;
using podqueue::GroupNote;
using podqueue::GroupPlan;

constexpr std::string_view kGroupKey = "group/";
constexpr std::string_view kSingleKey = "pod/";

ObjectName group_key(const Text& namespace_, const Text& group) {
    return {namespace_, std::string(kGroupKey).append(group.view())};
}
ObjectName single_key(const Text& namespace_, const Text& pod) {
    return {namespace_, std::string(kSingleKey).append(pod.view())};
}
ObjectName key_of(const Pod& pod) {
    const Text group = podqueue::group_of(pod);
    return group.empty() ? single_key(pod.metadata.namespace_, pod.metadata.name)
                         : group_key(pod.metadata.namespace_, group);
}

// What indexes and memories go by; the slash cannot be in a namespace.
Text index_key(const ObjectName& key) { return client::format_name(key); }

Text managed_group_key(const Pod& pod) {
    if (!podqueue::is_managed(pod) || podqueue::group_of(pod).empty()) return {};
    return index_key(key_of(pod));
}

const api::meta::OwnerReference* single_owner(const Workload& workload) {
    return controller_of(workload.metadata, kPodOwner);
}

Text single_owner_key(const Workload& workload) {
    const api::meta::OwnerReference* owner = single_owner(workload);
    return owner ? index_key(single_key(workload.metadata.namespace_, owner->name)) : Text();
}

Text single_prebuilt_key(const Pod& pod) {
    const Text prebuilt = prebuilt_of(pod.metadata);
    if (prebuilt.empty() || !podqueue::is_managed(pod) || !podqueue::group_of(pod).empty()) return {};
    return client::format_name({pod.metadata.namespace_, prebuilt});
}

// Records in the pod's status that it was evicted and did not fail by itself.
void mark_stopped(Pod& pod, const std::string& reason, const std::string& message, Instant now) {
    const std::string evicted = names::kPodEvictedReasonPrefix + reason;
    api::set_condition(pod.status.conditions,
                       {names::kPodTerminationTargetCondition, names::kConditionTrue, evicted, message},
                       api::Time::from_instant(now));
}

bool is_marked_stopped(const Pod& pod) {
    return api::find_condition(pod.status.conditions, names::kPodTerminationTargetCondition) != nullptr;
}

Result<void> first_failure(std::vector<Result<void>> results) {
    for (Result<void>& result : results)
        if (!result.ok()) return std::move(result);
    return {};
}

}  // namespace

QueuedPods::QueuedPods(os::Loop& loop, client::Client& client, client::Metrics& metrics, QueuedPodsOptions options)
    : loop_(loop),
      client_(client),
      metrics_(metrics),
      options_(std::move(options)),
      recorder_(loop, client, "kueue-pod"),
      pods_(loop, client, kManagedPods),
      workloads_(loop, client),
      namespaces_(loop, client),
      lookups_(loop, client),
      reconciler_(
          loop, client::QueueMetrics(metrics, "queued_pods"), options_.syncs_at_once_max,
          [this](Key key) { return sync(std::move(key)); },
          [this](Memory& memory) { return memory.pods.seen_in(pods_) && memory.workloads.seen_in(workloads_); }) {
    pods_by_group_ = pods_.add_index(managed_group_key);
    workloads_by_pod_ = workloads_.add_index(single_owner_key);
    podqueue::declare_pod_metrics(metrics);
    pods_by_prebuilt_ = pods_.add_index(single_prebuilt_key);
}

void QueuedPods::start() {
    pods_.on_change([this](const PodRef& before, const PodRef& now) { on_pod(before, now); });
    workloads_.on_change([this](const WorkloadRef& before, const WorkloadRef& now) { on_workload(before, now); });
    namespaces_.start();
    lookups_.start();
    pods_.start();
    workloads_.start();
    reconciler_.start_after(pods_, workloads_, namespaces_, lookups_);
}

// What the finalizer holds is served to its end, though the configuration may have changed since it came.
void QueuedPods::leave_out_others(const Text& namespace_, std::vector<PodRef>& pods) const {
    const auto space = namespaces_.get({Text(), namespace_});
    if (covers_namespace(options_.configuration, namespace_, space ? &space->metadata.labels : nullptr)) return;
    const bool system = is_system_namespace(namespace_);
    std::erase_if(pods, [&](const PodRef& pod) { return system || !podqueue::is_held(*pod); });
}

void QueuedPods::on_pod(const PodRef& before, const PodRef& now) {
    if (before && podqueue::is_managed(*before)) reconciler_.add(key_of(*before));
    if (!now || !podqueue::is_managed(*now)) return;
    reconciler_.add(key_of(*now));
    if (!before && pods_.synced() && podqueue::is_gated(*now)) podqueue::count_gated(metrics_);
}

void QueuedPods::on_workload(const WorkloadRef& before, const WorkloadRef& now) {
    if (before) wake(*before);
    if (now) wake(*now);
}

void QueuedPods::wake(const Workload& workload) {
    if (const api::meta::OwnerReference* owner = single_owner(workload))
        reconciler_.add(single_key(workload.metadata.namespace_, owner->name));
    for (const PodRef& pod : pods_.indexed(pods_by_prebuilt_, client::format_name(client::name_of(workload))))
        reconciler_.add(key_of(*pod));
    // A group of that name waits while the Workload exists, whatever its owner.
    const ObjectName group = group_key(workload.metadata.namespace_, workload.metadata.name);
    if (podqueue::is_group_workload(workload) || !pods_.indexed(pods_by_group_, index_key(group)).empty())
        reconciler_.add(group);
}

os::Task<Worked> QueuedPods::sync(Key key) {
    const MemoryRef memory = reconciler_.recall(key);
    if (memory->starts.open_in(pods_)) {
        REACHED("a queued pod may have been started, and no answer came");
        const Result<void> repeated = co_await memory->starts.repeat(client_, memory->pods);
        if (!repeated.ok()) co_return Worked::kRetry;
        reconciler_.add(key);
        co_return Worked::kDone;
    }
    Result<void> settled;
    if (key.name.view().starts_with(kGroupKey))
        settled = co_await sync_group(key, memory);
    else
        settled = co_await sync_single(key, memory);
    co_return settled.ok() ? Worked::kDone : Worked::kRetry;
}

os::Task<Result<void>> QueuedPods::sync_group(Key key, MemoryRef memory) {
    const Text group(key.name.view().substr(kGroupKey.size()));
    std::vector<PodRef> pods = pods_.indexed(pods_by_group_, index_key(key));
    leave_out_others(key.namespace_, pods);
    WorkloadRef workload = workloads_.get({key.namespace_, group});
    if (pods.empty() && (!workload || !podqueue::is_group_workload(*workload))) {
        reconciler_.forget(key);
        co_return Result<void>();
    }
    co_return co_await settle(key, memory, group, std::move(pods), std::move(workload));
}

os::Task<Result<void>> QueuedPods::sync_single(Key key, MemoryRef memory) {
    std::vector<PodRef> pods;
    if (PodRef found = pods_.get({key.namespace_, Text(key.name.view().substr(kSingleKey.size()))}))
        if (podqueue::is_managed(*found) && podqueue::group_of(*found).empty()) pods.push_back(std::move(found));
    leave_out_others(key.namespace_, pods);
    const PodRef pod = pods.empty() ? nullptr : pods.front();
    const std::vector<WorkloadRef> owned = workloads_.indexed(workloads_by_pod_, index_key(key));
    // Those of pods that had the name before.
    for (const WorkloadRef& workload : owned)
        if (!pod || !(single_owner(*workload)->uid == pod->metadata.uid))
            CO_TRY(co_await settle(key, memory, Text(), std::vector<PodRef>(), workload));
    if (!pod) {
        if (owned.empty()) reconciler_.forget(key);
        co_return Result<void>();
    }
    WorkloadRef workload = workloads_.get({key.namespace_, podqueue::single_workload_name(*pod)});
    co_return co_await settle(key, memory, Text(), std::move(pods), std::move(workload));
}

os::Task<Result<void>> QueuedPods::settle(Key key, MemoryRef memory, Text group, std::vector<PodRef> pods,
                                          WorkloadRef workload) {
    const podqueue::GroupView view{group,
                                   pods,
                                   workload.get(),
                                   lookups_.find_flavor(),
                                   lookups_.find_priority(),
                                   options_.configuration.wait_for_pods_ready.has_value(),
                                   &options_.configuration.label_keys_to_copy,
                                   loop_.now()};
    const auto plan = std::make_shared<const GroupPlan>(podqueue::decide_group(view));
    tell(memory, *plan, workload);
    if (plan->wake_at) reconciler_.add_after(key, *plan->wake_at - loop_.now());
    if (plan->does_nothing()) co_return Result<void>();
    if (plan->confirm_no_workload && !group.empty()) CO_TRY(co_await confirm_no_workload(Key(key.namespace_, group)));
    if (plan->create) CO_TRY(co_await create_workload(memory, plan));
    if (workload) CO_TRY(co_await change_workload(memory, plan, workload));
    CO_TRY(co_await change_pods(memory, plan, workload));
    WorkloadWriter writer(client_, memory->workloads, workload);
    if (plan->release_workload) CO_TRY(co_await writer.release());
    if (plan->remove_workload) CO_TRY(co_await writer.remove());
    co_return Result<void>();
}

os::Task<Result<void>> QueuedPods::confirm_no_workload(Key name) {
    const auto found = co_await client_.get<Workload>(name);
    if (found.ok()) co_return Error{Code::kConflict, "there is a Workload after all"};
    if (!is_gone(found.error())) co_return found.error();
    co_return Result<void>();
}

os::Task<Result<void>> QueuedPods::create_workload(MemoryRef memory, PlanRef plan) {
    WorkloadWriter writer(client_, memory->workloads, nullptr);
    const Result<void> created = co_await writer.create(*plan->create);
    // Its oldest pod tells of it.
    const PodRef pod =
        pods_.get({plan->create->metadata.namespace_, plan->create->metadata.owner_references.front().name});
    if (created.ok()) {
        // A group's time begins when it is whole.
        Instant whole{};
        for (const api::meta::OwnerReference& owner : plan->create->metadata.owner_references)
            if (const PodRef one = pods_.get({plan->create->metadata.namespace_, owner.name}))
                whole = std::max(whole, one->metadata.creation_timestamp.instant());
        if (pod) observe_creation(metrics_, kPodOwner.kind, loop_.now() - whole);
        if (pod)
            recorder_.note(*pod,
                           Note::normal("CreatedWorkload",
                                        "Created Workload: " + client::format_name(client::name_of(*writer.latest()))));
        co_return Result<void>();
    }
    if (pod && is_refused(created.error()))
        recorder_.note(*pod, Note::warning("ErrWorkloadCompose", created.error().message));
    co_return created;
}

os::Task<Result<void>> QueuedPods::change_workload(MemoryRef memory, PlanRef plan, WorkloadRef workload) {
    WorkloadWriter writer(client_, memory->workloads, workload);
    if (plan->spec) {
        CO_TRY(co_await writer.change_spec(*plan->spec));
        recorder_.note(*writer.latest(), Note::normal("UpdatedWorkload", "Updated to what its pods say now"));
    }
    if (!plan->remove_owners.empty()) {
        MetadataPatch patch;
        patch.remove_owners = plan->remove_owners;
        CO_TRY(co_await writer.change_metadata(std::move(patch)));
    }
    if (!plan->add_owners.empty()) {
        MetadataPatch patch;
        patch.add_owners = plan->add_owners;
        if (plan->adopt) {
            patch.add_finalizers.emplace_back(names::kResourceInUseFinalizer);
            if (!plan->add_owners.front().controller.value_or(false))
                patch.set_annotations.emplace_back(names::kIsGroupWorkloadAnnotation, names::kTrue);
        }
        CO_TRY(co_await writer.change_metadata(std::move(patch)));
        recorder_.note(*writer.latest(),
                       Note::normal("OwnerReferencesAdded",
                                    "Added " + std::to_string(plan->add_owners.size()) + " owner reference(s)"));
    }
    if (plan->gates) CO_TRY(co_await writer.change_gates(*plan->gates));
    if (plan->status) CO_TRY(co_await writer.change_status(*plan->status));
    co_return Result<void>();
}

os::Task<Result<void>> QueuedPods::change_pods(MemoryRef memory, PlanRef plan, WorkloadRef workload) {
    std::vector<os::Task<Result<void>>> tasks;
    for (const podqueue::PodRemoval& removal : plan->remove)
        tasks.push_back(remove_pod(memory, removal.pod, std::make_shared<const podqueue::PodRemoval>(removal)));
    std::vector<Result<void>> removed = co_await os::gather(loop_, std::move(tasks));
    CO_TRY(first_failure(std::move(removed)));
    tasks.clear();
    for (const PodRef& pod : plan->release) tasks.push_back(release_pod(memory, pod));
    std::vector<Result<void>> released = co_await os::gather(loop_, std::move(tasks));
    CO_TRY(first_failure(std::move(released)));
    tasks.clear();
    for (const podqueue::PodStart& start : plan->start)
        tasks.push_back(start_pod(memory, start.pod, start.draft, workload));
    std::vector<Result<void>> started = co_await os::gather(loop_, std::move(tasks));
    co_return first_failure(std::move(started));
}

os::Task<Result<void>> QueuedPods::remove_pod(MemoryRef memory, PodRef pod,
                                              std::shared_ptr<const podqueue::PodRemoval> removal) {
    const bool rejected = removal->why == podqueue::WhyRemoved::kRejected;
    if (!rejected && !podqueue::is_gated(*pod) && !is_marked_stopped(*pod)) {
        Pod draft = *pod;
        mark_stopped(draft, removal->reason, removal->message, loop_.now());
        const auto marked = co_await client_.change_status<Pod>(pod, std::move(draft));
        if (!marked.ok() && !is_gone(marked.error())) co_return marked.error();
        if (marked.ok()) memory->pods.wrote(**marked);
    }
    client::Removal removing(pod->metadata.uid);
    removing.flow = client::flow_of(pod->metadata);
    const auto removed = co_await client_.remove<Pod>(client::name_of(*pod), std::move(removing));
    if (!removed.ok() && !is_gone(removed.error())) co_return removed.error();
    memory->pods.removed(*pod);
    if (rejected) podqueue::count_rejected(metrics_);
    recorder_.note(*pod, Note::of(rejected, rejected ? Text(removal->reason) : Text("Stopped"), removal->message));
    co_return Result<void>();
}

os::Task<Result<void>> QueuedPods::release_pod(MemoryRef memory, PodRef pod) {
    MetadataPatch patch(pod->metadata.uid);
    patch.flow = client::flow_of(pod->metadata);
    patch.remove_finalizers.emplace_back(names::kPodFinalizer);
    const auto released = co_await client_.patch_metadata<Pod>(client::name_of(*pod), std::move(patch));
    if (released.ok())
        memory->pods.wrote(**released);
    else if (is_gone(released.error()))
        memory->pods.released(*pod);
    else
        co_return released.error();
    co_return Result<void>();
}

os::Task<Result<void>> QueuedPods::start_pod(MemoryRef memory, PodRef pod, PodRef draft, WorkloadRef workload) {
    Pod copy = *draft;
    const auto started = co_await client_.change<Pod>(pod, std::move(copy));
    if (!started.ok()) {
        if (is_gone(started.error())) co_return Result<void>();
        if (may_have_happened(started.error())) memory->starts.add(pod, draft);
        if (is_refused(started.error()))
            recorder_.note(*pod, Note::warning(names::kFinishedFailedToStart, started.error().message));
        co_return started.error();
    }
    memory->pods.wrote(**started);
    podqueue::count_ungated(metrics_);
    const std::string queue = workload->status.admission ? workload->status.admission->cluster_queue.str() : "";
    if (const api::meta::Condition* admitted = find_condition(workload->status, names::kWorkloadAdmitted)) {
        const Duration waited = std::max(Duration(0), loop_.now() - admitted->last_transition_time.instant());
        podqueue::observe_gate_removal(metrics_, queue, !podqueue::group_of(*pod).empty(),
                                       std::chrono::duration<double>(waited).count());
    }
    recorder_.note(*pod, Note::normal("Started", "Admitted by clusterQueue " + queue));
    co_return Result<void>();
}

// What is told again and again is told once, until something else is told.
void QueuedPods::tell(MemoryRef memory, const GroupPlan& plan, const WorkloadRef& workload) {
    if (plan.notes.empty() || plan.notes == memory->told) return;
    memory->told = plan.notes;
    for (const GroupNote& note : plan.notes) {
        if (note.pod)
            recorder_.note(*note.pod, Note::of(note.warning, note.reason, note.message));
        else if (workload)
            recorder_.note(*workload, Note::of(note.warning, note.reason, note.message));
    }
}

}  // namespace muster::controllers
