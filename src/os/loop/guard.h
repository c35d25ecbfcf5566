// Exceptions of the work on one object (no memory for what it asks for, a size that no container takes) end that work
// and nothing else. Work on one object is guarded, and so is work for one request. Work that all objects share is not:
// what an exception left half done there could not be relied upon, and the process ends.
#pragma once

#include "base/result.h"
#include "os/loop/task.h"
#include "os/loop/work.h"

namespace muster::os {

namespace detail {

template <class T>
struct AsResult {
    using type = Result<T>;
};
template <class T>
struct AsResult<Result<T>> {
    using type = Result<T>;
};

}  // namespace detail

// Calls, and gives what it gave, or kInternal with the text of the exception that left it.
template <class F>
auto attempt(F&& call) -> typename detail::AsResult<std::invoke_result_t<F&>>::type {
    using T = std::invoke_result_t<F&>;
    try {
        if constexpr (std::is_void_v<T>) {
            call();
            return {};
        } else {
            return call();
        }
    } catch (...) {
        return Error{Code::kInternal, exception_text(std::current_exception())};
    }
}

// Gives what the task gives, or kInternal with the text of the exception that left it.
template <class T>
Task<Result<T>> guarded(Task<T> task) {
    std::exception_ptr failure;
    try {
        if constexpr (std::is_void_v<T>) {
            co_await std::move(task);
            co_return Result<void>();
        } else {
            co_return co_await std::move(task);
        }
    } catch (...) {
        failure = std::current_exception();
    }
    co_return Error{Code::kInternal, exception_text(failure)};
}

// The same for a task whose errors are values.
template <class T>
Task<Result<T>> guarded(Task<Result<T>> task) {
    std::exception_ptr failure;
    try {
        co_return co_await std::move(task);
    } catch (...) {
        failure = std::current_exception();
    }
    co_return Error{Code::kInternal, exception_text(failure)};
}

// Logs an error; without a log, writes "muster: <what> failed: <why>" to the error output.
void report_failure(const std::string& what, const std::string& why);

// To be spawned: an exception that leaves the task is reported, `failed` is called, and the process goes on. `what` is
// a text, or gives one when it is called.
template <class What>
Task<void> apart(Task<void> task, What what, Work failed = {}) {
    std::exception_ptr failure;
    try {
        co_await std::move(task);  // NOLINT(bugprone-use-after-move): the coroutine has a copy of its own
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure) co_return;
    if constexpr (std::is_invocable_v<What&>)
        report_failure(what(), exception_text(failure));
    else
        report_failure(what, exception_text(failure));
    if (failed) failed();
}

}  // namespace muster::os
