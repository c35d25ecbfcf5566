#include "controllers/queue/admission/engine/requests.h"

#include <algorithm>

#include "api/defaults/limit_range.h"
#include "api/defaults/pod_containers.h"
#include "api/defaults/pod_resources.h"
#include "api/limits/limit_range.h"

namespace muster::controllers::queue {
namespace {

using api::Quantity;
using api::core::Container;
using api::core::LimitRange;
using api::core::PodSpec;

void add_amounts(PodAmounts& sum, const PodAmounts& more) {
    for (const auto& [name, amount] : more) sum[name] = plus(sum[name], amount);
}
void raise_amounts(PodAmounts& to, const PodAmounts& least) {
    for (const auto& [name, amount] : least) to[name] = std::max(to[name], amount);
}

PodAmounts amounts_of(const Map<Quantity>& quantities) {
    PodAmounts out;
    for (const auto& [name, quantity] : quantities) out[name] = amount_of(name, quantity);
    return out;
}

void request_limits(Container& container) {
    for (const auto& [name, quantity] : container.resources.limits)
        if (!container.resources.requests.contains(name)) container.resources.requests.set(name, quantity);
}

// One that an earlier version of the server stored may lack its defaults.
LimitRange with_defaults(LimitRange range) {
    api::default_limit_range(range);
    return range;
}

// The pod as admission would make it: a container requests its limit where it states no request, and gets the
// namespace's defaults where it states neither.
PodSpec as_created(PodSpec spec, const LimitRanges& ranges) {
    api::change_each(spec.containers, request_limits);
    api::change_each(spec.init_containers, request_limits);
    for (const auto& range : ranges) api::fill_limit_range(with_defaults(*range), spec);
    return spec;
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

PodAmounts pod_amounts(const PodSpec& stated, const PodRules& rules) {
    const PodSpec spec = as_created(stated, rules.ranges);
    PodAmounts sidecars;
    PodAmounts starting;
    for (const Container& container : spec.init_containers) {
        PodAmounts own = amounts_of(container.resources.requests);
        if (is_sidecar_container(container)) {
            add_amounts(sidecars, own);
            raise_amounts(starting, sidecars);
        } else {
            add_amounts(own, sidecars);
            raise_amounts(starting, own);
        }
    }
    PodAmounts running = std::move(sidecars);
    for (const Container& container : spec.containers) add_amounts(running, amounts_of(container.resources.requests));
    raise_amounts(running, starting);
    for (const auto& [name, quantity] : api::pod_level_requests(spec)) running[name] = amount_of(name, quantity);
    for (const auto& [name, quantity] : overhead_of(spec, rules))
        running[name] = plus(running[name], amount_of(name, quantity));
    // The server refuses negative requests, but objects may come from elsewhere.
    for (auto& [name, amount] : running) amount = std::max<Amount>(0, amount);
    return running;
}

std::string check_limits(const PodSpec& stated, const PodRules& rules) {
    if (stated.runtime_class_name && rules.find_runtime_class && !rules.find_runtime_class(*stated.runtime_class_name))
        return "RuntimeClass " + stated.runtime_class_name->str() + " does not exist";
    const PodSpec spec = as_created(stated, rules.ranges);
    for (const auto& range : rules.ranges)
        if (const auto reasons = api::check_limit_range(with_defaults(*range), spec); !reasons.empty())
            return api::join_reasons(reasons);
    for (const auto* containers : {&spec.init_containers, &spec.containers})
        for (const Container& container : *containers)
            if (const std::string over = first_over_limit(container.resources); !over.empty())
                return "container " + container.name.str() + " requests more " + over + " than its limit";
    if (spec.resources)
        if (const std::string over = first_over_limit(*spec.resources); !over.empty())
            return "the pod as a whole requests more " + over + " than its limit";
    return {};
}

}  // namespace muster::controllers::queue
