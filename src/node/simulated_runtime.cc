#include "node/simulated_runtime.h"

#include <charconv>

#include "node/runs_of_pod.h"

namespace muster::node {
namespace {

Result<Duration> parse_span(std::string_view text) {
    const Error bad{Code::kBadRequest, "not a span of time: \"" + std::string(text) + '"'};
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || count < 0 || count > 1'000'000'000) return bad;
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (unit == "ms") return Duration(std::chrono::milliseconds(count));
    if (unit == "s") return Duration(std::chrono::seconds(count));
    if (unit == "m") return Duration(std::chrono::minutes(count));
    return bad;
}

}  // namespace

Result<std::pair<Duration, Duration>> parse_simulated_duration(std::string_view text) {
    const std::size_t dash = text.find('-');
    TRY_ASSIGN(const Duration least, parse_span(text.substr(0, dash)));
    if (dash == std::string_view::npos) return std::pair(least, least);
    TRY_ASSIGN(const Duration most, parse_span(text.substr(dash + 1)));
    if (most < least) return Error{Code::kBadRequest, "the longer of two spans comes second: " + std::string(text)};
    return std::pair(least, most);
}

SimulatedRuntime::~SimulatedRuntime() {
    if (greeting_ != 0) loop_.cancel(greeting_);
    for (const auto& [key, timer] : timers_) loop_.cancel(timer);
}

void SimulatedRuntime::listen(Listener listener) {
    if (greeting_ != 0) loop_.cancel(greeting_);
    listener_ = std::move(listener);
    greeting_ = loop_.after(Duration(), [this] {
        greeting_ = 0;
        for (const auto& [key, record] : std::map(records_)) listener_.run(record);
        listener_.in_touch();
    });
}

void SimulatedRuntime::start(RunRequest request) {
    const auto known = records_.find(request.key);
    if (known != records_.end()) return listener_.run(RunRecord(known->second));
    RunRecord& record = records_[request.key];
    record.key = request.key;
    record.state = RunState::kRunning;
    record.started_at = loop_.now();
    record.pod_ip = request.pod_ip;
    std::pair<Duration, Duration> span(kSimulatedDurationDefault, kSimulatedDurationDefault);
    if (const Text* text = request.annotations.find(kSimulatedDuration))
        if (const auto parsed = parse_simulated_duration(*text); parsed.ok()) span = *parsed;
    int code = 0;
    if (const Text* text = request.annotations.find(kSimulatedExitCode)) {
        const std::string_view digits = *text;
        std::from_chars(digits.data(), digits.data() + digits.size(), code);
    }
    const auto width = static_cast<std::uint64_t>((span.second - span.first).count());
    const Duration lasts = span.first + Duration(width == 0 ? 0 : static_cast<std::int64_t>(prng_.below(width + 1)));
    timers_[request.key] = loop_.after(lasts, [this, key = request.key, code] { end(key, code, 0); });
    listener_.run(RunRecord(record));
}

void SimulatedRuntime::end(const RunKey& key, int code, int signal_number) {
    RunRecord& record = records_[key];
    record.state = RunState::kEnded;
    record.ended_at = loop_.now();
    record.code = code;
    record.signal = signal_number;
    const RunRecord told = record;
    timers_.erase(told.key);
    listener_.run(told);
}

void SimulatedRuntime::signal(const RunKey& key, int number) {
    const auto timer = timers_.find(key);
    if (timer == timers_.end()) return;
    loop_.cancel(timer->second);
    end(RunKey(key), 0, number);
}

void SimulatedRuntime::forget(const Text& pod_uid) {
    const auto [first, last] = runs_of(timers_, pod_uid);
    for (auto timer = first; timer != last; ++timer) loop_.cancel(timer->second);
    timers_.erase(first, last);
    erase_runs_of(records_, pod_uid);
}

}  // namespace muster::node
