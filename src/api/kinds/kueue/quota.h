// Quota as cluster queues and cohorts state it: groups of resources, the flavors that provide them, and how much of
// each. Also the weights of fair sharing, which both have.
#pragma once

#include "api/kinds/kueue/package.h"
#include "api/schema/kind_info.h"
#include "api/value/quantity.h"

namespace muster::api::kueue {

struct ResourceQuota {
    TYPE(ResourceQuota, "How much of one resource there is in one flavor.")
    FIELD(1, Text, name, "Name of the resource, such as cpu. The resource pods counts pods.", .required = true)
    FIELD(2, Quantity, nominal_quota, "How much the workloads admitted here may use at one time. Not negative.",
          .required = true)
    FIELD(3, std::optional<Quantity>, borrowing_limit,
          "The most that may be borrowed from unused quota of others in the cohort. Without it there is no limit. Only "
          "with a cohort, and not negative.")
    FIELD(4, std::optional<Quantity>, lending_limit,
          "The most of the nominal quota that others in the cohort may borrow while it is unused. Without it they may "
          "borrow all. Only with a cohort, and not negative.")
};

struct FlavorQuotas {
    TYPE(FlavorQuotas, "The quota that one flavor provides.")
    FIELD(1, Text, name, "Name of the ResourceFlavor. While there is none of that name, the queue is not active.",
          .required = true)
    FIELD(2, List<ResourceQuota>, resources,
          "Quota by resource: all the covered resources of the group, in the same order, at most 64.", .required = true,
          .list = ListKind::kMap, .list_keys = "name")
};

struct ResourceGroup {
    TYPE(ResourceGroup, "Resources that are provided together by the same flavors.")
    FIELD(1, List<Text>, covered_resources,
          "The resources of the group, such as cpu and memory: 1 to 64, each in one group only.", .required = true)
    FIELD(2, List<FlavorQuotas>, flavors,
          "The flavors in the order in which they are tried: 1 to 64, each in one group only.", .required = true,
          .list = ListKind::kMap, .list_keys = "name")
};

struct FairSharing {
    TYPE(FairSharing, "How much of what is unused one gets in comparison with the others.")
    FIELD(1, std::optional<Quantity>, weight,
          "Divides the share in use: who has the lowest result comes first. Zero always comes last. 1 by default.")
};

struct FairSharingStatus {
    TYPE(FairSharingStatus, "The present share of what is borrowed.")
    FIELD(1, std::int64_t, weighted_share,
          "The largest of the shares, over all resources, of the cohort's lendable quota that is in use above nominal "
          "quota, in thousandths and divided by the weight. 9223372036854775807 with weight zero and something "
          "borrowed.",
          .required = true)
};

struct AdmissionScope {
    TYPE(AdmissionScope, "Whether workloads are ordered by what their local queues have used lately.")
    FIELD(1, Text, admission_mode, "How the local queues of this queue share it.", .required = true,
          .one_of = "UsageBasedAdmissionFairSharing|NoAdmissionFairSharing")
};

}  // namespace muster::api::kueue
