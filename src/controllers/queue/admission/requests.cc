#include "controllers/queue/admission/requests.h"

#include <algorithm>

#include "api/defaults/pod_resources.h"

namespace muster::controllers::queue {
namespace {

using api::Quantity;
using api::core::Container;
using api::core::LimitRangeItem;
using api::core::PodSpec;

void add_amounts(PodAmounts& sum, const PodAmounts& more) {
    for (const auto& [name, amount] : more) sum[name] = plus(sum[name], amount);
}
void raise_amounts(PodAmounts& to, const PodAmounts& least) {
    for (const auto& [name, amount] : least) to[name] = std::max(to[name], amount);
}

template <class Each>
void each_container_limit(const LimitRanges& ranges, std::string_view type, const Each& each) {
    for (const auto& range : ranges)
        for (const LimitRangeItem& item : range->spec.limits)
            if (item.type == type) each(item);
}

// As admission would fill them in: the request, else the limit, else the namespace's default request, else its default
// limit.
PodAmounts container_amounts(const Container& container, const LimitRanges& ranges) {
    PodAmounts out;
    each_container_limit(ranges, "Container", [&](const LimitRangeItem& item) {
        for (const auto& [name, quantity] : item.default_) out.try_emplace(name, amount_of(name, quantity));
    });
    each_container_limit(ranges, "Container", [&](const LimitRangeItem& item) {
        for (const auto& [name, quantity] : item.default_request) out[name] = amount_of(name, quantity);
    });
    for (const auto& [name, quantity] : container.resources.limits) out[name] = amount_of(name, quantity);
    for (const auto& [name, quantity] : container.resources.requests) out[name] = amount_of(name, quantity);
    return out;
}

bool is_sidecar_container(const Container& container) {
    return container.restart_policy && *container.restart_policy == "Always";
}

// The first resource of which more is requested than the limit; empty when there is none.
std::string first_over_limit(const api::core::ResourceRequirements& resources) {
    for (const auto& [name, quantity] : resources.requests) {
        const Quantity* limit = resources.limits.find(name);
        if (limit && *limit < quantity) return name.str();
    }
    return {};
}

std::string check_container(const Container& container, const LimitRanges& ranges) {
    if (const std::string over = first_over_limit(container.resources); !over.empty())
        return "container " + container.name.str() + " requests more " + over + " than its limit";
    std::string wrong;
    const PodAmounts amounts = container_amounts(container, ranges);
    each_container_limit(ranges, "Container", [&](const LimitRangeItem& item) {
        for (const auto& [name, most] : item.max) {
            const auto own = amounts.find(name);
            if (wrong.empty() && own != amounts.end() && own->second > amount_of(name, most))
                wrong = "container " + container.name.str() + " requests more " + name.str() + " than the " +
                        most.text() + " that the namespace's LimitRange allows";
        }
        for (const auto& [name, least] : item.min) {
            const auto own = amounts.find(name);
            if (wrong.empty() && own != amounts.end() && own->second < amount_of(name, least))
                wrong = "container " + container.name.str() + " requests less " + name.str() + " than the " +
                        least.text() + " that the namespace's LimitRange demands";
        }
    });
    return wrong;
}

// As admission would fill it in.
Map<Quantity> overhead_of(const PodSpec& spec, const PodRules& rules) {
    if (!spec.overhead.empty() || !spec.runtime_class_name || !rules.find_runtime_class) return spec.overhead;
    const auto found = rules.find_runtime_class(*spec.runtime_class_name);
    return found && found->overhead ? found->overhead->pod_fixed : Map<Quantity>();
}

}  // namespace

Amount amount_of(std::string_view resource, const Quantity& quantity) {
    return resource == "cpu" ? quantity.milli_value() : quantity.value();
}

PodAmounts pod_amounts(const PodSpec& spec, const PodRules& rules) {
    PodAmounts sidecars;
    PodAmounts starting;
    for (const Container& container : spec.init_containers) {
        PodAmounts own = container_amounts(container, rules.ranges);
        if (is_sidecar_container(container)) {
            add_amounts(sidecars, own);
            raise_amounts(starting, sidecars);
        } else {
            add_amounts(own, sidecars);
            raise_amounts(starting, own);
        }
    }
    PodAmounts running = std::move(sidecars);
    for (const Container& container : spec.containers) add_amounts(running, container_amounts(container, rules.ranges));
    raise_amounts(running, starting);
    for (const auto& [name, quantity] : api::pod_level_requests(spec)) running[name] = amount_of(name, quantity);
    for (const auto& [name, quantity] : overhead_of(spec, rules))
        running[name] = plus(running[name], amount_of(name, quantity));
    return running;
}

std::string check_limits(const PodSpec& spec, const PodRules& rules) {
    if (spec.runtime_class_name && rules.find_runtime_class && !rules.find_runtime_class(*spec.runtime_class_name))
        return "RuntimeClass " + spec.runtime_class_name->str() + " does not exist";
    for (const auto* containers : {&spec.init_containers, &spec.containers})
        for (const Container& container : *containers)
            if (std::string wrong = check_container(container, rules.ranges); !wrong.empty()) return wrong;
    if (spec.resources)
        if (const std::string over = first_over_limit(*spec.resources); !over.empty())
            return "the pod as a whole requests more " + over + " than its limit";
    std::string wrong;
    const PodAmounts amounts = pod_amounts(spec, rules);
    each_container_limit(rules.ranges, "Pod", [&](const LimitRangeItem& item) {
        for (const auto& [name, most] : item.max) {
            const auto own = amounts.find(name);
            if (wrong.empty() && own != amounts.end() && own->second > amount_of(name, most))
                wrong = "the pod requests more " + name.str() + " than the " + most.text() +
                        " that the namespace's LimitRange allows";
        }
        for (const auto& [name, least] : item.min) {
            const auto own = amounts.find(name);
            if (wrong.empty() && own != amounts.end() && own->second < amount_of(name, least))
                wrong = "the pod requests less " + name.str() + " than the " + least.text() +
                        " that the namespace's LimitRange demands";
        }
    });
    return wrong;
}

}  // namespace muster::controllers::queue
