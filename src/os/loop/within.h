// A Task that has only so much time.
#pragma once

#include <optional>

#include "os/loop/task.h"

namespace muster::os {

// Gives what the task gives, or nothing when the time is over first; the task is then dropped. No time at all (zero) is
// as much as it wants.
template <class T>
Task<std::optional<T>> within(Loop& loop, Duration span, Task<T> task) {
    struct Race {
        explicit Race(Loop& on) : loop(on), over(on), tasks(on) {}
        ~Race() {
            if (timer != 0) loop.cancel(timer);
        }
        static Task<void> run(Race* race, Task<T> work) {
            try {
                race->value.emplace(co_await std::move(work));
            } catch (...) {
                race->failure = std::current_exception();
            }
            race->over.notify();
        }
        Loop& loop;
        std::optional<T> value;
        std::exception_ptr failure;
        bool late = false;
        TimerId timer = 0;
        Event over;
        TaskScope tasks;
    };
    Race race(loop);
    race.tasks.spawn(Race::run(&race, std::move(task)));
    if (span > Duration()) {
        race.timer = loop.after(span, [&race] {
            race.timer = 0;
            race.late = true;
            race.over.notify();
        });
    }
    while (!race.value && !race.late && !race.failure) co_await race.over.wait();
    if (race.failure) std::rethrow_exception(race.failure);
    co_return std::move(race.value);
}

}  // namespace muster::os
