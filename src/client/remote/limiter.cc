#include "client/remote/limiter.h"

#include <algorithm>

#include "base/check.h"

namespace muster::client {
namespace {

constexpr Duration kGrowth = 1s;

std::size_t index_of(RequestClass class_) { return static_cast<std::size_t>(class_); }

// The lines, and the class that says how many places each may use.
constexpr RequestClass kLineClasses[] = {RequestClass::kLease, RequestClass::kStatus, RequestClass::kCreates,
                                         RequestClass::kEvents};

std::size_t line_of(RequestClass class_) {
    switch (class_) {
        case RequestClass::kLease: return 0;
        case RequestClass::kStatus: return 1;
        case RequestClass::kFinalizers:
        case RequestClass::kRemovals:
        case RequestClass::kCreates: return 2;
        case RequestClass::kEvents: break;
    }
    return 3;
}

}  // namespace

std::size_t places_for(std::size_t limit, RequestClass class_) {
    const std::size_t kept = limit / 4 * index_of(class_) / (kRequestClasses - 1);
    return std::max<std::size_t>(limit - kept, 1);
}

// A request in line. Destroyed before its turn, it leaves the line; after it, it gives its place back.
class Limiter::Waiting {
public:
    Waiting(Limiter& limiter, const RequestTurn& turn)
        : limiter_(limiter),
          line_(line_of(turn.class_)),
          flow_(turn.flow + static_cast<char>('0' + index_of(turn.class_))),
          called_(limiter.loop_) {
        line().push(flow_, this);
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting() {
        if (!admitted_) line().erase(flow_, this);
        if (admitted_ && !taken_) limiter_.release();
    }
    void admit() {
        admitted_ = true;
        called_.notify();
    }
    os::Task<void> wait() {
        while (!admitted_) co_await called_.wait();
        taken_ = true;
    }

private:
    FlowQueue<Waiting*>& line() { return limiter_.waiting_[line_]; }

    Limiter& limiter_;
    const std::size_t line_;
    const std::string flow_;
    os::Event called_;
    bool admitted_ = false;
    bool taken_ = false;
};

os::Task<Limiter::Place> Limiter::enter(RequestTurn turn) {
    Waiting waiting(*this, turn);
    admit_waiting();
    co_await waiting.wait();
    co_return Place(*this);
}

void Limiter::release() {
    CHECK(in_use_ > 0);
    --in_use_;
    admit_waiting();
}

bool Limiter::is_free(std::size_t line) { return in_use_ < places_for(limit(), kLineClasses[line]); }

void Limiter::admit_waiting() {
    for (std::size_t i = 0; i < kLines; ++i) {
        FlowQueue<Waiting*>& line = waiting_[i];
        while (!line.empty() && is_free(i)) {
            if (kLineClasses[i] != RequestClass::kLease && !bucket_.take(loop_.uptime())) return admit_later();
            ++in_use_;
            line.pop()->admit();
        }
    }
}

void Limiter::admit_later() {
    if (timer_ != 0) return;
    timer_ = loop_.after(bucket_.ready_at() - loop_.uptime(), [this] {
        timer_ = 0;
        admit_waiting();
    });
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
