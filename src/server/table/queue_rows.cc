// The queueing kinds, in both of their versions: the columns that Kueue's definitions have.
#include "api/kinds/kueue/v1beta1.h"
#include "server/table/print.h"

namespace muster::server {
namespace {

namespace queue = api::kueue;
namespace older = api::kueue::v1beta1;

constexpr Column kClusterQueueColumns[] = {
    kNameColumn,
    {"Cohort", "string", "Cohort that the queue belongs to."},
    {"Strategy", "string", "In which order workloads get quota.", 1},
    {"Pending Workloads", "integer", "How many workloads wait."},
    {"Admitted Workloads", "integer", "How many workloads are admitted and not finished.", 1},
};
constexpr Column kLocalQueueColumns[] = {
    kNameColumn,
    {"ClusterQueue", "string", "Where the queue's workloads get quota."},
    {"Pending Workloads", "integer", "How many workloads wait."},
    {"Admitted Workloads", "integer", "How many workloads are admitted and not finished."},
};
constexpr Column kWorkloadColumns[] = {
    kNameColumn,
    {"Queue", "string", "The queue that the workload came to."},
    {"Reserved in", "string", "The cluster queue whose quota it has."},
    {"Admitted", "string", "Whether it is admitted."},
    {"Finished", "string", "Whether it has finished."},
    kAgeColumn,
};
constexpr Column kQueuePriorityColumns[] = {kNameColumn, {"Value", "integer", "The priority of this class."}};
constexpr Column kQueuePlainColumns[] = {kNameColumn, kAgeColumn};

std::string_view cohort_of(const queue::ClusterQueue& object) { return object.spec.cohort_name; }
std::string_view cohort_of(const older::ClusterQueue& object) { return object.spec.cohort; }

template <class K>
void print_cluster_queue(const K& object, Row& row) {
    row.text(object.metadata.name)
        .text(cohort_of(object))
        .text(object.spec.queueing_strategy)
        .number(object.status.pending_workloads)
        .number(object.status.admitted_workloads);
}

template <class K>
void print_local_queue(const K& object, Row& row) {
    row.text(object.metadata.name)
        .text(object.spec.cluster_queue)
        .number(object.status.pending_workloads)
        .number(object.status.admitted_workloads);
}

std::string_view condition_status(const List<api::meta::Condition>& conditions, std::string_view type) {
    for (const api::meta::Condition& condition : conditions)
        if (condition.type == type) return condition.status;
    return {};
}

template <class K>
void print_workload(const K& object, Row& row) {
    const auto& status = object.status;
    row.text(object.metadata.name)
        .text(object.spec.queue_name)
        .text(status.admission ? status.admission->cluster_queue.view() : std::string_view())
        .text(condition_status(status.conditions, "Admitted"))
        .text(condition_status(status.conditions, "Finished"))
        .age(object.metadata.creation_timestamp);
}

template <class K>
void print_priority(const K& object, Row& row) {
    row.text(object.metadata.name).number(object.value);
}

template <class K>
void print_plain(const K& object, Row& row) {
    row.text(object.metadata.name).age(object.metadata.creation_timestamp);
}

template <class K, class... Others>
constexpr bool kIsOneOf = (std::is_same_v<K, Others> || ...);

}  // namespace

template <class K>
Printer queue_printer() {
    if constexpr (kIsOneOf<K, queue::ClusterQueue, older::ClusterQueue>) {
        return make_printer<K, print_cluster_queue<K>>(kClusterQueueColumns);
    } else if constexpr (kIsOneOf<K, queue::LocalQueue, older::LocalQueue>) {
        return make_printer<K, print_local_queue<K>>(kLocalQueueColumns);
    } else if constexpr (kIsOneOf<K, queue::Workload, older::Workload>) {
        return make_printer<K, print_workload<K>>(kWorkloadColumns);
    } else if constexpr (kIsOneOf<K, queue::WorkloadPriorityClass, older::WorkloadPriorityClass>) {
        return make_printer<K, print_priority<K>>(kQueuePriorityColumns);
    } else {
        return make_printer<K, print_plain<K>>(kQueuePlainColumns);
    }
}

template Printer queue_printer<queue::AdmissionCheck>();
template Printer queue_printer<queue::ClusterQueue>();
template Printer queue_printer<queue::Cohort>();
template Printer queue_printer<queue::LocalQueue>();
template Printer queue_printer<queue::ResourceFlavor>();
template Printer queue_printer<queue::Workload>();
template Printer queue_printer<queue::WorkloadPriorityClass>();
template Printer queue_printer<older::AdmissionCheck>();
template Printer queue_printer<older::ClusterQueue>();
template Printer queue_printer<older::Cohort>();
template Printer queue_printer<older::LocalQueue>();
template Printer queue_printer<older::ResourceFlavor>();
template Printer queue_printer<older::Workload>();
template Printer queue_printer<older::WorkloadPriorityClass>();

}  // namespace muster::server
