// ResourceFlavor: a sort of nodes. Quota is given by flavor, and pods admitted with one are sent to its nodes.
#pragma once

#include "api/kinds/core/affinity.h"
#include "api/kinds/kueue/package.h"
#include "api/kinds/meta/meta.h"

namespace muster::api::kueue {

struct ResourceFlavorSpec {
    TYPE(ResourceFlavorSpec, "Which nodes the flavor stands for, and what its pods must bring along.")
    FIELD(1, Map<Text>, node_labels,
          "Labels of the nodes. A pod set gets the flavor only when its node selector and required node affinity allow "
          "these labels, and its pods get them as node selector. At most 8.",
          .atomic = true)
    FIELD(2, List<core::Taint>, node_taints,
          "Taints of the nodes. A pod set gets the flavor only when it, or the flavor, tolerates those that keep pods "
          "away. At most 8.")
    FIELD(3, List<core::Toleration>, tolerations, "Tolerations that pods admitted with the flavor get. At most 8.")
    FIELD(4, std::optional<Text>, topology_name, "Name of the Topology of the nodes. It can never change once set.")
};

struct ResourceFlavor {
    KIND(ResourceFlavor, "A sort of nodes, such as those with one model of processor, that quota is given for.",
         .plural = "resourceflavors", .namespaced = false, .short_names = "flavor,flavors,rf")
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, ResourceFlavorSpec, spec, "Which nodes it stands for.")
};

}  // namespace muster::api::kueue
