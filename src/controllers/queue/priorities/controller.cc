#include "controllers/queue/priorities/controller.h"

#include "api/kinds/kueue/kueue_names.h"
#include "controllers/queue/workload/workload_state.h"

namespace muster::controllers {
namespace {

constexpr std::size_t kPrioritiesAtOnceMax = 256;

// Empty when its priority is not that of such a class, or does not matter any more.
Text priority_class_of(const api::kueue::Workload& workload) {
    const auto& reference = workload.spec.priority_class_ref;
    if (!reference || !(reference->kind == api::kueue::kWorkloadPriorityClassKind)) return {};
    return is_finished(workload.status) ? Text() : reference->name;
}

}  // namespace

WorkloadPriorities::WorkloadPriorities(os::Loop& loop, client::Client& client, client::Metrics& metrics)
    : client_(client),
      workloads_(loop, client),
      classes_(loop, client),
      reconciler_(loop, client::QueueMetrics(metrics, "workload_priorities"), kPrioritiesAtOnceMax,
                  [this](client::ObjectName name) { return sync(std::move(name)); }) {
    workloads_by_class_ = workloads_.add_index(priority_class_of);
}

void WorkloadPriorities::start() {
    classes_.on_change([this](const client::Ref<Class>& before, const client::Ref<Class>& now) {
        if (!now || (before && before->value == now->value)) return;
        for (const auto& workload : workloads_.indexed(workloads_by_class_, now->metadata.name))
            reconciler_.add(client::name_of(*workload));
    });
    // A new or changed Workload may carry an outdated value of its class.
    workloads_.on_change([this](const client::Ref<Workload>& before, const client::Ref<Workload>& now) {
        if (!now || (before && before->metadata.generation == now->metadata.generation)) return;
        if (!priority_class_of(*now).empty()) reconciler_.add(client::name_of(*now));
    });
    classes_.start();
    workloads_.start();
    reconciler_.start_after(classes_, workloads_);
}

os::Task<Worked> WorkloadPriorities::sync(client::ObjectName name) {
    const client::Ref<Workload> workload = workloads_.get(name);
    const Text class_name = workload ? priority_class_of(*workload) : Text();
    const client::Ref<Class> priority_class = class_name.empty() ? nullptr : classes_.get({Text(), class_name});
    if (!priority_class || workload->metadata.deletion_timestamp || workload->spec.priority == priority_class->value)
        co_return Worked::kDone;
    Workload draft = *workload;
    draft.spec.priority = priority_class->value;
    const auto written = co_await client_.change<Workload>(workload, std::move(draft));
    co_return written.ok() || is_gone(written.error()) ? Worked::kDone : Worked::kRetry;
}

}  // namespace muster::controllers
