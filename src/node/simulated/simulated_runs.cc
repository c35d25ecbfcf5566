#include "node/simulated/simulated_runs.h"

#include "node/simulated/simulation.h"

namespace muster::node {

SimulatedRuns::~SimulatedRuns() {
    if (greeting_ != 0) loop_.cancel(greeting_);
    for (const auto& [key, timer] : timers_) loop_.cancel(timer);
}

void SimulatedRuns::listen(RunListener listener) {
    if (greeting_ != 0) loop_.cancel(greeting_);
    listener_ = std::move(listener);
    greeting_ = loop_.after(Duration(), [this] {
        greeting_ = 0;
        const RunMap<Told> now = told_;  // what is told may change them
        for (const auto* entry : in_order(now)) listener_.run(record_of(entry->first, entry->second));
        listener_.in_touch();
    });
}

void SimulatedRuns::start(RunRequest request) {
    const auto known = told_.find(request.key);
    if (known != told_.end()) return listener_.run(record_of(request.key, known->second));
    Told run;
    run.started_at = loop_.now();
    run.pod_ip = request.pod_ip;
    told_[request.key] = run;
    const Simulation simulation = read_simulation(request.annotations);
    const Duration lasts = simulation.draw_duration(prng_);
    const int code = simulation.draw_code(prng_);
    timers_[request.key] = loop_.after(lasts, [this, key = request.key, code] { end(key, code, 0); });
    listener_.run(record_of(request.key, run));
}

RunRecord SimulatedRuns::record_of(const RunKey& key, const Told& run) {
    RunRecord record;
    record.key = key;
    record.state = run.state;
    record.started_at = run.started_at;
    record.ended_at = run.ended_at;
    record.code = run.code;
    record.signal = run.signal;
    record.pod_ip = run.pod_ip;
    return record;
}

void SimulatedRuns::end(const RunKey& key, int code, int signal_number) {
    Told& run = told_[key];
    run.state = RunState::kEnded;
    run.ended_at = loop_.now();
    run.code = code;
    run.signal = signal_number;
    const RunRecord record = record_of(key, run);
    timers_.erase(record.key);
    listener_.run(record);
}

void SimulatedRuns::signal(const RunKey& key, int number) {
    const auto timer = timers_.find(key);
    if (timer == timers_.end()) return;
    loop_.cancel(timer->second);
    end(RunKey(key), 0, number);
}

void SimulatedRuns::forget(const Text& pod_uid) {
    for (const RunKey& key : runs_of(timers_, pod_uid)) loop_.cancel(timers_.at(key));
    erase_runs_of(timers_, pod_uid);
    erase_runs_of(told_, pod_uid);
}

}  // namespace muster::node
