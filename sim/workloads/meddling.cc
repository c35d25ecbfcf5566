#include "sim/workloads/meddling.h"

#include "sim/checkers/queue_facts.h"

namespace muster::sim {

os::Task<void> remove_some_pod(World* world, User* user, Prng* random) {
    const auto pods = world->history.all<Pod>();
    if (pods.empty()) co_return;
    const Pod& pod = *pods[random->below(pods.size())];
    client::Removal removal(pod.metadata.uid);
    if (random->chance(1, 3)) removal.grace_seconds = random->between(0, 2);
    world->user_removes(pod.metadata.uid);
    const client::ObjectName name = client::name_of(pod);
    co_await user->remove<Pod>(name, std::move(removal));
}

os::Task<void> change_group_size(User* user, client::ObjectName pod, int size) {
    std::function<bool(Pod&)> edit = [size](Pod& draft) {
        draft.metadata.annotations.set("kueue.x-k8s.io/pod-group-total-count", std::to_string(size));
        return is_gated(draft);
    };
    (void)co_await user->change<Pod>(pod, std::move(edit));
}

}  // namespace muster::sim
