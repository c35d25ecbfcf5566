#include "node/simulated/simulated_pods.h"

#include "node/runtime/created_run.h"
#include "node/simulated/simulation.h"

namespace muster::node {

os::Task<PodRuntime::Created> SimulatedPods::create(ContainerStart start) {
    const api::core::Pod& pod = *start.pod;
    warn_of_annotations(pod);
    RunRequest request;
    request.key = start.key();
    request.pod_ip = start.pod_ip;
    if (const api::Time created = pod.metadata.creation_timestamp; created) request.pod_created_at = created.instant();
    request.annotations = pod.metadata.annotations;
    std::unique_ptr<CreatedContainer> container = std::make_unique<CreatedRun>(runs_, std::move(request));
    co_return Created(std::move(container));
}

void SimulatedPods::warn_of_annotations(const api::core::Pod& pod) {
    const Simulation simulation = read_simulation(pod.metadata.annotations);
    if (simulation.problems.empty() || !warned_.insert(pod.metadata.uid).second) return;
    for (const std::string& problem : simulation.problems) warn_(pod, "SimulationNotUnderstood", problem);
}

void SimulatedPods::forget(const Text& pod_uid) {
    runs_.forget(pod_uid);
    warned_.erase(pod_uid);
}

}  // namespace muster::node
