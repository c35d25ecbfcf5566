// Coroutines on the loop. A Task is work that may wait: it starts when awaited, runs on the loop's thread and ends with
// a value. Errors are values too (Task<Result<T>>). An exception that leaves a Task goes on in the Task that awaits it;
// when no Task handles it (os/loop/guard.h) it ends the process.
// Destroying a Task that waits is how it is cancelled: its frame goes, with the Tasks it awaits, its timers and its
// places in line. A Task that runs must not destroy itself or those that await it.
// Tasks are functions with parameters by value; a lambda's captures die before a coroutine made of it does.
// GCC 12 moves a braced temporary of an aggregate, made inside a co_await expression, byte by byte into the frame,
// which breaks what points into itself (std::string). So a parameter of a Task is no aggregate with such members: give
// it a constructor, or make it before the co_await.
#pragma once

#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/check.h"
#include "os/loop/loop.h"

namespace muster::os {

template <class T = void>
class Task;

// What an exception says of itself.
std::string exception_text(const std::exception_ptr& exception);
// For an exception that is being handled, of a Task that was spawned: ends the process with its text.
[[noreturn]] void end_with_exception() noexcept;

class TaskPromiseBase {
public:
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept { return Final(); }
    void unhandled_exception() noexcept { exception_ = std::current_exception(); }

    // Starts the task for `parent`. True: it waits, and will resume the parent. False: it has ended already.
    // A task that ends at once returns here instead of resuming the parent from within itself, so that a loop over
    // such tasks needs no stack, even where the compiler does not turn resumption into a jump.
    bool start(std::coroutine_handle<> self, std::coroutine_handle<> parent) {
        parent_ = parent;
        starting_ = true;
        self.resume();
        starting_ = false;
        return !self.done();
    }

protected:
    void rethrow() {
        if (exception_) [[unlikely]]
            std::rethrow_exception(std::exchange(exception_, nullptr));
    }

private:
    struct Final {
        bool await_ready() noexcept { return false; }
        template <class Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) noexcept {
            const TaskPromiseBase& promise = self.promise();
            return promise.starting_ ? std::noop_coroutine() : promise.parent_;
        }
        void await_resume() noexcept {}
    };

    std::coroutine_handle<> parent_;
    std::exception_ptr exception_;
    bool starting_ = false;
};

template <class T>
class TaskPromise : public TaskPromiseBase {
public:
    Task<T> get_return_object();
    template <class U>
    void return_value(U&& value) {
        value_.emplace(std::forward<U>(value));
    }
    T take() {
        rethrow();
        return std::move(*value_);
    }

private:
    std::optional<T> value_;
};

template <>
class TaskPromise<void> : public TaskPromiseBase {
public:
    Task<void> get_return_object();
    void return_void() {}
    void take() { rethrow(); }
};

template <class T>
class [[nodiscard]] Task {
public:
    using promise_type = TaskPromise<T>;
    using Handle = std::coroutine_handle<promise_type>;

    explicit Task(Handle handle) : handle_(handle) {}
    Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Task& operator=(Task&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Task() {
        if (handle_) handle_.destroy();
    }

    auto operator co_await() && {
        struct Awaiter {
            Handle handle;
            bool await_ready() { return false; }
            bool await_suspend(std::coroutine_handle<> parent) { return handle.promise().start(handle, parent); }
            T await_resume() { return handle.promise().take(); }
        };
        CHECK(handle_ && !handle_.done(), "a Task is awaited once");
        return Awaiter{handle_};
    }

private:
    Handle handle_;
};

template <class T>
Task<T> TaskPromise<T>::get_return_object() {
    return Task<T>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}
inline Task<void> TaskPromise<void>::get_return_object() {
    return Task<void>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}

// Goes on when the loop has turned: after whatever was posted before.
inline auto yield(Loop& loop) {
    struct Awaiter {
        Loop& loop;
        Waiter waiter{};
        bool await_ready() { return false; }
        void await_suspend(std::coroutine_handle<> self) {
            waiter.coroutine = self;
            loop.wake(waiter);
        }
        void await_resume() {}
    };
    return Awaiter{loop};
}

// Resumes no earlier than `delay` from now.
inline auto sleep_for(Loop& loop, Duration delay) {
    struct Awaiter {
        Loop& loop;
        Duration delay;
        TimerId timer = 0;
        Awaiter(Loop& on, Duration span) : loop(on), delay(span) {}
        Awaiter(const Awaiter&) = delete;
        Awaiter& operator=(const Awaiter&) = delete;
        ~Awaiter() {
            if (timer != 0) loop.cancel(timer);
        }
        bool await_ready() { return false; }
        void await_suspend(std::coroutine_handle<> self) {
            timer = loop.after(delay, [self] { self.resume(); });
        }
        void await_resume() { timer = 0; }
    };
    return Awaiter(loop, delay);
}

// Wakes all waiting coroutines. It keeps no state: a woken coroutine must check its condition again.
//     while (queue.empty()) co_await filled.wait();
// To be used on the loop only. If it is destroyed while coroutines wait, they wait for ever.
class Event {
public:
    explicit Event(Loop& loop) : loop_(loop) {}

    void notify() { loop_.wake_all(waiting_); }
    bool awaited() const { return !waiting_.empty(); }
    auto wait() {
        struct Awaiter {
            Event& event;
            Waiter waiter{};
            bool await_ready() { return false; }
            void await_suspend(std::coroutine_handle<> self) {
                waiter.coroutine = self;
                event.waiting_.add(waiter);
            }
            void await_resume() {}
        };
        return Awaiter{*this};
    }

private:
    Loop& loop_;
    WaiterLine waiting_;
};

// A value that arrives once: a callback resolves it, one coroutine awaits it, before or after. Copies are the same
// completion, so callback and coroutine each hold one and either may go first. To be used on the loop only; another
// thread posts the call of resolve.
template <class T>
class Completion {
public:
    explicit Completion(Loop& loop) : state_(std::make_shared<State>(loop)) {}

    bool resolved() const { return state_->value.has_value(); }
    // Must be called at most once.
    void resolve(T value) const {
        CHECK(!resolved(), "a Completion is resolved once");
        state_->value.emplace(std::move(value));
        if (state_->waiter) state_->loop.wake(*state_->waiter);
    }
    // Gives the value away: a completion is awaited once.
    auto operator co_await() const {
        struct Awaiter {
            std::shared_ptr<State> state;
            Waiter waiter{};
            explicit Awaiter(std::shared_ptr<State> awaited) : state(std::move(awaited)) {}
            ~Awaiter() {
                if (state->waiter == &waiter) state->waiter = nullptr;
            }
            bool await_ready() { return state->value.has_value(); }
            void await_suspend(std::coroutine_handle<> self) {
                CHECK(!state->waiter, "a Completion is awaited once");
                waiter.coroutine = self;
                state->waiter = &waiter;
            }
            T await_resume() { return std::move(*state->value); }
        };
        return Awaiter(state_);
    }

private:
    struct State {
        explicit State(Loop& on) : loop(on) {}
        Loop& loop;
        std::optional<T> value;
        Waiter* waiter = nullptr;
    };
    std::shared_ptr<State> state_;
};

// The coroutine under a spawned task: it ends by itself, or with the line it stands in.
class RootTask {
public:
    class promise_type : public Waiter {
    public:
        promise_type(Loop&, WaiterLine& line, Task<void>&)
            : Waiter(std::coroutine_handle<promise_type>::from_promise(*this)) {
            line.add(*this);
        }
        RootTask get_return_object() { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() noexcept { end_with_exception(); }
    };
};

// Starts the task on the next turn of the loop; it stands in `line` until it ends.
inline RootTask spawn_in(Loop& loop, WaiterLine& /*line*/, Task<void> task) {
    co_await yield(loop);
    co_await std::move(task);
}

// Starts the task on the next turn; it runs to its end, or until the loop is destroyed.
inline void spawn(Loop& loop, Task<void> task) { spawn_in(loop, loop.spawned(), std::move(task)); }

// Tasks that live no longer than their owner: destroying the scope cancels those that have not ended. Must not be
// destroyed by one of them.
class TaskScope {
public:
    explicit TaskScope(Loop& loop) : loop_(loop) {}
    TaskScope(const TaskScope&) = delete;
    TaskScope& operator=(const TaskScope&) = delete;
    ~TaskScope() { cancel(); }

    void spawn(Task<void> task) { spawn_in(loop_, running_, std::move(task)); }
    void cancel() {
        while (Waiter* root = running_.next()) root->coroutine.destroy();
    }
    bool idle() const { return running_.empty(); }

private:
    Loop& loop_;
    WaiterLine running_;
};

// Runs blocking `work` on the worker and goes on with what it gave, or with the exception that left it. When the
// awaiting coroutine is destroyed first, the work still runs and its value is dropped. The loop must outlive the
// worker; the work must give a value.
template <class F>
Task<std::invoke_result_t<F&>> offload(Loop& loop, Worker& worker, F work) {
    using T = std::invoke_result_t<F&>;
    using Outcome = std::variant<T, std::exception_ptr>;
    Completion<Outcome> done(loop);
    worker.run([&loop, done, work = std::move(work)]() mutable {
        const auto outcome_of = [](F& call) -> Outcome {
            try {
                return Outcome(std::in_place_index<0>, call());
            } catch (...) {
                return Outcome(std::in_place_index<1>, std::current_exception());
            }
        };
        loop.post([done = std::move(done), outcome = outcome_of(work)]() mutable { done.resolve(std::move(outcome)); });
    });
    Outcome outcome = co_await done;
    if (outcome.index() == 1) std::rethrow_exception(std::get<1>(std::move(outcome)));
    co_return std::get<0>(std::move(outcome));
}

}  // namespace muster::os
