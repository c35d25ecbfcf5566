// backoffLimitPerIndex: every index has its own failures. A pod carries, in annotations, how often its index failed
// before it; so the last failed pod of an index is kept until its successor has taken the number over.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "api/kinds/batch.h"
#include "controllers/job/pods/pod_draft.h"
#include "controllers/job/pods/view.h"

namespace muster::controllers::jobs {

struct PodState;
struct Survey;

// Has this pod's failure used up its index's limit, or did a rule fail the index at once?
bool is_index_failed(const api::batch::JobSpec& spec, const PodState& state);

// For each index that is neither done nor failed nor has an active pod: its last failed pod, as a place in the survey.
std::map<std::int32_t, std::size_t> find_waiting_indexes(const Survey& survey);

// The draft that replaces a failed pod.
PodDraft draft_after(const PodState& failed);
// When it may be made; nothing when it may be now.
std::optional<Instant> index_backoff_end(const PodState& failed, const Limits& limits, Instant now);

}  // namespace muster::controllers::jobs
