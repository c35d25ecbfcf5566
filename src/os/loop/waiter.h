// A suspended coroutine standing in a line. The link lives in the coroutine's own frame: to wait allocates nothing, and
// a coroutine that is destroyed while it waits leaves the line by itself.
// Invariant: a waiter stands in at most one line.
#pragma once

#include <coroutine>
#include <utility>

#include "base/check.h"

namespace muster::os {

class Waiter {
public:
    explicit Waiter(std::coroutine_handle<> handle = nullptr) : coroutine(handle) {}
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() { leave(); }

    bool in_line() const { return next_ != this; }
    void leave() {
        previous_->next_ = next_;
        next_->previous_ = previous_;
        next_ = previous_ = this;
    }

    std::coroutine_handle<> coroutine;

private:
    friend class WaiterLine;
    Waiter* next_ = this;
    Waiter* previous_ = this;
};

// First come, first served.
class WaiterLine {
public:
    WaiterLine() = default;
    ~WaiterLine() {
        while (next()) {
        }
    }

    bool empty() const { return !head_.in_line(); }
    void add(Waiter& waiter) {
        CHECK(!waiter.in_line());
        waiter.previous_ = head_.previous_;
        waiter.next_ = &head_;
        head_.previous_->next_ = &waiter;
        head_.previous_ = &waiter;
    }
    // Takes the first out of the line; null when there is none.
    Waiter* next() {
        if (empty()) return nullptr;
        Waiter* first = head_.next_;
        first->leave();
        return first;
    }
    // Takes over all who stand in the other line, behind those in this one.
    void add_all(WaiterLine& other) {
        if (other.empty()) return;
        Waiter* first = other.head_.next_;
        Waiter* last = other.head_.previous_;
        other.head_.next_ = other.head_.previous_ = &other.head_;
        first->previous_ = head_.previous_;
        head_.previous_->next_ = first;
        last->next_ = &head_;
        head_.previous_ = last;
    }

private:
    Waiter head_;
};

}  // namespace muster::os
