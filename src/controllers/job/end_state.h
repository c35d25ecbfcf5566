// Has the Job come to its end, and which? Failure is looked for before success, so that a Job for which both hold in
// the same sync fails. An end that was recorded before stands.
#pragma once

#include <optional>
#include <string>

#include "controllers/job/pods/view.h"

namespace muster::controllers::jobs {

struct Survey;

struct EndState {
    bool success = false;
    std::string reason{};
    std::string message{};
    bool recorded = false;  // in a condition, FailureTarget or SuccessCriteriaMet
    bool operator==(const EndState&) const = default;
};

// In this order: what is recorded; podFailurePolicy; backoffLimit; the deadline; failed indexes; successPolicy.
// Enough completions are an end only when no pod is active any more: completions_reached().
std::optional<EndState> find_end_state(const JobView& view, const Survey& survey);

// `active` after the pods' plan was carried out.
std::optional<EndState> completions_reached(const JobView& view, const Survey& survey, std::int32_t active);

// When activeDeadlineSeconds runs out. Nothing without one, and while the Job is suspended.
std::optional<Instant> deadline_of(const JobView& view);

}  // namespace muster::controllers::jobs
