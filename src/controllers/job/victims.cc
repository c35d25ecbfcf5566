#include "controllers/job/victims.h"

#include <algorithm>

#include "controllers/job/pods/pod_rank.h"
#include "controllers/job/survey.h"

namespace muster::controllers::jobs {

namespace {

bool is_useless(const Survey& survey, const PodState& state) {
    return state.index == kNoIndex || survey.completed.contains(state.index) ||
           survey.failed_indexes.contains(state.index);
}

// Moves all but the best of each index from `left` to `victims`.
void take_duplicates(const Survey& survey, std::vector<std::size_t>& left, std::vector<std::size_t>& victims) {
    const auto with_index = std::count_if(survey.pods.begin(), survey.pods.end(), [](const PodState& state) {
        return state.active && state.index != kNoIndex;
    });
    if (with_index == survey.active_indexes.size()) return;  // none is there twice
    const auto index_at = [&survey](std::size_t place) { return survey.pods[place].index; };
    std::stable_sort(left.begin(), left.end(), [&](std::size_t a, std::size_t b) { return index_at(a) < index_at(b); });
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < left.size();) {
        std::vector<RankedPod> same;
        for (const std::size_t first = i; i < left.size() && index_at(left[i]) == index_at(left[first]); ++i)
            same.push_back({survey.pods[left[i]].pod, left[i]});
        if (same.size() > 1) rank_for_removal(same);
        for (std::size_t j = 0; j + 1 < same.size(); ++j) victims.push_back(same[j].place);
        kept.push_back(same.back().place);
    }
    std::sort(kept.begin(), kept.end());
    left = std::move(kept);
}

}  // namespace

std::vector<std::size_t> find_victims(const Survey& survey, std::size_t excess) {
    std::vector<std::size_t> victims;
    if (!survey.indexed && excess == 0) return victims;
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < survey.pods.size(); ++i) {
        if (!survey.pods[i].active) continue;
        const bool useless = survey.indexed && is_useless(survey, survey.pods[i]);
        (useless ? victims : left).push_back(i);
    }
    if (survey.indexed) take_duplicates(survey, left, victims);
    if (victims.size() >= excess) return victims;
    std::vector<RankedPod> ranked;
    for (const std::size_t place : left) ranked.push_back({survey.pods[place].pod, place});
    rank_for_removal(ranked);
    for (std::size_t i = 0; i < ranked.size() && victims.size() < excess; ++i) victims.push_back(ranked[i].place);
    return victims;
}

}  // namespace muster::controllers::jobs
