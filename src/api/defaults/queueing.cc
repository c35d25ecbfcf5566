#include "api/defaults/queueing.h"

#include <algorithm>

#include "api/kinds/kueue/kueue_names.h"

namespace muster::api {
namespace {

void fill_word(Text& word, const char* otherwise) {
    if (word.empty()) word = otherwise;
}
void fill_word(std::optional<Text>& word, const char* otherwise) {
    if (!word) word = otherwise;
}

void fill_weight(Box<kueue::FairSharing>& sharing) {
    if (sharing && !sharing->weight) sharing.edit().weight = Quantity::from_int(1);
}

}  // namespace

void default_queueing(kueue::AdmissionCheck&) {}
void default_queueing(kueue::ResourceFlavor&) {}
void default_queueing(kueue::WorkloadPriorityClass&) {}
void default_queueing(kueue::Cohort& cohort) { fill_weight(cohort.spec.fair_sharing); }

void default_queueing(kueue::ClusterQueue& queue) {
    kueue::ClusterQueueSpec& spec = queue.spec;
    fill_word(spec.queueing_strategy, kueue::kBestEffortFifo);
    fill_word(spec.stop_policy, kueue::kStopNone);
    kueue::FlavorFungibility& fungibility = spec.flavor_fungibility.edit();
    fill_word(fungibility.when_can_borrow, kueue::kMayStopSearch);
    fill_word(fungibility.when_can_preempt, kueue::kTryNextFlavor);
    kueue::ClusterQueuePreemption& preemption = spec.preemption.edit();
    fill_word(preemption.reclaim_within_cohort, kueue::kPreemptNever);
    fill_word(preemption.within_cluster_queue, kueue::kPreemptNever);
    fill_word(preemption.borrow_within_cohort.edit().policy, kueue::kPreemptNever);
    fill_weight(spec.fair_sharing);
}

void default_queueing(kueue::LocalQueue& queue) {
    fill_word(queue.spec.stop_policy, kueue::kStopNone);
    fill_weight(queue.spec.fair_sharing);
}

void default_queueing(kueue::Workload& workload) {
    if (!workload.spec.active) workload.spec.active = true;
    const List<kueue::PodSet>& sets = workload.spec.pod_sets;
    // Most have their names: a list that many share is not copied for nothing.
    if (std::any_of(sets.begin(), sets.end(), [](const kueue::PodSet& set) { return set.name.empty(); }))
        for (kueue::PodSet& set : workload.spec.pod_sets.edit()) fill_word(set.name, kueue::kDefaultPodSetName);
    if (workload.status.admission)
        for (std::size_t i = 0; i < workload.status.admission->pod_set_assignments.size(); ++i)
            if (workload.status.admission->pod_set_assignments[i].name.empty())
                workload.status.admission.edit().pod_set_assignments.edit()[i].name = kueue::kDefaultPodSetName;
}

}  // namespace muster::api
