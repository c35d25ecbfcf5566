// What pods ask for and nodes offer, as whole numbers: thousandths of a core, bytes, pieces. Adding and comparing them
// is what placing thousands of pods on thousands of nodes consists of, so nothing here is a Quantity any more. The
// scheduler asks, and the node before it takes a pod.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "api/kinds/core/pod.h"

namespace muster::api {

struct Amounts {
    std::int64_t cpu = 0;  // thousandths of a core
    std::int64_t memory = 0;
    std::int64_t storage = 0;                           // ephemeral-storage
    std::vector<std::pair<Text, std::int64_t>> others;  // extended resources and huge pages, by name

    std::int64_t other(const Text& name) const;
    Amounts& operator+=(const Amounts& more);
    Amounts& operator-=(const Amounts& less);
    // Of each the larger.
    void raise_to(const Amounts& least);
    bool operator==(const Amounts&) const = default;
};

// A resource of which a node has too little left.
struct Shortage {
    Text resource;  // "cpu", "memory", "ephemeral-storage" or the name of another
    std::int64_t wanted = 0;
    std::int64_t used = 0;
    std::int64_t offered = 0;
};
std::vector<Shortage> find_shortages(const Amounts& wanted, const Amounts& used, const Amounts& offered);

// A node's offer is without "pods", which is no amount that a pod asks for. An amount that no machine has counts as the
// largest that sums of many can hold.
Amounts amounts_of(const Map<Quantity>& resources);

// What a pod needs at its most demanding moment: all containers with the sidecars, or an init container with the
// sidecars started before it, and the overhead. A request of the pod as a whole stands for the sum.
Amounts pod_requests(const core::PodSpec& spec);

// The same for comparing nodes: a container that asks for nothing counts as one that asks for a little, so that such
// pods spread as well.
Amounts pod_requests_for_score(const core::PodSpec& spec);

}  // namespace muster::api
