// A tree of cohorts left to chance, with limits that are edited under load.
//
//     r ─┬─ x ─┬─ a   StrictFIFO
//        │     └─ b
//        └─ z ─── c   two flavors, the other first
#pragma once

#include <string>

#include "api/kinds/kueue/admission_check.h"
#include "api/kinds/kueue/cluster_queue.h"
#include "api/kinds/kueue/cohort.h"
#include "base/prng.h"

namespace muster::sim {

inline constexpr const char* kCohortNames[] = {"r", "x", "z"};
inline constexpr const char* kCheckNames[] = {"k0", "k1"};

// `fair`: fair sharing, without preemption while borrowing. `checks`: some queues have admission checks.
api::kueue::ClusterQueue draw_tree_queue(const std::string& name, bool fair, bool checks, Prng& random);
api::kueue::Cohort draw_cohort(const std::string& name, Prng& random);
// As it stands above; "" for the top.
const char* cohort_above(std::string_view name);
// Other quota and other limits; those only for what has something above it.
void draw_limits(api::kueue::ClusterQueue& queue, Prng& random);
void draw_limits(api::kueue::Cohort& cohort, Prng& random);
// To another cohort, or to none; a place where it is not missed for long.
void move_queue(api::kueue::ClusterQueue& queue, const Text& cohort, Prng& random);
void draw_checks(api::kueue::ClusterQueue& queue, Prng& random);
api::kueue::AdmissionCheck make_check(const std::string& name);

// Has at least so much nominal quota everywhere.
bool has_quota(const api::kueue::ClusterQueue& queue, int milli_cpus);

}  // namespace muster::sim
