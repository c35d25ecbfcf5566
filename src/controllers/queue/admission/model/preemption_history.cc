#include "controllers/queue/admission/model/preemption_history.h"

#include <vector>

#include "base/check.h"

namespace muster::controllers::queue {

void PreemptionHistory::note_preemption(NodeId tree, ItemId preemptor, ItemId victim, Instant at) {
    CHECK(preemptor != victim, "a workload that preempts itself");
    std::vector<ItemId> past;
    for (const auto& [earlier, preemption] : by_victim_[victim])
        if (!counts(preemption, at)) past.push_back(earlier);
    for (const ItemId earlier : past) drop(earlier, victim);
    const std::uint64_t change = changes_.try_emplace(tree, 0).first->second;
    by_victim_[victim][preemptor] = {at, tree, change};
    victims_[preemptor].insert(victim);
}

void PreemptionHistory::note_change(NodeId tree) {
    const auto found = changes_.find(tree);
    if (found != changes_.end()) ++found->second;
}

void PreemptionHistory::drop(ItemId preemptor, ItemId victim) {
    const auto preemptors = by_victim_.find(victim);
    const auto victims = victims_.find(preemptor);
    CHECK(preemptors != by_victim_.end() && victims != victims_.end(), "a preemption that one side does not know");
    preemptors->second.erase(preemptor);
    if (preemptors->second.empty()) by_victim_.erase(preemptors);
    victims->second.erase(victim);
    if (victims->second.empty()) victims_.erase(victims);
}

void PreemptionHistory::forget(ItemId item) {
    for (auto found = victims_.find(item); found != victims_.end(); found = victims_.find(item))
        drop(item, *found->second.begin());
    for (auto found = by_victim_.find(item); found != by_victim_.end(); found = by_victim_.find(item))
        drop(found->second.begin()->first, item);
}

void PreemptionHistory::forget_all() { *this = PreemptionHistory{}; }

Preemptors PreemptionHistory::find_preemptors(ItemId victim, Instant now) const {
    Preemptors out;
    std::vector<ItemId> left{victim};
    while (!left.empty()) {
        const auto found = by_victim_.find(left.back());
        left.pop_back();
        if (found == by_victim_.end()) continue;
        for (const auto& [preemptor, preemption] : found->second) {
            if (!counts(preemption, now)) continue;
            if (!is_unchanged_since(preemption) && (!out.until || preemption.at + kAtLeast < *out.until))
                out.until = preemption.at + kAtLeast;
            if (out.items.insert(preemptor).second) left.push_back(preemptor);
        }
    }
    return out;
}

std::size_t PreemptionHistory::size() const {
    std::size_t out = 0;
    for (const auto& [victim, preemptors] : by_victim_) out += preemptors.size();
    return out;
}

}  // namespace muster::controllers::queue
