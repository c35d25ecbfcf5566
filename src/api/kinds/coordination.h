// The coordination group: leases, by which instances elect a leader and nodes show that they live.
#pragma once

#include "api/kinds/meta/meta.h"

namespace muster::api::coordination {

inline constexpr const char* kPackage = "io.k8s.api.coordination.v1";
inline constexpr const char* kGroup = "coordination.k8s.io";
inline constexpr const char* kVersion = "v1";

struct LeaseSpec {
    TYPE(LeaseSpec, "Who holds a lease, since when and for how long.")
    FIELD(1, std::optional<Text>, holder_identity,
          "Identity of the holder. Absent or empty when the lease has no holder.")
    FIELD(2, std::optional<std::int32_t>, lease_duration_seconds,
          "Seconds after the last renewal seen when others may take it.")
    FIELD(3, std::optional<MicroTime>, acquire_time, "When the present holder got it.")
    FIELD(4, std::optional<MicroTime>, renew_time, "When the present holder last renewed it.")
    FIELD(5, std::optional<std::int32_t>, lease_transitions, "How often it has changed hands.")
    FIELD(6, std::optional<Text>, strategy,
          "How the leader is picked among candidates: OldestEmulationVersion. Absent, the holders decide among "
          "themselves.")
    FIELD(7, std::optional<Text>, preferred_holder,
          "Who should hold it instead; the present holder gives it up. Only together with strategy.")
};

struct Lease {
    KIND(Lease, "A claim with a time limit that one holder at a time renews.", .plural = "leases",
         .access = Access::kWrite, .created_by_update = true, .version_required = true)
    FIELD(1, meta::ObjectMeta, metadata, "The object's name, labels and owners.")
    FIELD(2, LeaseSpec, spec, "Who holds it.")
};

}  // namespace muster::api::coordination
