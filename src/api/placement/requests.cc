#include "api/placement/requests.h"

#include <algorithm>

#include "base/saturate.h"

namespace muster::api {
namespace {

using core::Container;
using core::PodSpec;

constexpr std::int64_t kScoredCpu = 100;
constexpr std::int64_t kScoredMemory = 200 << 20;
constexpr std::int64_t kAmountMax = std::int64_t{1} << 52;

// Sums are never below zero, so that a difference of two does not overflow.
void add_to(std::int64_t& sum, std::int64_t more) { sum = add_sat(sum, more); }
void take_from(std::int64_t& sum, std::int64_t less) { sum = std::max(sub_sat(sum, less), std::int64_t{0}); }

std::int64_t& slot_of(Amounts& amounts, const Text& name) {
    const auto before = [](const auto& entry, const Text& wanted) { return entry.first.view() < wanted.view(); };
    auto at = std::lower_bound(amounts.others.begin(), amounts.others.end(), name, before);
    if (at == amounts.others.end() || !(at->first == name)) at = amounts.others.insert(at, {name, 0});
    return at->second;
}

void set_amount(Amounts& amounts, const Text& name, const Quantity& quantity) {
    const std::int64_t amount =
        std::clamp<std::int64_t>(name == "cpu" ? quantity.milli_value() : quantity.value(), 0, kAmountMax);
    if (name == "cpu")
        amounts.cpu = amount;
    else if (name == "memory")
        amounts.memory = amount;
    else if (name == "ephemeral-storage")
        amounts.storage = amount;
    else if (!(name == "pods"))
        slot_of(amounts, name) = amount;
}

Amounts placed_requests(const Container& container, bool for_score) {
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
        Amounts own = placed_requests(container, for_score);
        if (is_sidecar(container)) {
            sidecars += own;
            starting.raise_to(sidecars);
        } else {
            own += sidecars;
            starting.raise_to(own);
        }
    }
    Amounts running = std::move(sidecars);
    for (const Container& container : spec.containers) running += placed_requests(container, for_score);
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
    add_to(cpu, more.cpu);
    add_to(memory, more.memory);
    add_to(storage, more.storage);
    for (const auto& [name, amount] : more.others) add_to(slot_of(*this, name), amount);
    return *this;
}

Amounts& Amounts::operator-=(const Amounts& less) {
    take_from(cpu, less.cpu);
    take_from(memory, less.memory);
    take_from(storage, less.storage);
    for (const auto& [name, amount] : less.others) take_from(slot_of(*this, name), amount);
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

std::vector<Shortage> find_shortages(const Amounts& wanted, const Amounts& used, const Amounts& offered) {
    std::vector<Shortage> found;
    const auto check = [&](const Text& name, std::int64_t asked, std::int64_t taken, std::int64_t there) {
        if (asked > 0 && asked > there - taken) found.push_back({name, asked, taken, there});
    };
    check("cpu", wanted.cpu, used.cpu, offered.cpu);
    check("memory", wanted.memory, used.memory, offered.memory);
    check("ephemeral-storage", wanted.storage, used.storage, offered.storage);
    for (const auto& [name, amount] : wanted.others) check(name, amount, used.other(name), offered.other(name));
    return found;
}

Amounts amounts_of(const Map<Quantity>& resources) {
    Amounts amounts;
    for (const auto& [name, quantity] : resources) set_amount(amounts, name, quantity);
    return amounts;
}

Amounts pod_requests(const PodSpec& spec) { return sum_requests(spec, false); }
Amounts pod_requests_for_score(const PodSpec& spec) { return sum_requests(spec, true); }

}  // namespace muster::api
