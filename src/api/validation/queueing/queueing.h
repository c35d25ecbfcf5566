// The rules of the queueing kinds, as Kueue's definitions and webhooks have them. What a definition refuses is answered
// 422; what only a webhook refuses is answered 403, as clients of Kueue know it.
#pragma once

#include "api/kinds/kueue/kueue.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

// What is wrong with an object: by its definition, and by what only a webhook checks (queueing_webhooks.h).
struct QueueingErrors {
    FieldErrors definition{};
    FieldErrors webhook{};
};

QueueingErrors check_queueing_create(const kueue::AdmissionCheck& check);
QueueingErrors check_queueing_create(const kueue::ClusterQueue& queue);
QueueingErrors check_queueing_create(const kueue::Cohort& cohort);
QueueingErrors check_queueing_create(const kueue::LocalQueue& queue);
QueueingErrors check_queueing_create(const kueue::ResourceFlavor& flavor);
QueueingErrors check_queueing_create(const kueue::Workload& workload);
QueueingErrors check_queueing_create(const kueue::WorkloadPriorityClass& priority_class);

// A status is checked by these as well: an update changes the one part or the other.
QueueingErrors check_queueing_update(const kueue::AdmissionCheck& now, const kueue::AdmissionCheck& before);
QueueingErrors check_queueing_update(const kueue::ClusterQueue& now, const kueue::ClusterQueue& before);
QueueingErrors check_queueing_update(const kueue::Cohort& now, const kueue::Cohort& before);
QueueingErrors check_queueing_update(const kueue::LocalQueue& now, const kueue::LocalQueue& before);
QueueingErrors check_queueing_update(const kueue::ResourceFlavor& now, const kueue::ResourceFlavor& before);
QueueingErrors check_queueing_update(const kueue::Workload& now, const kueue::Workload& before);
QueueingErrors check_queueing_update(const kueue::WorkloadPriorityClass& now,
                                     const kueue::WorkloadPriorityClass& before);

// Parts that the files of these rules share.
inline constexpr std::string_view kQueueingPackages = "io.x-k8s.kueue";
inline constexpr std::size_t kConditionsMax = 16;
void check_conditions(const List<meta::Condition>& conditions, const FieldPath& path, FieldErrors& errors);
void check_flavor_tolerations(const List<core::Toleration>& tolerations, const FieldPath& path, QueueingErrors& errors);
void check_at_most(std::size_t count, std::size_t count_max, const FieldPath& path, FieldErrors& errors);
// Empty is fine; that a field is required is the schema's to say.
void check_object_name(std::string_view name, const FieldPath& path, FieldErrors& errors);

}  // namespace muster::api
