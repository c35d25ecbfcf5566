// The pods that wait for a node. Pods of one shape and priority wait in one group, oldest first: when the first of them
// does not fit, the others would not either, so a group is refused, and tried again, as a whole. What wakes it is a
// change that may help; then only as many are taken as lately found a place. Thousands of waiting pods therefore cost
// no more than a few. Pods whose fate depends on other pods are groups of their own, and are tried again after 1 s, 2
// s, … 10 s at most often.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/instant.h"
#include "scheduler/decide.h"

namespace muster::scheduler {

struct QueueLimits {
    Duration backoff_first = 1s;
    Duration backoff_longest = 10s;
    std::size_t window_first = 4;  // of a group that was refused
    std::size_t window_most = 4096;
    Duration told_after = 1s;         // a pod that waits no longer than this needs no telling why
    Duration told_again_after = 10s;  // when the reason changes
};

class PodQueue {
public:
    explicit PodQueue(QueueLimits limits = {}) : limits_(limits) {}

    // A pod that waits, as it is now. Its turn is kept unless something changed that decides where it may go.
    void set(const PodRef& pod, const ShapeRef& shape, Duration now);
    void remove(const Text& uid);

    // The pods whose turn it is, in order, at most so many; and pods that keep a node reserved meanwhile. The caller
    // must report the result of each.
    std::vector<PendingPod> take(std::size_t at_most, Duration now);
    bool has_turn(Duration now) const;
    // When the next turn comes without anything happening.
    std::optional<Duration> next_due() const;

    void placed(const Text& uid);
    void refused(const Refusal& refusal, Duration now);
    // It found a node, but could not be bound to it.
    void failed(const PodRef& pod, const ShapeRef& shape, Duration now);
    // Something of these kinds (WakeOn) happened.
    void wake(unsigned what, Duration now);

    // Pods that have waited long enough to be told why: each once, and again when the reason has changed.
    struct Telling {
        PodRef pod;
        std::string message;
    };
    std::vector<Telling> take_tellings(std::size_t at_most, Duration now);
    // It could not be told; it will be once more.
    void forget_told(const Text& uid);

    std::size_t size() const { return pods_.size(); }
    std::size_t parked() const;

private:
    struct Order {
        std::int32_t priority;
        api::Time created;
        std::uint64_t number;
        bool operator<(const Order& other) const;
    };
    struct Waiting;
    struct Group {
        std::string key;
        ShapeRef shape;
        std::map<Order, Waiting*> ready;
        std::size_t taken = 0;
        bool parked = false;
        bool woken = false;  // goes on when its time comes
        unsigned wakes = 0;
        Duration not_before{};
        Duration parked_at{};
        std::optional<Duration> refused_since;
        std::string message;
        std::size_t window = 0;
    };
    struct Waiting {
        PodRef pod;
        Group* group = nullptr;
        Order order{};
        bool taken = false;
        int failures = 0;
        Text nominated;
        std::string told;
        Duration told_at{};
    };

    void join(Waiting& waiting, const std::string& key, const ShapeRef& shape);
    void leave(Waiting& waiting);
    void unpark(Group& group);
    void nominate(Waiting& waiting, const Text& node);
    Duration backoff_of(const Waiting& waiting) const;

    QueueLimits limits_;
    std::unordered_map<Text, Waiting> pods_;  // by UID
    std::map<std::string, std::unique_ptr<Group>> groups_;
    std::set<Text> nominated_;
    std::uint64_t numbers_ = 0;
};

}  // namespace muster::scheduler
