#include "controllers/job/accounting.h"

#include <algorithm>
#include <unordered_map>

namespace muster::controllers::jobs {

using tally::Ending;

namespace {

class Accountant {
public:
    Accountant(const JobView& view, const Survey& survey, const std::vector<PodFate>& fates,
               const std::optional<EndState>& end)
        : view_(view), survey_(survey), fates_(fates), end_(end), accounts_{survey.count} {}

    Accounts run() {
        const std::vector<std::size_t> places = in_order();
        for (const std::size_t place : places) {
            if (accounts_.release.size() >= view_.limits.uncounted_max) break;
            account(place);
        }
        accounts_.more = accounts_.release.size() < places.size();
        // Indexes are all told of in this status, also those whose pods come in a later batch.
        for (const PodState& state : survey_.pods)
            if (survey_.indexed && is_new_success(survey_, state))
                accounts_.successes.push_back(finish_time_of(*state.pod));
        return std::move(accounts_);
    }

private:
    // Those first that have a name already: that makes room for others. Then lowest indexes, so that completed ones
    // stay few ranges; otherwise by name.
    std::vector<std::size_t> in_order() const {
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < survey_.pods.size(); ++i)
            if (may_release(i)) places.push_back(i);
        const auto key = [this](std::size_t place) {
            return std::pair(!survey_.pods[place].named, survey_.pods[place].index);
        };
        std::stable_sort(places.begin(), places.end(),
                         [&key](std::size_t a, std::size_t b) { return key(a) < key(b); });
        return places;
    }

    bool may_release(std::size_t place) const {
        const PodState& state = survey_.pods[place];
        if (!state.finalizer || fates_[place] == PodFate::kDismissed || fates_[place] == PodFate::kNotRemoved)
            return false;
        if (survey_.tracking != Tracking::kFinalizers || view_.job.metadata.deletion_timestamp) return true;
        if (state.active && fates_[place] == PodFate::kStays) return false;
        if (end_ || state.succeeded) return true;
        return state.failed && !is_waiting(place);
    }
    // The last failed pod of an index carries its number of failures until the next one has it.
    bool is_waiting(std::size_t place) const {
        const auto waiting = survey_.waiting.find(survey_.pods[place].index);
        return waiting != survey_.waiting.end() && waiting->second == place;
    }

    void account(std::size_t place) {
        const PodState& state = survey_.pods[place];
        const bool by_name = survey_.tracking == Tracking::kFinalizers && state.counts && !state.named;
        if (by_name && state.succeeded && !survey_.indexed) {
            if (!name(state, Ending::kSucceeded)) return;
            accounts_.successes.push_back(finish_time_of(*state.pod));
        } else if (by_name && !state.succeeded && (state.failed || (end_ && !end_->success))) {
            const FailureAction action = action_of(state);
            if (action != FailureAction::kIgnore && !name(state, Ending::kFailed)) return;
            if (action != FailureAction::kNoRule) ++accounts_.failure_actions[static_cast<std::size_t>(action)];
            if (state.failed) accounts_.failures.push_back(finish_time_of(*state.pod));
        }
        accounts_.release.push_back(view_.pods[place]);
    }

    // False when there is no room; the pod then waits for the next status.
    bool name(const PodState& state, Ending ending) {
        if (accounts_.count.uncounted() >= view_.limits.uncounted_max) return false;
        return accounts_.count.name(state.pod->metadata.uid, ending);
    }
    FailureAction action_of(const PodState& state) const {
        if (state.failed) return state.action;
        return match_failure_policy(view_.job.spec.pod_failure_policy.get(), *state.pod).action;
    }

    const JobView& view_;
    const Survey& survey_;
    const std::vector<PodFate>& fates_;
    const std::optional<EndState>& end_;
    Accounts accounts_;
};

}  // namespace

std::vector<PodFate> fates_of(const JobView& view, const PodsPlan& plan, const PodsOutcome& outcome) {
    CHECK(outcome.removed.size() == plan.remove.size());
    std::vector<PodFate> fates(view.pods.size(), PodFate::kStays);
    if (plan.remove.empty()) return fates;
    std::unordered_map<const api::core::Pod*, std::size_t> places;
    for (std::size_t i = 0; i < view.pods.size(); ++i) places.emplace(view.pods[i].get(), i);
    for (std::size_t i = 0; i < plan.remove.size(); ++i) {
        const auto place = places.find(plan.remove[i].pod.get());
        CHECK(place != places.end(), "the plan is of another view");
        fates[place->second] = !outcome.removed[i]            ? PodFate::kNotRemoved
                               : plan.remove[i].release_first ? PodFate::kDismissed
                                                              : PodFate::kRemoved;
    }
    return fates;
}

Accounts account_for(const JobView& view, const Survey& survey, const std::vector<PodFate>& fates,
                     const std::optional<EndState>& end) {
    return Accountant(view, survey, fates, end).run();
}

}  // namespace muster::controllers::jobs
