#include "node/sandbox/limits.h"

namespace muster::node {
namespace {

std::optional<std::int64_t> amount_of(const Map<api::Quantity>& amounts, const char* resource, bool milli) {
    const api::Quantity* found = amounts.find(resource);
    if (!found || found->sign() <= 0) return {};
    return milli ? found->milli_value() : found->value();
}

}  // namespace

os::CgroupLimits limits_of(const api::core::ResourceRequirements& resources) {
    os::CgroupLimits limits;
    limits.memory_bytes = amount_of(resources.limits, "memory", false);
    limits.cpu_milli = amount_of(resources.limits, "cpu", true);
    if (!limits.empty()) limits.cpu_requested = amount_of(resources.requests, "cpu", true);
    return limits;
}

}  // namespace muster::node
