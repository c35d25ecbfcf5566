// What a pod's node says of it: phase, conditions and container statuses, in a kubelet's words. Pure.
#pragma once

#include "node/pods/pod_view.h"

namespace muster::node {

struct PodPlace {
    Text pod_ip{};
    Text host_ip{};
    Instant taken_at{};  // startTime, when the pod has none yet
};

// `ended`: nothing runs and nothing will, so the phase is final. Conditions of others stay as they are; a condition's
// time of transition moves only with its status.
api::core::PodStatus make_pod_status(const PodView& view, const PodPlace& place, bool ended);

// "muster://<uid>/<container>/<attempt>"
Text container_id(const Text& pod_uid, const Text& container, int attempt);

}  // namespace muster::node
