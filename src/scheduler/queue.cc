#include "scheduler/queue.h"

#include <algorithm>

namespace muster::scheduler {
namespace {

using api::core::Pod;

// A safety net under everything that wakes: nothing waits longer than this without a look.
constexpr Duration kParkedMax = 300s;

bool looks_at_others(const PodShape& shape) { return shape.has_pod_terms() || !shape.spread.empty(); }

std::string group_key(const Pod& pod, const ShapeRef& shape) {
    if (looks_at_others(*shape)) return "u" + pod.metadata.uid.str();
    return "s" + std::to_string(shape->number) + '/' + std::to_string(priority_of(pod));
}

}  // namespace

bool PodQueue::Order::operator<(const Order& other) const {
    if (priority != other.priority) return priority > other.priority;
    if (!(created == other.created)) return created < other.created;
    return number < other.number;
}

void PodQueue::set(const PodRef& pod, const ShapeRef& shape, Duration now) {
    auto [found, fresh] = pods_.try_emplace(pod->metadata.uid);
    Waiting& waiting = found->second;
    if (fresh) {
        waiting.order = {priority_of(*pod), pod->metadata.creation_timestamp, ++numbers_};
        waiting.pod = pod;
        if (!pod->status.nominated_node_name.empty()) nominate(waiting, pod->status.nominated_node_name);
        join(waiting, group_key(*pod, shape), shape);
        return;
    }
    const bool same = waiting.group->shape == shape && waiting.order.priority == priority_of(*pod) &&
                      waiting.pod->metadata.labels == pod->metadata.labels;
    waiting.pod = pod;
    // What we have decided counts, though the world may not show it yet.
    if (!(pod->status.nominated_node_name == waiting.nominated)) nominate(waiting, waiting.nominated);
    if (same || waiting.taken) return;
    leave(waiting);
    waiting.order.priority = priority_of(*pod);
    join(waiting, group_key(*pod, shape), shape);
    if (waiting.group->parked && waiting.group->not_before <= now) unpark(*waiting.group);
}

void PodQueue::remove(const Text& uid) {
    const auto found = pods_.find(uid);
    if (found == pods_.end()) return;
    leave(found->second);
    nominated_.erase(uid);
    pods_.erase(found);
}

void PodQueue::join(Waiting& waiting, const std::string& key, const ShapeRef& shape) {
    std::unique_ptr<Group>& group = groups_[key];
    if (!group) {
        group = std::make_unique<Group>();
        group->key = key;
        group->shape = shape;
        group->window = limits_.window_most;
    }
    waiting.group = group.get();
    group->ready.emplace(waiting.order, &waiting);
}

void PodQueue::leave(Waiting& waiting) {
    Group& group = *waiting.group;
    if (waiting.taken)
        --group.taken;
    else
        group.ready.erase(waiting.order);
    waiting.taken = false;
    waiting.group = nullptr;
    if (group.ready.empty() && group.taken == 0) groups_.erase(group.key);
}

void PodQueue::unpark(Group& group) {
    group.parked = false;
    group.woken = false;
}

// As a copy that says where: rounds read it from the pod.
void PodQueue::nominate(Waiting& waiting, const Text& node) {
    const Text uid = waiting.pod->metadata.uid;
    waiting.nominated = node;
    if (node.empty())
        nominated_.erase(uid);
    else
        nominated_.insert(uid);
    if (waiting.pod->status.nominated_node_name == node) return;
    auto copy = std::make_shared<Pod>(*waiting.pod);
    copy->status.nominated_node_name = node;
    waiting.pod = std::move(copy);
}

Duration PodQueue::backoff_of(const Waiting& waiting) const {
    Duration delay = limits_.backoff_first;
    for (int i = 1; i < waiting.failures && delay < limits_.backoff_longest; ++i) delay *= 2;
    return std::min(delay, limits_.backoff_longest);
}

bool PodQueue::has_turn(Duration now) const {
    return std::any_of(groups_.begin(), groups_.end(), [&](const auto& entry) {
        const Group& group = *entry.second;
        if (group.ready.empty()) return false;
        return !group.parked || (group.woken && group.not_before <= now) || now - group.parked_at >= kParkedMax;
    });
}

std::optional<Duration> PodQueue::next_due() const {
    std::optional<Duration> due;
    for (const auto& [key, group] : groups_) {
        if (!group->parked) continue;
        const Duration at = group->woken ? group->not_before : group->parked_at + kParkedMax;
        due = due ? std::min(*due, at) : at;
    }
    return due;
}

std::vector<PendingPod> PodQueue::take(std::size_t at_most, Duration now) {
    std::vector<std::pair<Order, Waiting*>> turn;
    for (const auto& [key, group] : groups_) {
        const bool due = (group->woken && group->not_before <= now) || now - group->parked_at >= kParkedMax;
        if (group->parked && due) unpark(*group);
        if (group->parked) continue;
        std::size_t count = 0;
        for (auto at = group->ready.begin(); at != group->ready.end() && count < group->window; ++at, ++count)
            turn.push_back(*at);
    }
    std::sort(turn.begin(), turn.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    if (turn.size() > at_most) turn.resize(at_most);
    std::vector<PendingPod> pods;
    for (const auto& [order, waiting] : turn) {
        waiting->group->ready.erase(order);
        ++waiting->group->taken;
        waiting->taken = true;
        pods.push_back({waiting->pod, false});
    }
    for (const Text& uid : nominated_) {
        const Waiting& waiting = pods_.at(uid);
        if (!waiting.taken) pods.push_back({waiting.pod, true});
    }
    return pods;
}

void PodQueue::placed(const Text& uid) {
    const auto found = pods_.find(uid);
    if (found == pods_.end()) return;
    Group& group = *found->second.group;
    // Twice as many the next time, if all find a place.
    group.window = std::min(group.window + 1, limits_.window_most);
    remove(uid);
}

void PodQueue::refused(const Refusal& refusal, Duration now) {
    const auto found = pods_.find(refusal.pod->metadata.uid);
    if (found == pods_.end()) return;
    Waiting& waiting = found->second;
    ++waiting.failures;
    if (!(waiting.nominated == refusal.nominated_node)) nominate(waiting, refusal.nominated_node);
    const ShapeRef shape = waiting.group->shape;
    const bool alone = !refusal.alike_too;
    const std::string key = alone ? "u" + waiting.pod->metadata.uid.str() : group_key(*waiting.pod, shape);
    if (key == waiting.group->key && waiting.taken) {
        --waiting.group->taken;
        waiting.taken = false;
        waiting.group->ready.emplace(waiting.order, &waiting);
    } else {
        leave(waiting);
        join(waiting, key, shape);
    }
    Group& group = *waiting.group;
    group.window = limits_.window_first;
    group.parked = true;
    group.woken = false;
    group.wakes = refusal.wakes;
    group.parked_at = now;
    group.not_before = alone && waiting.nominated.empty() ? now + backoff_of(waiting) : now;
    group.message = refusal.message;
    if (!group.refused_since) group.refused_since = now;
}

void PodQueue::failed(const PodRef& pod, const ShapeRef& shape, Duration now) {
    const Text uid = pod->metadata.uid;
    remove(uid);
    set(pod, shape, now);
    Waiting& waiting = pods_.at(uid);
    ++waiting.failures;
    leave(waiting);
    join(waiting, "u" + uid.str(), shape);
    waiting.group->parked = true;
    waiting.group->woken = true;
    waiting.group->parked_at = now;
    waiting.group->not_before = now + backoff_of(waiting);
}

void PodQueue::wake(unsigned what, Duration now) {
    for (const auto& [key, group] : groups_) {
        if (!group->parked || (group->wakes & what) == 0) continue;
        if (group->not_before <= now)
            unpark(*group);
        else
            group->woken = true;
    }
}

std::vector<PodQueue::Telling> PodQueue::take_tellings(std::size_t at_most, Duration now) {
    std::vector<Telling> tellings;
    for (const auto& [key, group] : groups_) {
        if (!group->parked || !group->refused_since || now - *group->refused_since < limits_.told_after) continue;
        for (auto& [order, waiting] : group->ready) {
            if (tellings.size() >= at_most) return tellings;
            const bool lately = !waiting->told.empty() && now - waiting->told_at < limits_.told_again_after;
            if (waiting->told == group->message || lately) continue;
            waiting->told = group->message;
            waiting->told_at = now;
            tellings.push_back({waiting->pod, group->message});
        }
    }
    return tellings;
}

void PodQueue::forget_told(const Text& uid) {
    const auto found = pods_.find(uid);
    if (found != pods_.end()) found->second.told.clear();
}

std::size_t PodQueue::parked() const {
    std::size_t count = 0;
    for (const auto& [key, group] : groups_)
        if (group->parked) count += group->ready.size();
    return count;
}

}  // namespace muster::scheduler
