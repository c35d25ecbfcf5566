#include "controllers/queue/admission/workloads/explainer.h"

#include <utility>

#include "controllers/queue/workload/words.h"

namespace muster::controllers::queue {
namespace {

constexpr std::size_t kExplainAtOnce = 1000;

}  // namespace

Explainer::Explainer(os::Loop& loop, const AdmissionOptions& options, const Engine& engine, WorkloadTable& table,
                     Calls calls)
    : loop_(loop), options_(options), engine_(engine), table_(table), calls_(std::move(calls)) {}

Explainer::~Explainer() {
    if (timer_ != 0) loop_.cancel(timer_);
}

void Explainer::arm() {
    if (timer_ != 0 || !calls_.some_wait()) return;
    timer_ = loop_.after(options_.explain_after, [this] {
        timer_ = 0;
        explain_some();
        arm();
    });
}

void Explainer::explain_some() {
    std::size_t explained = 0;
    const std::size_t all = table_.size();
    for (std::size_t looked = 0; looked < all && explained < kExplainAtOnce; ++looked) {
        if (next_ >= all) next_ = 0;
        if (explain_one(next_++)) ++explained;
    }
}

bool Explainer::explain_one(ItemId item) {
    Tracked& tracked = table_[item];
    if (!tracked.place.waits() || tracked.busy) return false;
    const Instant now = loop_.now();
    if (now - tracked.waiting_since < options_.explain_after) return false;
    const bool queued = tracked.place.phase == Phase::kPending;
    const bool blocked = queued && calls_.is_blocked();
    const Text reason = blocked  ? Text(controllers::reason_of(Word::kWaitsForPodsReady))
                        : queued ? Text(engine_.why_reason(item))
                                 : tracked.place.obstacle_reason;
    // Numbers in it change all the time; another reason is told soon.
    if (reason == tracked.explained_reason && now - tracked.explained_at < options_.explain_every) return false;
    if (!calls_.may_write(item)) return false;
    const std::string message = blocked  ? say(Word::kWaitsForPodsReady)
                                : queued ? engine_.why(item)
                                         : tracked.place.obstacle.str();
    if (message.empty()) return false;
    tracked.explained_at = now;
    tracked.explained_reason = reason;
    calls_.explain(item, reason, message);
    return true;
}

}  // namespace muster::controllers::queue
