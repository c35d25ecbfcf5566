// Whether a node takes a pod that names it: the rules that a kubelet asks before it runs anything, and the sentences in
// which it refuses. Pure. The scheduler asks the same rules (api/placement); a pod that it placed passes.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/kinds/core/node.h"
#include "api/kinds/core/pod.h"
#include "api/placement/node_rules.h"
#include "api/placement/requests.h"

namespace muster::node {

// What the pods have that a node has taken and that have not ended.
class TakenRoom {
public:
    // A pod that is there already stays as it was.
    void add(const api::core::Pod& pod);
    void remove(const Text& pod_uid);

    const api::Amounts& requested() const { return requested_; }
    std::int64_t pods() const { return static_cast<std::int64_t>(pods_.size()); }
    std::vector<api::HostPort> host_ports() const;

private:
    struct Taken {
        api::Amounts requests;
        std::vector<api::HostPort> host_ports;
    };
    std::unordered_map<Text, Taken> pods_;  // by UID
    api::Amounts requested_;
};

struct PodRefusal {
    std::string reason{};   // OutOfcpu, NodeAffinity, …
    std::string message{};  // of the event; the pod's status has it after "Pod was rejected: "
};

// Nothing when the node takes it. `taken` is without the pod itself.
std::optional<PodRefusal> check_pod_admission(const api::core::Pod& pod, const api::core::Node& node,
                                              const TakenRoom& taken);

}  // namespace muster::node
