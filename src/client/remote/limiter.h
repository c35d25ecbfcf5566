// How many requests are under way at once. What matters most goes first: when all places are taken, the next free place
// goes to the highest class that waits, and the last places are kept for the higher classes. Within a class flows take
// turns, so that a small Job does not wait for a thousand requests of a large one. Finalizers, removals and creations
// stand in one line, in which each of the three is a flow of its own: the pods of one Job are made while others of it
// lose their finalizers, and a small Job's pods are made while a large one's are counted.
// A server that says 429 halves the number; it grows again by one each second. A rate, if there is one, is for all
// requests but those of leases: a leader that is late loses its lease.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/instant.h"
#include "client/remote/flow_queue.h"
#include "client/remote/token_bucket.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::client {

// From the one that must not wait to the one that may.
enum class RequestClass : std::uint8_t { kLease, kStatus, kFinalizers, kRemovals, kCreates, kEvents };
inline constexpr std::size_t kRequestClasses = 6;

// How many of `limit` places may be in use when a request of that class gets one: all for the highest, three quarters
// for the lowest, at least one.
std::size_t places_for(std::size_t limit, RequestClass class_);

// Where a request stands in line. It has a constructor because Tasks take it (os/loop/task.h).
struct RequestTurn {
    // Implicit: a request without a flow has only a class.
    // NOLINTNEXTLINE(google-explicit-constructor)
    RequestTurn(RequestClass in_class, std::string in_flow = {}) : class_(in_class), flow(std::move(in_flow)) {}

    RequestClass class_;
    std::string flow;  // what the request is about: the UID of a Job, of another owner, a namespace
};

class Limiter {
public:
    Limiter(os::Loop& loop, std::size_t limit_max, RequestRate rate = {})
        : loop_(loop), limit_max_(limit_max), limit_(limit_max), bucket_(rate) {}
    Limiter(const Limiter&) = delete;
    Limiter& operator=(const Limiter&) = delete;
    ~Limiter() {
        if (timer_ != 0) loop_.cancel(timer_);
    }

    // A place, until it is destroyed.
    class Place {
    public:
        explicit Place(Limiter& limiter) : limiter_(&limiter) {}
        Place(Place&& other) noexcept : limiter_(std::exchange(other.limiter_, nullptr)) {}
        Place& operator=(Place&&) = delete;
        ~Place() {
            if (limiter_) limiter_->release();
        }

    private:
        Limiter* limiter_;
    };
    os::Task<Place> enter(RequestTurn turn);

    // The server has said that it has too much to do.
    void slow_down();
    std::size_t limit();
    std::size_t in_use() const { return in_use_; }

private:
    class Waiting;
    bool is_free(std::size_t line);
    void release();
    void admit_waiting();
    // When the next token is there.
    void admit_later();

    os::Loop& loop_;
    const std::size_t limit_max_;
    std::size_t limit_;
    Duration changed_at_{};  // the limit, last
    std::optional<Duration> slowed_at_{};
    std::size_t in_use_ = 0;
    TokenBucket bucket_;
    os::TimerId timer_ = 0;  // 0: none
    static constexpr std::size_t kLines = 4;
    std::array<FlowQueue<Waiting*>, kLines> waiting_;
};

}  // namespace muster::client
