// The conditions of a status: what holds for an object, why, and since when. The kinds declare them alike, and every
// component reads and writes them through these functions. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "api/value/time.h"
#include "base/intern.h"
#include "base/list.h"
#include "base/text.h"

namespace muster::api {

// What a condition is to say.
struct ConditionValue {
    std::string_view type;
    std::string_view status;  // True, False or Unknown
    std::string_view reason{};
    std::string_view message{};
    // The generation of the object that was looked at. Without a value it stays as it is.
    std::optional<std::int64_t> observed_generation{};
};

enum class ConditionRule {
    // Kubernetes' API conventions: lastTransitionTime moves when the status changes, and only then.
    kConventional,
    // Kubernetes' Job controller replaces a condition as a whole: every change moves lastTransitionTime and
    // lastProbeTime. A condition that is not there is not added as False.
    kOfJobs,
};

inline const char* condition_status(bool holds) { return holds ? "True" : "False"; }

// Null when there is none of that type.
template <class C>
const C* find_condition(const List<C>& conditions, std::string_view type) {
    for (const C& condition : conditions)
        if (condition.type == type) return &condition;
    return nullptr;
}

template <class C>
bool is_condition_true(const List<C>& conditions, std::string_view type) {
    const C* condition = find_condition(conditions, type);
    return condition && condition->status == "True";
}

template <class C>
bool says_already(const C& condition, const ConditionValue& value) {
    if constexpr (requires { condition.observed_generation; })
        if (value.observed_generation && condition.observed_generation != *value.observed_generation) return false;
    return condition.status == value.status && condition.reason == value.reason && condition.message == value.message;
}

// Adds the condition, or changes the one of its type; its other fields and the order of conditions stay. False: it says
// so already, and nothing changed.
template <class C>
bool set_condition(List<C>& conditions, const ConditionValue& value, Time now,
                   ConditionRule rule = ConditionRule::kConventional) {
    const C* there = find_condition(conditions, value.type);
    if (there ? says_already(*there, value) : rule == ConditionRule::kOfJobs && value.status == "False") return false;
    const bool moves = !there || !(there->status == value.status) || rule == ConditionRule::kOfJobs;
    // What it is to say may be a part of these conditions, so it is copied before they change.
    C next = there ? *there : C();
    next.type = intern(value.type);  // the same words for thousands of pods
    next.status = value.status;
    next.reason = intern(value.reason);
    next.message = value.message;
    if constexpr (requires { next.observed_generation; })
        if (value.observed_generation) next.observed_generation = *value.observed_generation;
    if (moves) next.last_transition_time = now;
    if constexpr (requires { next.last_probe_time; })
        if (rule == ConditionRule::kOfJobs) next.last_probe_time = now;
    if (there) {
        const auto index = static_cast<std::size_t>(there - conditions.begin());
        conditions.edit()[index] = std::move(next);
    } else {
        conditions.edit().push_back(std::move(next));
    }
    return true;
}

}  // namespace muster::api
