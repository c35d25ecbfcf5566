// What of a pod decides where it may go, apart from its labels. Pods of one template share theirs, so that whatever is
// worked out for one pod holds for thousands.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/kinds/core/pod.h"
#include "api/placement/node_rules.h"
#include "api/placement/requests.h"

namespace muster::scheduler {

using api::Amounts;
using api::amounts_of;
using api::HostPort;
using api::pod_requests;
using api::pod_requests_for_score;

struct PodShape {
    std::uint64_t number = 0;  // in the order in which its cache met shapes; what is sorted by it is so in every run
    Amounts requests;
    std::int64_t scored_cpu = 0;
    std::int64_t scored_memory = 0;
    std::vector<HostPort> host_ports;
    Map<Text> node_selector;
    Box<api::core::Affinity> affinity;
    List<api::core::Toleration> tolerations;
    List<api::core::TopologySpreadConstraint> spread;

    bool has_pod_terms() const { return affinity && (affinity->pod_affinity || affinity->pod_anti_affinity); }
};
using ShapeRef = std::shared_ptr<const PodShape>;

ShapeRef make_shape(const api::core::PodSpec& spec, std::uint64_t number = 0);

// Gives equal specs the same shape. Specs that share their parts are found by those parts' identity, others by what
// they say. Bounded: what it forgets is only shared less.
class ShapeCache {
public:
    ShapeRef shape_of(const api::core::PodSpec& spec);
    std::size_t size() const { return by_content_.size(); }

private:
    using Identity = std::vector<const void*>;
    struct IdentityHash {
        std::size_t operator()(const Identity& identity) const;
    };
    struct Known {
        api::core::PodSpec parts;  // keeps what the identity points at
        ShapeRef shape;
    };
    static constexpr std::size_t kKnownMax = 4096;

    std::unordered_map<Identity, Known, IdentityHash> by_identity_;
    std::unordered_map<std::string, ShapeRef> by_content_;
    std::uint64_t numbers_ = 0;
};

}  // namespace muster::scheduler
