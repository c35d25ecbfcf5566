#include "controllers/queue/workload/injection.h"

#include <algorithm>

#include "api/kinds/kueue/kueue_names.h"
#include "api/selector/names.h"

namespace muster::controllers {
namespace {

namespace names = api::kueue;
using api::core::Toleration;

// What says where the pods came from is written at every start: an earlier one may have left another value.
bool is_of_start(std::string_view key) {
    return key == names::kPodSetLabel || key == names::kLocalQueueNameLabel || key == names::kClusterQueueNameLabel ||
           key == names::kWorkloadAnnotation;
}

Result<> check_addable(const Map<Text>& more, const Map<Text>& there, const char* what) {
    for (const auto& [key, value] : more) {
        const Text* old = there.find(key);
        if (old && !(*old == value) && !is_of_start(key))
            return Error{Code::kInvalid, std::string(what) + " " + key.str() + " is \"" + old->str() +
                                             "\" already, and admission asks for \"" + value.str() + '"'};
    }
    return {};
}

Result<> add_all(Map<Text>& into, const Map<Text>& more, const char* what) {
    TRY(check_addable(more, into, what));
    for (const auto& [key, value] : more)
        if (!into.contains(key)) into.set(key, value);
    return {};
}

void add_tolerations(List<Toleration>& into, const List<Toleration>& more) {
    for (const Toleration& one : more)
        if (std::find(into.begin(), into.end(), one) == into.end()) into.edit().push_back(one);
}

Result<> add_flavors(PodSetStart& start, const api::kueue::PodSetAssignment& assignment,
                     const FindFlavor& find_flavor) {
    std::vector<Text> seen;
    for (const auto& [resource, name] : assignment.flavors) {
        if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
        seen.push_back(name);
        const api::kueue::ResourceFlavor* flavor = find_flavor(name);
        if (!flavor) return Error{Code::kNotFound, "there is no ResourceFlavor \"" + name.str() + '"'};
        TRY(add_all(start.node_selector, flavor->spec.node_labels, "node label"));
        add_tolerations(start.tolerations, flavor->spec.tolerations);
    }
    return {};
}

Result<> add_checks(PodSetStart& start, const api::kueue::WorkloadStatus& status) {
    for (const api::kueue::AdmissionCheckState& check : status.admission_checks)
        for (const api::kueue::PodSetUpdate& update : check.pod_set_updates) {
            if (!(update.name == start.name)) continue;
            TRY(add_all(start.labels, update.labels, "label"));
            TRY(add_all(start.annotations, update.annotations, "annotation"));
            TRY(add_all(start.node_selector, update.node_selector, "node label"));
            add_tolerations(start.tolerations, update.tolerations);
        }
    return {};
}

}  // namespace

Result<std::vector<PodSetStart>> starts_of(const api::kueue::Workload& workload, const FindFlavor& find_flavor) {
    std::vector<PodSetStart> starts;
    if (!workload.status.admission) return starts;
    const api::kueue::Admission& admission = *workload.status.admission;
    for (const api::kueue::PodSetAssignment& assignment : admission.pod_set_assignments) {
        PodSetStart start;
        start.name = assignment.name;
        for (const api::kueue::PodSet& set : workload.spec.pod_sets)
            if (set.name == assignment.name) start.count = set.count;
        if (assignment.count) start.count = *assignment.count;
        start.labels.set(names::kPodSetLabel, assignment.name);
        if (api::is_dns1123_label(workload.spec.queue_name).empty())
            start.labels.set(names::kLocalQueueNameLabel, workload.spec.queue_name);
        if (api::is_dns1123_label(admission.cluster_queue).empty())
            start.labels.set(names::kClusterQueueNameLabel, admission.cluster_queue);
        start.annotations.set(names::kWorkloadAnnotation, workload.metadata.name);
        TRY(add_flavors(start, assignment, find_flavor));
        TRY(add_checks(start, workload.status));
        starts.push_back(std::move(start));
    }
    return starts;
}

Result<> inject_start(const PodSetStart& start, api::meta::ObjectMeta& metadata, api::core::PodSpec& spec) {
    TRY(check_addable(start.node_selector, spec.node_selector, "node label"));
    TRY(check_addable(start.labels, metadata.labels, "label"));
    TRY(check_addable(start.annotations, metadata.annotations, "annotation"));
    for (const auto& [key, value] : start.labels) metadata.labels.set(key, value);
    for (const auto& [key, value] : start.annotations) metadata.annotations.set(key, value);
    for (const auto& [key, value] : start.node_selector)
        if (!spec.node_selector.contains(key)) spec.node_selector.set(key, value);
    add_tolerations(spec.tolerations, start.tolerations);
    return {};
}

}  // namespace muster::controllers
