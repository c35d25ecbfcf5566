#include "node/pod_state.h"

#include <algorithm>

#include "api/kinds/core/pod_phase.h"
#include "node/restart.h"

namespace muster::node {
namespace {

using api::core::Container;
using api::core::Pod;

constexpr std::int64_t kGraceDefault = 30;

Duration pod_grace(const Pod& pod) {
    return std::chrono::seconds(pod.spec.termination_grace_period_seconds.value_or(kGraceDefault));
}

class Decision {
public:
    explicit Decision(const PodView& view) : view_(view) {}

    PodPlan make() {
        std::optional<Stop> stop = why_stop();
        if (!stop && !has_ended(view_.pod) && start_init_containers() && start_containers()) return std::move(plan_);
        // From here on nothing starts any more.
        plan_.start.clear();
        if (!stop) stop = view_.stop;
        if (!stop) stop = Stop{view_.now, pod_grace(view_.pod), {}, {}};
        plan_.ended = !stop_next(*stop);
        if (!(view_.stop == stop) && (!plan_.ended || !stop->reason.empty())) plan_.stop = stop;
        return std::move(plan_);
    }

private:
    const ContainerRuns& runs_of(const Container& container) const { return view_.runs_of(container.name); }
    bool is_active(const Container& container) const {
        const auto& run = runs_of(container).now;
        return run && run->active();
    }
    void wake(Instant at) {
        if (!plan_.wake_at || at < *plan_.wake_at) plan_.wake_at = at;
    }

    std::optional<Stop> why_stop() {
        const auto& metadata = view_.pod.metadata;
        if (metadata.deletion_timestamp) {
            const Duration grace = std::chrono::seconds(metadata.deletion_grace_period_seconds.value_or(kGraceDefault));
            // A second delete can shorten the grace, not lengthen it.
            if (view_.stop) {
                Stop stop = *view_.stop;
                stop.grace = std::min(stop.grace, grace);
                return stop;
            }
            return Stop{view_.now, grace, {}, {}};
        }
        if (view_.stop && !view_.stop->reason.empty()) return view_.stop;
        const auto& seconds = view_.pod.spec.active_deadline_seconds;
        if (!seconds || !view_.pod.status.start_time || has_ended(view_.pod)) return {};
        const Instant deadline = view_.pod.status.start_time->instant() + std::chrono::seconds(*seconds);
        if (view_.now >= deadline)
            return Stop{view_.now, pod_grace(view_.pod), "DeadlineExceeded",
                        "Pod was active on the node longer than the specified deadline"};
        wake(deadline);
        return {};
    }

    // Starts it now, or says when.
    void start(const Container& container, bool init) {
        const ContainerRuns& runs = runs_of(container);
        const Instant from = runs.now ? restart_at(runs.backoff, runs.now->ended_at) : view_.now;
        const Instant at = runs.problem ? std::max(from, runs.problem->retry_at) : from;
        if (at > view_.now) return wake(at);
        plan_.start.push_back({&container, init, runs.now ? runs.now->attempt + 1 : 0});
    }

    // False when one has failed for good. What comes after an init container that has not succeeded is not started.
    bool start_init_containers() {
        blocked_ = false;
        for (const Container& container : view_.pod.spec.init_containers) {
            const auto& run = runs_of(container).now;
            const bool sidecar = is_sidecar(container);
            const bool done = run && !run->active() && !restarts(view_.pod, container, true, run->exit_code);
            if (done && run->exit_code != 0) return false;
            if (done) continue;
            if (!run || !run->active()) {
                // A sidecar that has run once no longer holds the others up.
                const bool was_running = sidecar && run;
                start(container, true);
                if (was_running) continue;
                blocked_ = true;
                break;
            }
            if (sidecar && run->state == Run::State::kRunning) continue;
            blocked_ = true;
            break;
        }
        return true;
    }

    // False when all have ended for good.
    bool start_containers() {
        if (blocked_) return true;
        bool any_left = false;
        for (const Container& container : view_.pod.spec.containers) {
            const auto& run = runs_of(container).now;
            const bool done = run && !run->active() && !restarts(view_.pod, container, false, run->exit_code);
            if (done) continue;
            any_left = true;
            if (!run || !run->active()) start(container, false);
        }
        return any_left;
    }

    // Containers first, then sidecars in the reverse of the order in which they were started. False when none is left.
    bool stop_next(const Stop& stop) {
        std::vector<const Container*> next;
        for (const Container& container : view_.pod.spec.containers)
            if (is_active(container)) next.push_back(&container);
        for (const Container& container : view_.pod.spec.init_containers)
            if (is_active(container) && !is_sidecar(container)) next.push_back(&container);
        if (next.empty()) {
            const auto& inits = view_.pod.spec.init_containers;
            for (const Container& container : inits)
                if (is_active(container)) next.assign(1, &container);
        }
        for (const Container* container : next) stop_one(*container, stop);
        return !next.empty();
    }

    void stop_one(const Container& container, const Stop& stop) {
        const ContainerRuns& runs = runs_of(container);
        const int attempt = runs.now->attempt;
        const Instant kill_at = stop.since + stop.grace;
        if (view_.now >= kill_at) {
            if (runs.kill_sent != attempt) plan_.signal.push_back({container.name, attempt, true});
            return;
        }
        if (runs.term_sent != attempt) plan_.signal.push_back({container.name, attempt, false});
        wake(kill_at);
    }

    const PodView& view_;
    PodPlan plan_;
    bool blocked_ = false;
};

}  // namespace

PodPlan decide_pod(const PodView& view) { return Decision(view).make(); }

}  // namespace muster::node
