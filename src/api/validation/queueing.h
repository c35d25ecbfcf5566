// The rules of the queueing kinds, as Kueue's definitions and webhooks have them.
#pragma once

#include "api/kinds/kueue.h"
#include "api/validation/field_errors.h"

namespace muster::api {

FieldErrors validate_queueing_create(const kueue::AdmissionCheck& check);
FieldErrors validate_queueing_create(const kueue::ClusterQueue& queue);
FieldErrors validate_queueing_create(const kueue::Cohort& cohort);
FieldErrors validate_queueing_create(const kueue::LocalQueue& queue);
FieldErrors validate_queueing_create(const kueue::ResourceFlavor& flavor);
FieldErrors validate_queueing_create(const kueue::Workload& workload);
FieldErrors validate_queueing_create(const kueue::WorkloadPriorityClass& priority_class);

// A status is checked by these as well: an update changes the one part or the other.
FieldErrors validate_queueing_update(const kueue::AdmissionCheck& now, const kueue::AdmissionCheck& before);
FieldErrors validate_queueing_update(const kueue::ClusterQueue& now, const kueue::ClusterQueue& before);
FieldErrors validate_queueing_update(const kueue::Cohort& now, const kueue::Cohort& before);
FieldErrors validate_queueing_update(const kueue::LocalQueue& now, const kueue::LocalQueue& before);
FieldErrors validate_queueing_update(const kueue::ResourceFlavor& now, const kueue::ResourceFlavor& before);
FieldErrors validate_queueing_update(const kueue::Workload& now, const kueue::Workload& before);
FieldErrors validate_queueing_update(const kueue::WorkloadPriorityClass& now,
                                     const kueue::WorkloadPriorityClass& before);

// Parts that the files of these rules share.
inline constexpr std::string_view kQueueingPackages = "io.x-k8s.kueue";
inline constexpr std::size_t kConditionsMax = 16;
void check_conditions(const List<meta::Condition>& conditions, const FieldPath& path, FieldErrors& errors);
void check_flavor_tolerations(const List<core::Toleration>& tolerations, const FieldPath& path, FieldErrors& errors);
void check_at_most(std::size_t count, std::size_t count_max, const FieldPath& path, FieldErrors& errors);
// Empty is fine; that a field is required is the schema's to say.
void check_object_name(std::string_view name, const FieldPath& path, FieldErrors& errors);

}  // namespace muster::api
