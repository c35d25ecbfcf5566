#include "scheduler/why.h"

#include <algorithm>

#include "base/check.h"

namespace muster::scheduler {

std::string format_reason(Reason reason, const Text& resource) {
    switch (reason) {
        case Reason::kNone: break;
        case Reason::kUnschedulable: return "node(s) were unschedulable";
        case Reason::kTaint: return "node(s) had untolerated taint(s)";
        case Reason::kNodeAffinity: return "node(s) didn't match Pod's node affinity/selector";
        case Reason::kHostPorts: return "node(s) didn't have free ports for the requested pod ports";
        case Reason::kTooManyPods: return "Too many pods";
        case Reason::kCpu: return "Insufficient cpu";
        case Reason::kMemory: return "Insufficient memory";
        case Reason::kStorage: return "Insufficient ephemeral-storage";
        case Reason::kOtherResource: return "Insufficient " + resource.str();
        case Reason::kSpread: return "node(s) didn't match pod topology spread constraints";
        case Reason::kSpreadLabel:
            return "node(s) didn't match pod topology spread constraints (missing required label)";
        case Reason::kPodAffinity: return "node(s) didn't match pod affinity rules";
        case Reason::kPodAntiAffinity: return "node(s) didn't match pod anti-affinity rules";
        case Reason::kExistingAntiAffinity: return "node(s) didn't satisfy existing pods anti-affinity rules";
    }
    CHECK(false, "no reason");
    return {};
}

unsigned wakes_of(Reason reason) {
    switch (reason) {
        case Reason::kNone: return 0;
        case Reason::kUnschedulable:
        case Reason::kTaint:
        case Reason::kNodeAffinity:
        case Reason::kSpreadLabel: return kWakeOnNodes;
        case Reason::kHostPorts:
        case Reason::kTooManyPods:
        case Reason::kCpu:
        case Reason::kMemory:
        case Reason::kStorage:
        case Reason::kOtherResource: return kWakeOnNodes | kWakeOnRoom;
        case Reason::kPodAffinity: return kWakeOnNodes | kWakeOnPlacement;
        case Reason::kSpread:
        case Reason::kPodAntiAffinity:
        case Reason::kExistingAntiAffinity: break;
    }
    return kWakeOnNodes | kWakeOnRoom | kWakeOnPlacement;
}

void ReasonCount::add(const Refused& refused) {
    for (const auto& [reason, resource] : refused.reasons) {
        ++counts_[format_reason(reason, resource)];
        wakes_ |= wakes_of(reason);
    }
}

std::string ReasonCount::format(std::size_t nodes) const {
    if (nodes == 0) return "no nodes available to schedule pods";
    std::vector<std::string> parts;
    for (const auto& [reason, count] : counts_) parts.push_back(std::to_string(count) + " " + reason);
    std::sort(parts.begin(), parts.end());
    std::string text = "0/" + std::to_string(nodes) + " nodes are available:";
    for (const std::string& part : parts) text.append(&part == parts.data() ? " " : ", ").append(part);
    return text + ".";
}

}  // namespace muster::scheduler
