// Many Tasks at once. All are started in order on the loop's next turn, before any of them has to have ended: in the
// process that is what puts many writes into one sync of the disk.
#pragma once

#include <optional>
#include <vector>

#include "os/loop/task.h"

namespace muster::os {

// Runs each to its end, at most `at_once` of them at a time (0: all), and gives what they gave, in their order. An
// exception of one goes on when all have ended.
template <class T>
Task<std::vector<T>> gather(Loop& loop, std::vector<Task<T>> tasks, std::size_t at_once = 0) {
    struct State {
        explicit State(Loop& on) : progress(on) {}
        std::vector<std::optional<T>> values;
        std::exception_ptr failure;
        std::size_t running = 0;
        Event progress;
    };
    State state(loop);
    state.values.resize(tasks.size());
    TaskScope scope(loop);
    constexpr auto run = [](State& into, Task<T> task, std::size_t index) -> Task<void> {
        try {
            into.values[index].emplace(co_await std::move(task));
        } catch (...) {
            into.failure = std::current_exception();
        }
        --into.running;
        into.progress.notify();
    };
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        while (at_once != 0 && state.running >= at_once) co_await state.progress.wait();
        ++state.running;
        scope.spawn(run(state, std::move(tasks[i]), i));
    }
    while (state.running != 0) co_await state.progress.wait();
    if (state.failure) std::rethrow_exception(state.failure);
    std::vector<T> out;
    out.reserve(tasks.size());
    for (std::optional<T>& value : state.values) out.push_back(std::move(*value));
    co_return out;
}

}  // namespace muster::os
