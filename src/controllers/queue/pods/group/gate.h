// What happens to a pod with a queue when it is written: on create it gets a scheduling gate, a label and a finalizer,
// so that it waits for its quota and its end is never missed; afterwards its place in the queue is kept from change.
// Pure functions, for the server's admission chain and for a webhook.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "api/kinds/batch.h"
#include "api/kinds/core/pod.h"
#include "api/selector/label_selector.h"
#include "api/validation/rules/field_errors.h"
#include "controllers/queue/workload/scope.h"

namespace muster::controllers::podqueue {

// What the pod itself does not say.
struct PodSurroundings {
    const Map<Text>* namespace_labels = nullptr;  // null: none are known
    bool default_queue = false;                   // the namespace has a LocalQueue of that name
    bool managed_owner = false;                   // see has_managed_owner
    bool default_class = false;                   // there is a WorkloadPriorityClass of that name
    bool driven_group = false;                    // a driver has announced the pod's group (pod-group-sets)
};

// The name of its group; empty when it has none. The annotation goes before the label.
Text group_of(const api::core::Pod& pod);
Text queue_of(const api::core::Pod& pod);
// The set of its group that it says it belongs to; empty when it does not say.
Text group_role_of(const api::core::Pod& pod);
// Whether it was put into a queue when it was created: beside the label it then has a role hash, from the server or a
// webhook, or the annotation muster.dev/queued, from an admission policy. The label alone does not say so: a template
// or a hand may have written it on a pod that was left alone.
bool is_managed(const api::core::Pod& pod);
// Whether it has a label or annotation that the rules of queues look at. No update of other pods is refused.
bool speaks_of_queueing(const api::core::Pod& pod);
bool is_gated(const api::core::Pod& pod);
bool is_held(const api::core::Pod& pod);  // by our finalizer
bool is_unretriable(const api::core::Pod& pod);

// Whether the pod is to be queued.
bool is_subject(const api::core::Pod& pod, const QueueConfiguration& configuration, const PodSurroundings& around);

// Whether an integration of its owner's kind has the pod suspended (pod-suspending-parent): it waits behind the gate,
// and has no finalizer, as its owner makes it again.
bool is_suspended_by_parent(const api::core::Pod& pod);
// On create, when it is so: gate and role hash.
void gate_pod(api::core::Pod& pod);

// On create, when it is: gate, label, finalizer, role hash, queue, and the default class.
void admit_pod(api::core::Pod& pod, const PodSurroundings& around);

// What is wrong with what a new pod says of its queue and its group. Only for pods of namespaces in scope.
api::FieldErrors check_pod(const api::core::Pod& pod, const PodSurroundings& around);
// And what an update may not change of it.
api::FieldErrors check_pod_update(const api::core::Pod& now, const api::core::Pod& before,
                                  const PodSurroundings& around);

}  // namespace muster::controllers::podqueue
