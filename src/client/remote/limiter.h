// How many requests are under way at once. What matters most goes first: when all places are taken, the next free place
// goes to the highest class that waits, and the last places are kept for the higher classes.
// A server that says 429 halves the number; it grows again by one each second.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/instant.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::client {

// From the one that must not wait to the one that may.
enum class RequestClass : std::uint8_t { kLease, kStatus, kFinalizers, kRemovals, kCreates, kEvents };
inline constexpr std::size_t kRequestClasses = 6;

// How many of `limit` places may be in use when a request of that class gets one: all for the highest, three quarters
// for the lowest, at least one.
std::size_t places_for(std::size_t limit, RequestClass class_);

class Limiter {
public:
    Limiter(os::Loop& loop, std::size_t limit_max) : loop_(loop), limit_max_(limit_max), limit_(limit_max) {}

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
    os::Task<Place> enter(RequestClass class_);

    // The server has said that it has too much to do.
    void slow_down();
    std::size_t limit();
    std::size_t in_use() const { return in_use_; }

private:
    class Waiting;
    bool is_free(RequestClass class_) { return in_use_ < places_for(limit(), class_); }
    void release();
    void admit_waiting();

    os::Loop& loop_;
    const std::size_t limit_max_;
    std::size_t limit_;
    Duration changed_at_{};  // the limit, last
    std::optional<Duration> slowed_at_{};
    std::size_t in_use_ = 0;
    std::array<std::deque<Waiting*>, kRequestClasses> waiting_;
};

}  // namespace muster::client
