#include "scheduler/room.h"

#include <algorithm>

#include "base/saturate.h"

namespace muster::scheduler {
namespace {

// What would be used of what there is, 0 to kScoreMax.
std::int64_t used_share(std::int64_t used, std::int64_t offered) {
    if (offered <= 0) return kScoreMax;
    const double share = static_cast<double>(used) / static_cast<double>(offered);
    return static_cast<std::int64_t>(std::clamp(share, 0.0, 1.0) * kScoreMax);
}

Reason reason_of(const Text& resource) {
    if (resource == "cpu") return Reason::kCpu;
    if (resource == "memory") return Reason::kMemory;
    return resource == "ephemeral-storage" ? Reason::kStorage : Reason::kOtherResource;
}

}  // namespace

Room::Room(const NodeInfo& of)
    : node(&of),
      requested(of.requested),
      scored_cpu(of.scored_cpu),
      scored_memory(of.scored_memory),
      pods(static_cast<std::int64_t>(of.pods.size())),
      host_ports(of.host_ports) {}

void Room::add(const PodShape& shape) {
    requested += shape.requests;
    scored_cpu = add_sat(scored_cpu, shape.scored_cpu);
    scored_memory = add_sat(scored_memory, shape.scored_memory);
    ++pods;
    for (const HostPort& port : shape.host_ports) host_ports.push_back(port);
    ++version;
}

void Room::remove(const PodShape& shape) {
    requested -= shape.requests;
    scored_cpu = sub_sat(scored_cpu, shape.scored_cpu);
    scored_memory = sub_sat(scored_memory, shape.scored_memory);
    --pods;
    for (const HostPort& port : shape.host_ports) {
        const auto found = std::find(host_ports.begin(), host_ports.end(), port);
        if (found != host_ports.end()) host_ports.erase(found);
    }
    ++version;
}

bool fits(const Room& room, const PodShape& shape) {
    const Amounts& offered = room.node->allocatable;
    const Amounts& wanted = shape.requests;
    if (room.pods + 1 > room.node->pods_max) return false;
    if (wanted.cpu > 0 && wanted.cpu > offered.cpu - room.requested.cpu) return false;
    if (wanted.memory > 0 && wanted.memory > offered.memory - room.requested.memory) return false;
    if (wanted.storage > 0 && wanted.storage > offered.storage - room.requested.storage) return false;
    for (const auto& [name, amount] : wanted.others)
        if (amount > 0 && amount > offered.other(name) - room.requested.other(name)) return false;
    return !api::any_conflict(shape.host_ports, room.host_ports);
}

Refused check_room(const Room& room, const PodShape& shape) {
    Refused refused;
    if (api::any_conflict(shape.host_ports, room.host_ports)) {
        refused.reasons.emplace_back(Reason::kHostPorts, Text());
        return refused;
    }
    if (room.pods + 1 > room.node->pods_max) refused.reasons.emplace_back(Reason::kTooManyPods, Text());
    for (const api::Shortage& each : api::find_shortages(shape.requests, room.requested, room.node->allocatable)) {
        const Reason reason = reason_of(each.resource);
        refused.reasons.emplace_back(reason, reason == Reason::kOtherResource ? each.resource : Text());
        if (each.wanted > each.offered) refused.preemption_may_help = false;
    }
    return refused;
}

std::int64_t score_room(const Room& room, const PodShape& shape) {
    const std::int64_t cpu = used_share(add_sat(room.scored_cpu, shape.scored_cpu), room.node->allocatable.cpu);
    const std::int64_t memory =
        used_share(add_sat(room.scored_memory, shape.scored_memory), room.node->allocatable.memory);
    const std::int64_t free = kScoreMax - (cpu + memory) / 2;
    const std::int64_t balance = kScoreMax - std::abs(cpu - memory) / 2;
    return free + balance;
}

}  // namespace muster::scheduler
