#include "node/pods/storage_limits.h"

#include <algorithm>

#include "node/pods/restart.h"

namespace muster::node {
namespace {

using api::core::Container;
using api::core::Pod;
using api::core::Volume;

constexpr const char* kStorage = "ephemeral-storage";

const api::Quantity* storage_limit(const Container& container) { return container.resources.limits.find(kStorage); }

// Of all together: containers and sidecars at once, or one init container alone. Those without a limit add none.
std::optional<api::Quantity> pod_limit(const Pod& pod) {
    if (!has_ephemeral_limit(pod)) return {};
    api::Quantity sum = api::Quantity::from_int(0, api::Quantity::Format::kBinarySI);
    api::Quantity most = sum;
    for (const Container& container : pod.spec.containers)
        if (const auto* limit = storage_limit(container)) sum = sum + *limit;
    for (const Container& container : pod.spec.init_containers) {
        const auto* limit = storage_limit(container);
        if (!limit) continue;
        if (is_sidecar(container))
            sum = sum + *limit;
        else if (most < *limit)
            most = *limit;
    }
    return std::max(sum, most);
}

bool exceeds(std::uint64_t used, const api::Quantity& limit) {
    return limit.value() >= 0 && used > static_cast<std::uint64_t>(limit.value());
}

std::string quoted(const std::string& text) { return '"' + text + '"'; }

}  // namespace

std::optional<std::uint64_t> measured_limit(const Volume& volume, bool as_root) {
    const auto& source = volume.source.empty_dir;
    if (!source || !source->size_limit || source->size_limit->value() <= 0) return {};
    // Root mounts memory with its limit.
    if (as_root && source->medium == "Memory") return {};
    return static_cast<std::uint64_t>(source->size_limit->value());
}

bool has_ephemeral_limit(const Pod& pod) {
    for (const auto* list : {&pod.spec.containers, &pod.spec.init_containers})
        for (const Container& container : *list)
            if (storage_limit(container)) return true;
    return false;
}

bool has_storage_limits(const Pod& pod, bool as_root) {
    const auto limited = [&](const Volume& volume) { return measured_limit(volume, as_root).has_value(); };
    return std::any_of(pod.spec.volumes.begin(), pod.spec.volumes.end(), limited) || has_ephemeral_limit(pod);
}

std::optional<std::string> find_excess(const Pod& pod, const StorageUse& use) {
    for (const Volume& volume : pod.spec.volumes) {
        const auto limit = measured_limit(volume, false);
        const auto used = use.volumes.find(volume.name);
        if (limit && used != use.volumes.end() && used->second > *limit)
            return "Usage of EmptyDir volume " + quoted(volume.name.str()) + " exceeds the limit " +
                   quoted(volume.source.empty_dir->size_limit->text()) + ". ";
    }
    if (const auto limit = pod_limit(pod); limit && exceeds(use.pod, *limit))
        return "Pod ephemeral local storage usage exceeds the total limit of containers " + limit->text() + ". ";
    for (const Container& container : pod.spec.containers) {
        const auto* limit = storage_limit(container);
        const auto used = use.containers.find(container.name);
        if (limit && limit->value() != 0 && used != use.containers.end() && exceeds(used->second, *limit))
            return "Container " + container.name.str() + " exceeded its local ephemeral storage limit " +
                   quoted(limit->text()) + ". ";
    }
    return {};
}

}  // namespace muster::node
