// Cohort: queues that lend each other what they do not use, with quota of their own. Cohorts form trees.
#pragma once

#include "api/kinds/kueue/quota.h"
#include "api/kinds/meta/meta.h"

namespace muster::api::kueue {

struct CohortSpec {
    TYPE(CohortSpec, "Where the cohort stands in its tree, and what it adds to its members' quota.")
    FIELD(1, Text, parent_name,
          "Name of the cohort above, which need not exist as an object. Empty for the top of a tree. While cohorts are "
          "above each other in a circle, nothing is admitted in them.")
    FIELD(2, List<ResourceGroup>, resource_groups,
          "Quota shared by all below, on top of theirs. The limits on borrowing and lending are those of the whole "
          "subtree towards the cohort above, and need one. At most 16 groups.")
    FIELD(3, Box<FairSharing>, fair_sharing, "Weight in the cohort above, when fair sharing is on.")
};

struct CohortStatus {
    TYPE(CohortStatus, "What the cohort has borrowed.")
    FIELD(1, Box<FairSharingStatus>, fair_sharing, "Its share, when fair sharing is on.")
};

struct Cohort {
    KIND(Cohort, "Queues, and cohorts, that lend each other what they do not use.", .plural = "cohorts",
         .namespaced = false, .short_names = "co")
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, CohortSpec, spec, "Its place and its quota.", .required = true, .optional = true)
    FIELD(3, CohortStatus, status, "What it has borrowed. Written by the controller.")
};

}  // namespace muster::api::kueue
