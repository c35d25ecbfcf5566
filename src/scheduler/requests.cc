#include "scheduler/requests.h"

#include <algorithm>

namespace muster::scheduler {
namespace {

using api::core::Container;
using api::core::PodSpec;

constexpr std::int64_t kScoredCpu = 100;
constexpr std::int64_t kScoredMemory = 200 << 20;

std::int64_t& slot_of(Amounts& amounts, const Text& name) {
    const auto before = [](const auto& entry, const Text& wanted) { return entry.first.view() < wanted.view(); };
    auto at = std::lower_bound(amounts.others.begin(), amounts.others.end(), name, before);
    if (at == amounts.others.end() || !(at->first == name)) at = amounts.others.insert(at, {name, 0});
    return at->second;
}

void set_amount(Amounts& amounts, const Text& name, const api::Quantity& quantity) {
    if (name == "cpu")
        amounts.cpu = quantity.milli_value();
    else if (name == "memory")
        amounts.memory = quantity.value();
    else if (name == "ephemeral-storage")
        amounts.storage = quantity.value();
    else if (!(name == "pods"))
        slot_of(amounts, name) = quantity.value();
}

Amounts container_requests(const Container& container, bool for_score) {
    Amounts amounts = amounts_of(container.resources.requests);
    if (!for_score) return amounts;
    if (!container.resources.requests.contains("cpu")) amounts.cpu = kScoredCpu;
    if (!container.resources.requests.contains("memory")) amounts.memory = kScoredMemory;
    return amounts;
}

bool is_sidecar(const Container& container) {
    return container.restart_policy && *container.restart_policy == "Always";
}

Amounts sum_requests(const PodSpec& spec, bool for_score) {
    Amounts sidecars;
    Amounts starting;  // the most that an init container needs
    for (const Container& container : spec.init_containers) {
        Amounts own = container_requests(container, for_score);
        if (is_sidecar(container)) {
            sidecars += own;
            starting.raise_to(sidecars);
        } else {
            own += sidecars;
            starting.raise_to(own);
        }
    }
    Amounts running = std::move(sidecars);
    for (const Container& container : spec.containers) running += container_requests(container, for_score);
    running.raise_to(starting);
    if (spec.resources)
        for (const auto& [name, quantity] : spec.resources->requests) set_amount(running, name, quantity);
    running += amounts_of(spec.overhead);
    return running;
}

}  // namespace

std::int64_t Amounts::other(const Text& name) const {
    for (const auto& [known, amount] : others)
        if (known == name) return amount;
    return 0;
}

Amounts& Amounts::operator+=(const Amounts& more) {
    cpu += more.cpu;
    memory += more.memory;
    storage += more.storage;
    for (const auto& [name, amount] : more.others) slot_of(*this, name) += amount;
    return *this;
}

Amounts& Amounts::operator-=(const Amounts& less) {
    cpu -= less.cpu;
    memory -= less.memory;
    storage -= less.storage;
    for (const auto& [name, amount] : less.others) slot_of(*this, name) -= amount;
    return *this;
}

void Amounts::raise_to(const Amounts& least) {
    cpu = std::max(cpu, least.cpu);
    memory = std::max(memory, least.memory);
    storage = std::max(storage, least.storage);
    for (const auto& [name, amount] : least.others) {
        std::int64_t& own = slot_of(*this, name);
        own = std::max(own, amount);
    }
}

Amounts amounts_of(const Map<api::Quantity>& resources) {
    Amounts amounts;
    for (const auto& [name, quantity] : resources) set_amount(amounts, name, quantity);
    return amounts;
}

Amounts pod_requests(const PodSpec& spec) { return sum_requests(spec, false); }
Amounts pod_requests_for_score(const PodSpec& spec) { return sum_requests(spec, true); }

}  // namespace muster::scheduler
