// Where a pod may be placed: selections of nodes, closeness to other pods, taints and what tolerates them, spreading
// over topologies, and gates that hold scheduling back. Part of a pod's spec; the scheduler reads all of it.
#pragma once

#include "api/kinds/core/package.h"
#include "api/kinds/meta/meta.h"
#include "api/schema/declare.h"
#include "api/value/time.h"

namespace muster::api::core {

struct NodeSelectorRequirement {
    TYPE(NodeSelectorRequirement, "One test of a node: a key, an operator, and the values it is compared with.")
    FIELD(1, Text, key, "The node label, or the field, that is tested.", .required = true)
    FIELD(2, Text, operator_, "How the key's value relates to values. Gt and Lt compare whole numbers.",
          .json = "operator", .required = true, .one_of = "In|NotIn|Exists|DoesNotExist|Gt|Lt")
    FIELD(3, List<Text>, values,
          "What to compare with: at least one for In and NotIn, none for Exists and DoesNotExist, exactly one number "
          "for Gt and Lt.")
};

struct NodeSelectorTerm {
    TYPE(NodeSelectorTerm, "A set of tests that a node must pass all of. A term without tests matches no node.",
         .atomic = true)
    FIELD(1, List<NodeSelectorRequirement>, match_expressions, "Tests of the node's labels.")
    FIELD(2, List<NodeSelectorRequirement>, match_fields, "Tests of the node's fields. Only metadata.name is known.")
};

struct NodeSelector {
    TYPE(NodeSelector, "Selects the nodes that match at least one of its terms.", .atomic = true)
    FIELD(1, List<NodeSelectorTerm>, node_selector_terms, "The terms; one match is enough. At least one is needed.",
          .required = true)
};

struct PreferredSchedulingTerm {
    TYPE(PreferredSchedulingTerm, "A wish about nodes and how much it counts. A wish without tests changes nothing.")
    FIELD(1, std::int32_t, weight, "Points a matching node gets, 1 to 100.", .required = true)
    FIELD(2, NodeSelectorTerm, preference, "The nodes that are wished for.", .required = true)
};

struct NodeAffinity {
    TYPE(NodeAffinity, "Rules about the node that a pod is placed on.")
    FIELD(1, Box<NodeSelector>, required_during_scheduling_ignored_during_execution,
          "Nodes outside this selection are never chosen. A pod that already runs stays when its node stops matching.")
    FIELD(2, List<PreferredSchedulingTerm>, preferred_during_scheduling_ignored_during_execution,
          "Wishes that raise a node's rank. Of the nodes that fit, those with the largest sum of matching weights are "
          "preferred.")
};

struct PodAffinityTerm {
    TYPE(PodAffinityTerm, "A group of pods, and the topology within which the new pod counts as being near them.")
    FIELD(1, Box<meta::LabelSelector>, label_selector,
          "Selects the pods of the group by label. Without it the group is empty.")
    FIELD(2, List<Text>, namespaces,
          "Namespaces to look for pods in, beside those that namespaceSelector finds. When both are empty it is the "
          "pod's own namespace.")
    FIELD(3, Text, topology_key,
          "Node label that says what near means: nodes with the same value are one place. Must not be empty.",
          .required = true)
    FIELD(4, Box<meta::LabelSelector>, namespace_selector,
          "Selects namespaces by label, beside those that are listed. An empty selector takes all of them.")
    FIELD(5, List<Text>, match_label_keys,
          "Labels of the new pod whose values are added to labelSelector as something to have. Keys the pod lacks are "
          "skipped; a key may not stand in labelSelector too.")
    FIELD(6, List<Text>, mismatch_label_keys,
          "Labels of the new pod whose values are added to labelSelector as something not to have. Keys the pod lacks "
          "are skipped; a key may not stand in labelSelector too.")
};

struct WeightedPodAffinityTerm {
    TYPE(WeightedPodAffinityTerm, "A wish about other pods and how much it counts.")
    FIELD(1, std::int32_t, weight, "Points a matching node gets, 1 to 100.", .required = true)
    FIELD(2, PodAffinityTerm, pod_affinity_term, "The pods that the wish is about.", .required = true)
};

struct PodAffinity {
    TYPE(PodAffinity, "Rules that draw a pod towards other pods.")
    FIELD(1, List<PodAffinityTerm>, required_during_scheduling_ignored_during_execution,
          "The chosen node must be near pods of every term. A pod that runs stays when that stops being true.")
    FIELD(2, List<WeightedPodAffinityTerm>, preferred_during_scheduling_ignored_during_execution,
          "Wishes that raise a node's rank by their weight when it is near the pods of the term.")
};

struct PodAntiAffinity {
    TYPE(PodAntiAffinity, "Rules that keep a pod away from other pods.")
    FIELD(1, List<PodAffinityTerm>, required_during_scheduling_ignored_during_execution,
          "The chosen node must be near pods of none of the terms. A pod that runs stays when that stops being true.")
    FIELD(2, List<WeightedPodAffinityTerm>, preferred_during_scheduling_ignored_during_execution,
          "Wishes that lower a node's rank by their weight when it is near the pods of the term.")
};

struct Affinity {
    TYPE(Affinity, "Where the scheduler may or would rather place a pod, by nodes and by the pods already there.")
    FIELD(1, Box<NodeAffinity>, node_affinity, "Rules about the node itself.")
    FIELD(2, Box<PodAffinity>, pod_affinity, "Rules that draw the pod towards other pods.")
    FIELD(3, Box<PodAntiAffinity>, pod_anti_affinity, "Rules that keep the pod away from other pods.")
};

struct Taint {
    TYPE(Taint, "A mark on a node that keeps away, or drives off, every pod that does not tolerate it.")
    FIELD(1, Text, key, "Key of the taint.", .required = true)
    FIELD(2, Text, value, "Value that belongs to the key.")
    FIELD(3, Text, effect,
          "What happens to pods that do not tolerate it: they are not placed here, are placed here only when nothing "
          "else fits, or are evicted as well.",
          .required = true, .one_of = "NoSchedule|PreferNoSchedule|NoExecute")
    FIELD(4, std::optional<Time>, time_added, "When the taint was put on the node.")
};

struct Toleration {
    TYPE(Toleration, "Lets a pod be placed on, or stay on, nodes with the taints that it matches.")
    FIELD(1, Text, key, "Key of the taints to match. Empty matches every key, and then the operator must be Exists.")
    FIELD(2, Text, operator_,
          "How value and the taint's compare. Exists takes any value, Lt and Gt compare numbers; Equal by default.",
          .json = "operator", .one_of = "Exists|Equal|Lt|Gt")
    FIELD(3, Text, value, "Value of the taints to match. Must be empty with Exists.")
    FIELD(4, Text, effect, "Effect of the taints to match. Empty matches every effect.",
          .one_of = "NoSchedule|PreferNoSchedule|NoExecute")
    FIELD(5, std::optional<std::int64_t>, toleration_seconds,
          "Seconds the pod may stay once a NoExecute taint appears; zero or less means none. Without it the pod stays "
          "for good.")
};

struct TopologySpreadConstraint {
    TYPE(TopologySpreadConstraint, "Spreads like pods evenly over zones, hosts or whatever a node label tells apart.")
    FIELD(1, std::int32_t, max_skew,
          "The largest difference allowed between the number of matching pods in a domain and the smallest number in "
          "any domain. Must be above zero.",
          .required = true)
    FIELD(2, Text, topology_key,
          "Node label that divides nodes into domains: one per value. Nodes without the label are left out.",
          .required = true)
    FIELD(3, Text, when_unsatisfiable,
          "What to do when no node keeps the skew within bounds: leave the pod pending, or place it where the skew "
          "grows least.",
          .required = true, .one_of = "DoNotSchedule|ScheduleAnyway")
    FIELD(4, Box<meta::LabelSelector>, label_selector, "Selects the pods that are counted.")
    FIELD(5, std::optional<std::int32_t>, min_domains,
          "When fewer domains than this are eligible, the smallest number counts as zero, so that pods wait for new "
          "domains. Only with DoNotSchedule; 1 by default.")
    FIELD(6, std::optional<Text>, node_affinity_policy,
          "Whether nodes that the pod's node selector and node affinity rule out are left out of the count. Honor, the "
          "default, leaves them out.",
          .one_of = "Ignore|Honor")
    FIELD(7, std::optional<Text>, node_taints_policy,
          "Whether nodes with taints that the pod does not tolerate are left out of the count. Ignore, the default, "
          "counts them.",
          .one_of = "Ignore|Honor")
    FIELD(8, List<Text>, match_label_keys,
          "Labels of the new pod whose values are added to labelSelector. Keys the pod lacks are skipped; a key may "
          "not stand in labelSelector too.")
};

struct PodSchedulingGate {
    TYPE(PodSchedulingGate, "One reason why a pod is not to be scheduled yet.")
    FIELD(1, Text, name, "Name of the gate, unique in the pod.", .required = true)
};

}  // namespace muster::api::core
