#include "client/remote/limiter.h"

#include <algorithm>

#include "base/check.h"

namespace muster::client {
namespace {

constexpr Duration kGrowth = 1s;

std::size_t index_of(RequestClass class_) { return static_cast<std::size_t>(class_); }

}  // namespace

std::size_t places_for(std::size_t limit, RequestClass class_) {
    const std::size_t kept = limit / 4 * index_of(class_) / (kRequestClasses - 1);
    return std::max<std::size_t>(limit - kept, 1);
}

// A request in line. Destroyed before its turn, it leaves the line; after it, it gives its place back.
class Limiter::Waiting {
public:
    Waiting(Limiter& limiter, RequestClass of) : limiter_(limiter), class_(of), turn_(limiter.loop_) {
        line().push_back(this);
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting() {
        if (!admitted_) std::erase(line(), this);
        if (admitted_ && !taken_) limiter_.release();
    }
    void admit() {
        admitted_ = true;
        turn_.notify();
    }
    os::Task<void> wait() {
        while (!admitted_) co_await turn_.wait();
        taken_ = true;
    }

private:
    std::deque<Waiting*>& line() { return limiter_.waiting_[index_of(class_)]; }

    Limiter& limiter_;
    const RequestClass class_;
    os::Event turn_;
    bool admitted_ = false;
    bool taken_ = false;
};

os::Task<Limiter::Place> Limiter::enter(RequestClass class_) {
    if (waiting_[index_of(class_)].empty() && is_free(class_)) {
        ++in_use_;
        co_return Place(*this);
    }
    Waiting waiting(*this, class_);
    co_await waiting.wait();
    co_return Place(*this);
}

void Limiter::release() {
    CHECK(in_use_ > 0);
    --in_use_;
    admit_waiting();
}

void Limiter::admit_waiting() {
    for (std::size_t i = 0; i < kRequestClasses; ++i) {
        std::deque<Waiting*>& line = waiting_[i];
        while (!line.empty() && is_free(static_cast<RequestClass>(i))) {
            Waiting* next = line.front();
            line.pop_front();
            ++in_use_;
            next->admit();
        }
    }
}

void Limiter::slow_down() {
    // What was sent before the limit fell may be refused still: one refusal a second counts.
    if (slowed_at_ && loop_.uptime() - *slowed_at_ < kGrowth) return;
    limit_ = std::max<std::size_t>(limit() / 2, 1);
    slowed_at_ = changed_at_ = loop_.uptime();
}

std::size_t Limiter::limit() {
    if (limit_ == limit_max_) return limit_;
    const Duration passed = loop_.uptime() - changed_at_;
    const auto grown = static_cast<std::size_t>(passed / kGrowth);
    limit_ = std::min(limit_ + grown, limit_max_);
    changed_at_ += static_cast<std::int64_t>(grown) * kGrowth;
    return limit_;
}

}  // namespace muster::client
