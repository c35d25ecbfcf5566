// Maps and sets by RunKey. A run is found by its pod first, and the runs of one pod are found together.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "node/runtime/runs.h"

namespace muster::node {

// The same for all runs of a pod: they are in one bucket, and few.
struct HashOfPod {
    std::size_t operator()(const RunKey& key) const { return std::hash<Text>()(key.pod_uid); }
};
template <class Value>
using RunMap = std::unordered_map<RunKey, Value, HashOfPod>;
using RunSet = std::unordered_set<RunKey, HashOfPod>;

inline const RunKey& run_key_of(const RunKey& key) { return key; }
template <class Value>
const RunKey& run_key_of(const std::pair<const RunKey, Value>& entry) {
    return entry.first;
}

// In order.
template <class Runs>
std::vector<RunKey> runs_of(const Runs& runs, const Text& pod_uid) {
    std::vector<RunKey> keys;
    if (runs.empty()) return keys;
    const std::size_t bucket = runs.bucket({pod_uid, {}, 0});
    for (auto each = runs.begin(bucket); each != runs.end(bucket); ++each)
        if (run_key_of(*each).pod_uid == pod_uid) keys.push_back(run_key_of(*each));
    std::sort(keys.begin(), keys.end());
    return keys;
}

// All entries in order.
template <class Value>
std::vector<const std::pair<const RunKey, Value>*> in_order(const RunMap<Value>& runs) {
    std::vector<const std::pair<const RunKey, Value>*> all;
    all.reserve(runs.size());
    for (const auto& entry : runs) all.push_back(&entry);
    std::sort(all.begin(), all.end(), [](const auto* left, const auto* right) { return left->first < right->first; });
    return all;
}

// Whether there were any.
template <class Runs>
bool erase_runs_of(Runs& runs, const Text& pod_uid) {
    const std::vector<RunKey> keys = runs_of(runs, pod_uid);
    for (const RunKey& key : keys) runs.erase(key);
    return !keys.empty();
}

}  // namespace muster::node
