#include "node/keeper/start_line.h"

#include <algorithm>

#include "base/check.h"

namespace muster::node {

void StartLine::check() const {
    CHECK(under_way_ <= kUnderWayMax);
    CHECK(starting_.size() == waiting_.size() + under_way_);
}

bool StartLine::add(RunRequest request) {
    if (!starting_.try_emplace(request.key).second) return false;
    waiting_.push_back(std::move(request));
    check();
    return true;
}

std::vector<RunRequest> StartLine::take_group() {
    std::vector<RunRequest> group;
    if (waiting_.empty() || under_way_ > kUnderWayMax / 2) return group;
    const std::size_t count = std::min(waiting_.size(), kUnderWayMax - under_way_);
    group.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto found = starting_.find(waiting_.front().key);
        CHECK(found != starting_.end() && !found->second.under_way);
        found->second.under_way = true;
        group.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
    }
    under_way_ += count;
    check();
    return group;
}

void StartLine::set_place(const RunKey& key, StartBoard::Place* place) {
    const auto found = starting_.find(key);
    CHECK(found != starting_.end() && found->second.under_way);
    CHECK(found->second.place == nullptr, "a start has one place");
    found->second.place = place;
}

StartLine::Starting StartLine::finish(const RunKey& key) {
    auto found = starting_.extract(key);
    CHECK(!found.empty(), "a start ends once");
    CHECK(found.mapped().under_way, "a start that waits cannot have ended");
    CHECK(under_way_ > 0);
    --under_way_;
    check();
    return std::move(found.mapped());
}

bool StartLine::signal(const RunKey& key, int number) {
    const auto found = starting_.find(key);
    if (found == starting_.end()) return false;
    found->second.signals.push_back(number);
    return true;
}

void StartLine::forget(const Text& pod_uid) {
    std::erase_if(waiting_, [&](const RunRequest& request) {
        if (!(request.key.pod_uid == pod_uid)) return false;
        CHECK(starting_.erase(request.key) == 1);
        return true;
    });
    check();
}

void StartLine::forget_waiting() {
    for (const RunRequest& request : waiting_) CHECK(starting_.erase(request.key) == 1);
    waiting_.clear();
    check();
}

}  // namespace muster::node
