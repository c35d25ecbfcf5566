#include "controllers/queue/workload/lookups.h"

namespace muster::controllers {

Lookups::Lookups(os::Loop& loop, client::Client& client)
    : flavors_(loop, client), classes_(loop, client), pod_classes_(loop, client) {
    find_flavor_ = [this](const Text& name) { return flavors_.get({Text(), name}).get(); };
    find_priority_ = [this](const Text& name) -> std::optional<std::int32_t> {
        const auto found = classes_.get({Text(), name});
        return found ? std::optional(found->value) : std::nullopt;
    };
    find_pod_priority_ = [this](const Text& name) { return pod_priority(name); };
}

// As the server does for a pod: of several defaults, which only a race can make, the lowest.
std::optional<PodPriority> Lookups::pod_priority(const Text& name) const {
    client::Ref<api::scheduling::PriorityClass> found;
    if (!name.empty()) {
        found = pod_classes_.get({Text(), name});
        if (!found) return std::nullopt;
    } else {
        for (const auto& candidate : pod_classes_.all())
            if (candidate->global_default && (!found || candidate->value < found->value)) found = candidate;
    }
    PodPriority priority;
    if (found) priority = {found->metadata.name, found->value};
    return priority;
}

void Lookups::start() {
    flavors_.start();
    classes_.start();
    pod_classes_.start();
}

os::Task<void> Lookups::wait_synced() {
    co_await flavors_.wait_synced();
    co_await classes_.wait_synced();
    co_await pod_classes_.wait_synced();
}

}  // namespace muster::controllers
