#include "node/runtime/run_board.h"

#include <vector>

namespace muster::node {

void RunBoard::listen(RunListener listener) {
    RunListener noting = listener;
    noting.out_of_touch = [this, told = listener.out_of_touch] {
        relearning_ = true;
        learnt_.clear();
        told();
    };
    noting.run = [this, told = listener.run](const RunRecord& record) {
        on_run(record);
        told(record);
    };
    noting.in_touch = [this, told = listener.in_touch] {
        on_touch();
        told();
    };
    runs_.listen(std::move(noting));
}

void RunBoard::forget(const Text& pod_uid) {
    // Nothing is told of a run that was forgotten.
    const std::vector<RunKey> gone = runs_of(running_, pod_uid);
    runs_.forget(pod_uid);
    erase_runs_of(running_, pod_uid);
    erase_runs_of(learnt_, pod_uid);
    for (const RunKey& key : gone) tell_end(key);
}

void RunBoard::on_run(const RunRecord& record) {
    if (record.active()) {
        if (relearning_) learnt_[record.key] = record.pid;
        running_[record.key] = record.pid;
        return;
    }
    learnt_.erase(record.key);
    if (running_.erase(record.key) > 0) tell_end(record.key);
}

// Whatever was not told again has ended and been forgotten meanwhile.
void RunBoard::on_touch() {
    if (!relearning_) return;
    relearning_ = false;
    std::vector<RunKey> gone;
    for (const auto& [key, pid] : running_)
        if (!learnt_.contains(key)) gone.push_back(key);
    const bool first = !std::exchange(told_, true);
    running_ = std::exchange(learnt_, {});
    for (const RunKey& key : gone) tell_end(key);
    if (!first) return;
    for (auto watch = watches_.begin(); watch != watches_.end(); ++watch)
        if (!running_.contains(watch->first)) watch->second->ended_();
}

std::optional<int> RunBoard::find_process(const RunKey& key) const {
    const auto found = running_.find(key);
    if (found == running_.end() || found->second == 0) return {};
    return found->second;
}

std::unique_ptr<RunBoard::Watch> RunBoard::watch(RunKey key, std::function<void()> ended) {
    std::unique_ptr<Watch> made(new Watch(*this, std::move(key), std::move(ended)));
    watches_.emplace(made->key_, made.get());
    return made;
}

RunBoard::Watch::~Watch() {
    const auto [first, last] = owner_.watches_.equal_range(key_);
    for (auto watch = first; watch != last; ++watch) {
        if (watch->second != this) continue;
        owner_.watches_.erase(watch);
        return;
    }
}

void RunBoard::tell_end(const RunKey& key) {
    const auto [first, last] = watches_.equal_range(key);
    for (auto watch = first; watch != last; ++watch) watch->second->ended_();
}

}  // namespace muster::node
