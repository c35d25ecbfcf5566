#include "node/pods/pod_state.h"

#include <algorithm>

#include "api/kinds/core/pod_phase.h"
#include "node/pods/restart.h"
#include "node/pods/vitals.h"

namespace muster::node {
namespace {

using api::core::Container;
using api::core::Pod;

// Who has been asked to end gets this long at least, however little is left of its grace.
constexpr Duration kLastMoment = 2s;
constexpr int kDoomedCode = 1;

class Decision {
public:
    explicit Decision(const PodView& view) : view_(view) {}

    PodPlan make() {
        std::optional<Stop> stop = why_stop();
        if (!stop && !has_ended(view_.pod) && start_init_containers() && start_containers()) {
            stop_doomed();
            return std::move(plan_);
        }
        // From here on nothing starts any more.
        plan_.start.clear();
        if (!stop) stop = view_.stop;
        if (!stop) stop = Stop{view_.now, pod_grace(view_.pod), {}, {}};
        plan_.ended = !stop_all(*stop);
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
            const Duration grace = span_of(metadata.deletion_grace_period_seconds.value_or(kGraceDefault));
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
        const Instant deadline = view_.pod.status.start_time->instant() + span_of(*seconds);
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

    // The latest run has ended, and no other follows. One that had to end is no success, whatever its code says.
    bool is_done(const Container& container, bool init) const {
        const ContainerRuns& runs = runs_of(container);
        if (!runs.now || runs.now->active()) return false;
        return !restarts(view_.pod, container, init, find_doom(runs) ? kDoomedCode : runs.now->exit_code);
    }
    bool any_container_ran() const {
        const auto& containers = view_.pod.spec.containers;
        return std::any_of(containers.begin(), containers.end(),
                           [&](const Container& each) { return runs_of(each).now.has_value(); });
    }

    // False when one has failed for good. What comes after an init container that has not succeeded is not started.
    bool start_init_containers() {
        blocked_ = false;
        for (const Container& container : view_.pod.spec.init_containers) {
            const auto& run = runs_of(container).now;
            const bool sidecar = is_sidecar(container);
            const bool done = is_done(container, true);
            if (done && run->exit_code != 0) return false;
            if (done) continue;
            if (!run || !run->active()) {
                // A sidecar that has run once no longer holds the others up, unless it has to say that it is well.
                const bool was_running = sidecar && run && (!container.startup_probe || any_container_ran());
                start(container, true);
                if (was_running) continue;
                blocked_ = true;
                break;
            }
            if (sidecar && (is_started(container, runs_of(container)) || any_container_ran())) continue;
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
            if (is_done(container, false)) continue;
            any_left = true;
            if (!run || !run->active()) start(container, false);
            // A postStart hook holds the next container back.
            if (run && run->state == Run::State::kRunning && !is_up(container, runs_of(container))) break;
        }
        return any_left;
    }

    void stop_doomed() {
        for (const auto* list : {&view_.pod.spec.init_containers, &view_.pod.spec.containers})
            for (const Container& container : *list)
                if (const Doom* doom = find_doom(runs_of(container)); doom && is_active(container))
                    stop_one(container, {doom->since, doom->grace});
    }

    // preStop hooks run at once. Then containers end first, and sidecars in the reverse of the order in which they were
    // started. False when none is left.
    bool stop_all(const Stop& stop) {
        const StopTime time{stop.since, stop.grace};
        const auto& inits = view_.pod.spec.init_containers;
        std::vector<const Container*> next;
        for (const Container& container : view_.pod.spec.containers)
            if (is_active(container)) next.push_back(&container);
        for (const Container& container : inits) {
            if (!is_active(container)) continue;
            if (is_sidecar(container))
                (void)wait_for_hook(container, time);
            else
                next.push_back(&container);
        }
        if (next.empty()) {
            for (const Container& container : inits)
                if (is_active(container)) next.assign(1, &container);
        }
        for (const Container* container : next) stop_one(*container, time);
        return !next.empty();
    }

    struct StopTime {
        Instant since;
        Duration grace;
        Instant kill_at() const { return since + grace; }
    };

    // Whether the container's preStop hook still has time to end; begins it if need be.
    bool wait_for_hook(const Container& container, const StopTime& time) {
        const ContainerRuns& runs = runs_of(container);
        const Vitals& vitals = runs.vitals;
        if (!has_pre_stop(container) || runs.now->state != Run::State::kRunning) return false;
        if (view_.now >= time.kill_at() || vitals.attempt != runs.now->attempt || vitals.stop_hooked) return false;
        const auto begun = [&](const HookStep& step) { return step.container == container.name; };
        if (!vitals.stop_begun && std::none_of(plan_.pre_stop.begin(), plan_.pre_stop.end(), begun))
            plan_.pre_stop.push_back({container.name, vitals.attempt});
        wake(time.kill_at());
        return true;
    }

    void stop_one(const Container& container, StopTime time) {
        const ContainerRuns& runs = runs_of(container);
        // Whichever ends sooner: the container's own stop or the pod's.
        if (const Doom* doom = find_doom(runs); doom && doom->since + doom->grace < time.kill_at())
            time = {doom->since, doom->grace};
        if (wait_for_hook(container, time)) return;
        const int attempt = runs.now->attempt;
        const bool asked = runs.term_sent == attempt;
        Instant kill_at = time.kill_at();
        if (time.grace > Duration()) kill_at = std::max(kill_at, (asked ? runs.term_at : view_.now) + kLastMoment);
        if (view_.now >= kill_at) {
            if (runs.kill_sent != attempt) plan_.signal.push_back({container.name, attempt, true});
            return;
        }
        if (!asked) plan_.signal.push_back({container.name, attempt, false});
        wake(kill_at);
    }

    const PodView& view_;
    PodPlan plan_;
    bool blocked_ = false;
};

}  // namespace

PodPlan decide_pod(const PodView& view) { return Decision(view).make(); }

}  // namespace muster::node
