#include "sim/world/machine.h"

#include "api/kinds/batch_names.h"
#include "os/process/process_table.h"
#include "sim/world/settings.h"

namespace muster::sim {
namespace {

constexpr Duration kTermDelayMax = 300ms;

}  // namespace

Machine::~Machine() {
    for (const auto& [key, timer] : timers_) loop_.cancel(timer);
}

void Machine::stop_timer(const node::RunKey& key) {
    const auto timer = timers_.find(key);
    if (timer == timers_.end()) return;
    loop_.cancel(timer->second);
    timers_.erase(timer);
}

void Machine::tell(const ProcessTruth& process) {
    on_run_(*this, process);
    if (!listener_ || !listener_->run) return;
    const node::RunRecord record = process.record;
    listener_->run(record);
}

void Machine::start(const node::RunRequest& request) {
    const auto known = processes_.find(request.key);
    if (known != processes_.end()) return tell(known->second);
    ProcessTruth& process = processes_[request.key];
    process.record.key = request.key;
    process.record.state = node::RunState::kIntended;
    process.record.boot = std::to_string(boots_);
    process.record.pod_ip = request.pod_ip;
    const Text* text = request.annotations.find(kRunAnnotation);
    const Settings settings = Settings::parse(text ? text->view() : std::string_view()).value().draw(random_);
    const Duration lasts = settings.span_between("span", 100ms, 2s, random_);
    process.stubborn = random_.chance(static_cast<std::uint64_t>(settings.number("stubborn", 0)), 100);
    const bool fails = random_.chance(static_cast<std::uint64_t>(settings.number("fail", 0)), 100);
    const Text* index = request.annotations.find(api::batch::kCompletionIndexAnnotation);
    const bool bad_index = index && *index == settings.text("bad_index", "none");
    if (fails || bad_index) process.code = static_cast<int>(settings.number("codes", 1));
    const bool refused = random_.chance(static_cast<std::uint64_t>(refuse_permille), 1000);
    const Duration delay = std::chrono::milliseconds(random_.below(static_cast<std::uint64_t>(start_delay_ms_max) + 1));
    timers_[request.key] = loop_.after(delay, [this, key = request.key, lasts, refused] {
        timers_.erase(key);
        if (refused)
            end(key, node::RunState::kNotStarted, 0, 0);
        else
            run(key, lasts);
    });
    tell(process);
}

void Machine::run(const node::RunKey& key, Duration lasts) {
    ProcessTruth& process = processes_[key];
    process.record.state = node::RunState::kRunning;
    process.record.started_at = loop_.now();
    ++process.starts;
    timers_[key] = loop_.after(lasts, [this, key] {
        timers_.erase(key);
        end(key, node::RunState::kEnded, processes_[key].code, 0);
    });
    tell(process);
}

void Machine::end(const node::RunKey& key, node::RunState state, int code, int signal_number) {
    stop_timer(key);
    const auto found = processes_.find(key);
    if (found == processes_.end()) return;
    node::RunRecord& record = found->second.record;
    if (!record.active()) return;
    record.state = state;
    record.ended_at = loop_.now();
    record.code = code;
    record.signal = signal_number;
    tell(found->second);
}

void Machine::signal(const node::RunKey& key, int number) {
    const auto found = processes_.find(key);
    if (found == processes_.end() || found->second.record.state != node::RunState::kRunning) return;
    if (number == os::kKillSignal) return end(node::RunKey(key), node::RunState::kEnded, 0, number);
    if (found->second.stubborn) return;
    stop_timer(key);
    const Duration delay(static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(kTermDelayMax.count()))));
    timers_[key] = loop_.after(delay, [this, key, number] {
        timers_.erase(key);
        end(key, node::RunState::kEnded, 0, number);
    });
}

void Machine::forget(const Text& pod_uid) {
    const node::RunKey first{pod_uid, {}, 0};
    for (auto process = processes_.lower_bound(first);
         process != processes_.end() && process->first.pod_uid == pod_uid;) {
        stop_timer(process->first);
        if (process->second.record.active()) {
            process->second.record.state = node::RunState::kLost;
            on_run_(*this, process->second);
        }
        process = processes_.erase(process);
    }
}

void Machine::reboot() {
    ++boots_;
    for (const auto& [key, timer] : timers_) loop_.cancel(timer);
    timers_.clear();
    for (auto& [key, process] : processes_) {
        if (!process.record.active()) continue;
        process.record.state = node::RunState::kLost;
        process.record.ended_at = loop_.now();
        process.record.message = "the machine was restarted";
        on_run_(*this, process);
    }
}

void MachineRuns::listen(node::RunListener listener) {
    listener_ = std::move(listener);
    loop_.post([this] { greet(); });
}

void MachineRuns::greet() {
    in_touch_ = true;
    machine_.attach(&listener_);
    const auto processes = machine_.processes();
    for (const auto& [key, process] : processes) listener_.run(process.record);
    listener_.in_touch();
}

void MachineRuns::lose_touch(Duration away) {
    if (!in_touch_) return;
    in_touch_ = false;
    machine_.attach(nullptr);
    listener_.out_of_touch();
    loop_.after(away, [this] { greet(); });
}

void MachineRuns::start(node::RunRequest request) {
    if (in_touch_) machine_.start(request);
}
void MachineRuns::signal(const node::RunKey& key, int number) {
    if (in_touch_) machine_.signal(key, number);
}
void MachineRuns::forget(const Text& pod_uid) {
    if (in_touch_) machine_.forget(pod_uid);
}

}  // namespace muster::sim
