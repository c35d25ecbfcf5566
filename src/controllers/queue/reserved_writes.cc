#include "controllers/queue/reserved_writes.h"

#include "api/kinds/job_state.h"
#include "api/kinds/kueue/kueue_names.h"
#include "controllers/owners.h"
#include "controllers/queue/pods/group/gate.h"

namespace muster::controllers {

QueueWriter queue_writer(std::string_view user) {
    constexpr std::string_view kAccounts = "system:serviceaccount:kube-system:";
    QueueWriter writer;
    writer.makes_pods = user == "system:kube-controller-manager";
    if (!user.starts_with(kAccounts)) return writer;
    const std::string_view account = user.substr(kAccounts.size());
    writer.starts_work = account == "queue-controller";
    writer.makes_pods = account == "job-controller";
    return writer;
}

std::string refuse_resume(const api::batch::Job& now, const api::batch::Job& before, const QueueWriter& writer) {
    if (writer.starts_work || now.metadata.deletion_timestamp) return {};
    if (!api::batch::is_suspended(before.spec) || api::batch::is_suspended(now.spec)) return {};
    return "spec.suspend: a Job that is queued is resumed by the queue controller when its Workload is admitted";
}

std::string refuse_ungating(const api::core::Pod& now, const api::core::Pod& before, const QueueWriter& writer) {
    if (writer.starts_work || !podqueue::is_managed(before)) return {};
    if (!podqueue::is_gated(before) || podqueue::is_gated(now)) return {};
    return std::string("spec.schedulingGates: the gate ") + api::kueue::kAdmissionGate +
           " of a pod that is queued is removed by the queue controller when its Workload is admitted";
}

std::string refuse_ownership(const api::meta::ObjectMeta& metadata, bool is_pod, const QueueWriter& writer) {
    const api::meta::OwnerReference* owner = controller_of(metadata);
    if (!owner || (is_pod && writer.makes_pods)) return {};
    const std::string named = "metadata.ownerReferences: " + owner->kind.str() + " \"" + owner->name.str() +
                              "\" is queued, or belongs to a "
                              "Job that is, and ";
    return named + (is_pod ? "only the Job controller may create its pods" : "no Job may run as a part of it");
}

}  // namespace muster::controllers
