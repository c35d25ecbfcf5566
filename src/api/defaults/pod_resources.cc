#include "api/defaults/pod_resources.h"

namespace muster::api {
namespace {

void add(Map<Quantity>& sum, const Map<Quantity>& more) {
    for (const auto& [name, quantity] : more) sum.edit(name) += quantity;
}

void raise(Map<Quantity>& to, const Map<Quantity>& from) {
    for (const auto& [name, quantity] : from) {
        const Quantity* found = to.find(name);
        if (!found || *found < quantity) to.set(name, quantity);
    }
}

template <class AmountsOf>
Map<Quantity> at_one_moment(const core::PodSpec& spec, const AmountsOf& amounts_of) {
    Map<Quantity> running;
    Map<Quantity> sidecars;
    Map<Quantity> starting;
    for (const core::Container& container : spec.containers) add(running, amounts_of(container.resources));
    for (const core::Container& container : spec.init_containers) {
        Map<Quantity> now = amounts_of(container.resources);
        if (container.restart_policy && *container.restart_policy == "Always") {
            add(running, now);
            add(sidecars, now);
            now = sidecars;
        } else {
            add(now, sidecars);
        }
        raise(starting, now);
    }
    raise(running, starting);
    return running;
}

Map<Quantity> requests_or_limits(const core::ResourceRequirements& resources) {
    Map<Quantity> amounts = resources.requests;
    for (const auto& [name, limit] : resources.limits)
        if (!amounts.contains(name)) amounts.set(name, limit);
    return amounts;
}

// cpu and memory of one side, requests or limits, summed over what was given.
struct Compute {
    Quantity cpu;
    Quantity memory;

    // Gives false when not both are there.
    bool add(const Map<Quantity>& more) {
        const Quantity* more_cpu = positive(more, "cpu");
        const Quantity* more_memory = positive(more, "memory");
        if (more_cpu) cpu += *more_cpu;
        if (more_memory) memory += *more_memory;
        return more_cpu && more_memory;
    }
    bool nothing() const { return cpu.is_zero() && memory.is_zero(); }

private:
    static const Quantity* positive(const Map<Quantity>& resources, std::string_view name) {
        const Quantity* found = resources.find(name);
        return found && found->sign() > 0 ? found : nullptr;
    }
};

}  // namespace

Map<Quantity> container_requests(const core::PodSpec& spec) {
    return at_one_moment(spec, [](const core::ResourceRequirements& it) { return it.requests; });
}

Map<Quantity> container_limits(const core::PodSpec& spec) {
    return at_one_moment(spec, [](const core::ResourceRequirements& it) { return it.limits; });
}

Map<Quantity> pod_level_requests(const core::PodSpec& spec) {
    if (!spec.resources) return {};
    Map<Quantity> own = spec.resources->requests;
    if (spec.resources->limits.empty()) return own;
    for (const auto& [name, sum] : at_one_moment(spec, requests_or_limits))
        if ((name == "cpu" || name == "memory") && !own.contains(name)) own.set(name, sum);
    for (const auto& [name, limit] : spec.resources->limits)
        if (is_pod_level_resource(name) && !own.contains(name)) own.set(name, limit);
    return own;
}

const char* name_of(QosClass qos) {
    switch (qos) {
        case QosClass::kGuaranteed: return "Guaranteed";
        case QosClass::kBurstable: return "Burstable";
        case QosClass::kBestEffort: return "BestEffort";
    }
    return "";
}

QosClass qos_class(const core::PodSpec& spec) {
    Compute requests;
    Compute limits;
    bool all_limited = true;
    if (spec.resources) {
        requests.add(spec.resources->requests);
        if (!spec.resources->limits.empty()) all_limited = limits.add(spec.resources->limits);
    } else {
        for (const List<core::Container>* list : {&spec.containers, &spec.init_containers}) {
            for (const core::Container& container : *list) {
                requests.add(container.resources.requests);
                all_limited &= limits.add(container.resources.limits);
            }
        }
    }
    if (requests.nothing() && limits.nothing()) return QosClass::kBestEffort;
    const bool guaranteed = all_limited && requests.cpu == limits.cpu && requests.memory == limits.memory;
    return guaranteed ? QosClass::kGuaranteed : QosClass::kBurstable;
}

}  // namespace muster::api
