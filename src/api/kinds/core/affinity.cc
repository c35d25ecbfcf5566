#include "api/kinds/core/affinity.h"

namespace muster::api::core {

DEFINE_TYPE(NodeSelectorRequirement)
DEFINE_TYPE(NodeSelectorTerm)
DEFINE_TYPE(NodeSelector)
DEFINE_TYPE(PreferredSchedulingTerm)
DEFINE_TYPE(NodeAffinity)
DEFINE_TYPE(PodAffinityTerm)
DEFINE_TYPE(WeightedPodAffinityTerm)
DEFINE_TYPE(PodAffinity)
DEFINE_TYPE(PodAntiAffinity)
DEFINE_TYPE(Affinity)
DEFINE_TYPE(Taint)
DEFINE_TYPE(Toleration)
DEFINE_TYPE(TopologySpreadConstraint)
DEFINE_TYPE(PodSchedulingGate)

}  // namespace muster::api::core
