// Why nodes refuse a pod, and the sentence that says so in the words that kubectl's users know.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"

namespace muster::scheduler {

enum class Reason : unsigned char {
    kNone,
    kUnschedulable,
    kTaint,
    kNodeAffinity,
    kHostPorts,
    kTooManyPods,
    kCpu,
    kMemory,
    kStorage,
    kOtherResource,  // which one is told beside it
    kSpread,
    kSpreadLabel,  // the node has no place among the topology's domains
    kPodAffinity,
    kPodAntiAffinity,
    kExistingAntiAffinity,
};
std::string format_reason(Reason reason, const Text& resource = {});

// What may make the pod fit later. A set of these.
enum WakeOn : unsigned {
    kWakeOnNodes = 1,      // a node comes or changes
    kWakeOnRoom = 2,       // a pod leaves its node
    kWakeOnPlacement = 4,  // a pod gets a node, or other labels
};
unsigned wakes_of(Reason reason);

// Why one node refuses. One rule may have several reasons: too little of several resources.
struct Refused {
    std::vector<std::pair<Reason, Text>> reasons;
    bool preemption_may_help = true;
    explicit operator bool() const { return !reasons.empty(); }
};

// How many nodes refuse for which reason.
class ReasonCount {
public:
    void add(const Refused& refused);
    void add(std::string reason) { ++counts_[std::move(reason)]; }
    unsigned wakes() const { return wakes_; }
    // "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s)."
    std::string format(std::size_t nodes) const;

private:
    std::map<std::string, std::size_t> counts_;
    unsigned wakes_ = 0;
};

}  // namespace muster::scheduler
