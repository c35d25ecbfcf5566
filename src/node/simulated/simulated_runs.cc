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
        const RunMap<RunRecord> told = records_;  // what is told may change them
        for (const auto* entry : in_order(told)) listener_.run(entry->second);
        listener_.in_touch();
    });
}

void SimulatedRuns::start(RunRequest request) {
    const auto known = records_.find(request.key);
    if (known != records_.end()) return listener_.run(RunRecord(known->second));
    RunRecord& record = records_[request.key];
    record.key = request.key;
    record.state = RunState::kRunning;
    record.started_at = loop_.now();
    record.pod_ip = request.pod_ip;
    const Simulation simulation = read_simulation(request.annotations);
    const Duration lasts = simulation.draw_duration(prng_);
    const int code = simulation.draw_code(prng_);
    timers_[request.key] = loop_.after(lasts, [this, key = request.key, code] { end(key, code, 0); });
    listener_.run(RunRecord(record));
}

void SimulatedRuns::end(const RunKey& key, int code, int signal_number) {
    RunRecord& record = records_[key];
    record.state = RunState::kEnded;
    record.ended_at = loop_.now();
    record.code = code;
    record.signal = signal_number;
    const RunRecord told = record;
    timers_.erase(told.key);
    listener_.run(told);
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
    erase_runs_of(records_, pod_uid);
}

}  // namespace muster::node
