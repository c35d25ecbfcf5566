// How a pod set asks for nodes that are near to each other, and which it got. Declared whole, so that objects written
// for Kueue keep these fields.
#pragma once

#include "api/kinds/kueue/package.h"
#include "api/schema/kind_info.h"

namespace muster::api::kueue {

struct PodsetSliceRequiredTopologyConstraint {
    TYPE(PodsetSliceRequiredTopologyConstraint, "One layer of groups that must stay together.")
    FIELD(1, Text, topology, "The node label whose value the pods of a group must share.", .required = true)
    FIELD(2, std::int32_t, size, "How many pods a group has.", .required = true)
};

struct PodSetTopologyRequest {
    TYPE(PodSetTopologyRequest, "How near to each other the pods of a set are to be.")
    FIELD(1, std::optional<Text>, required, "The node label whose value all the pods must share.")
    FIELD(2, std::optional<Text>, preferred, "The node label whose value the pods should share if possible.")
    FIELD(3, std::optional<bool>, unconstrained, "True takes any nodes with room.")
    FIELD(4, std::optional<Text>, pod_index_label, "Label of the pods that has their index.")
    FIELD(5, std::optional<Text>, sub_group_index_label, "Label of the pods that has the index of their group.")
    FIELD(6, std::optional<std::int32_t>, sub_group_count, "How many groups there are in the set.")
    FIELD(7, std::optional<Text>, pod_set_group_name, "Sets of the same name get the same flavor.")
    FIELD(8, std::optional<Text>, pod_set_slice_required_topology,
          "The node label whose value the pods of a slice must share.")
    FIELD(9, std::optional<std::int32_t>, pod_set_slice_size, "How many pods a slice has.")
    FIELD(10, List<PodsetSliceRequiredTopologyConstraint>, podset_slice_required_topology_constraints,
          "Layers of slices, the widest first, at most 3.")
};

struct TopologyAssignmentSliceLevelIndividualValues {
    TYPE(TopologyAssignmentSliceLevelIndividualValues, "One value for each domain, without what all have in common.")
    FIELD(1, std::optional<Text>, prefix, "What all values begin with.")
    FIELD(2, std::optional<Text>, suffix, "What all values end with.")
    FIELD(3, List<Text>, roots, "What lies between, one for each domain.", .required = true)
};

struct TopologyAssignmentSliceLevelValues {
    TYPE(TopologyAssignmentSliceLevelValues, "Values of one node label. Exactly one of the fields is set.")
    FIELD(1, std::optional<Text>, universal, "The value in all domains.")
    FIELD(2, Box<TopologyAssignmentSliceLevelIndividualValues>, individual, "The values, domain by domain.")
};

struct TopologyAssignmentSlicePodCounts {
    TYPE(TopologyAssignmentSlicePodCounts, "How many pods go to each domain. Exactly one of the fields is set.")
    FIELD(1, std::optional<std::int32_t>, universal, "The number in every domain.")
    FIELD(2, List<std::int32_t>, individual, "The numbers, domain by domain.")
};

struct TopologyAssignmentSlice {
    TYPE(TopologyAssignmentSlice, "Some of the domains that a pod set got.")
    FIELD(1, std::int32_t, domain_count, "How many domains these are.", .required = true)
    FIELD(2, List<TopologyAssignmentSliceLevelValues>, values_per_level, "Their labels' values, level by level.",
          .required = true)
    FIELD(3, TopologyAssignmentSlicePodCounts, pod_counts, "How many pods go to each.", .required = true)
};

struct TopologyAssignment {
    TYPE(TopologyAssignment, "Which nodes the pods of a set go to.")
    FIELD(1, List<Text>, levels, "Node labels, from the widest domain to the narrowest.", .required = true)
    FIELD(2, List<TopologyAssignmentSlice>, slices, "The domains, which together are all of them.", .required = true)
};

}  // namespace muster::api::kueue
