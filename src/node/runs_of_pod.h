// The runs of one pod in a map or a set by RunKey, where they stand beside each other.
#pragma once

#include <utility>

#include "node/runtime.h"

namespace muster::node {

inline const RunKey& run_key_of(const RunKey& key) { return key; }
template <class Value>
const RunKey& run_key_of(const std::pair<const RunKey, Value>& entry) {
    return entry.first;
}

// The first of them and the one after the last.
template <class Runs>
auto runs_of(Runs& runs, const Text& pod_uid) {
    const auto first = runs.lower_bound({pod_uid, {}, 0});
    auto last = first;
    while (last != runs.end() && run_key_of(*last).pod_uid == pod_uid) ++last;
    return std::pair(first, last);
}

// Whether there were any.
template <class Runs>
bool erase_runs_of(Runs& runs, const Text& pod_uid) {
    const auto [first, last] = runs_of(runs, pod_uid);
    const bool any = first != last;
    runs.erase(first, last);
    return any;
}

}  // namespace muster::node
