// What the loop's own motions cost: a post, a turn of a coroutine, a sleep made and cancelled, a trip to a worker and
// back, the start and end of a process.
//     loop_bench [--json]
#include <chrono>
#include <cstdio>
#include <cstring>

#include "os/loop/real_loop.h"
#include "os/loop/thread_worker.h"
#include "os/process/linux_processes.h"

namespace muster::os {
namespace {

Task<void> turn(Loop& loop, int times) {
    for (int i = 0; i < times; ++i) co_await yield(loop);
}

void post_from_worker(RealLoop& loop, Worker& worker, int times) {
    worker.run([&loop, times] {
        for (int i = 0; i < times - 1; ++i) loop.post([] {});
        loop.post([&loop] { loop.stop(); });
    });
    loop.run();
}

void sleep_and_cancel(RealLoop& loop, int times) {
    std::vector<TimerId> timers;
    timers.reserve(static_cast<std::size_t>(times));
    for (int i = 0; i < times; ++i) timers.push_back(loop.after(1h + i * 7919ns % 1000us, [] {}));
    for (const TimerId timer : timers) loop.cancel(timer);
}

Task<void> visit_worker(Loop& loop, Worker& worker, int times) {
    for (int i = 0; i < times; ++i) co_await offload(loop, worker, [] { return 0; });
}

Task<void> start_processes(Processes& processes, int times) {
    ProcessSpec spec;
    spec.program = "/bin/true";
    spec.arguments = {"true"};
    for (int i = 0; i < times; ++i) co_await processes.start(spec).value()->wait();
}

template <class F>
void measure(const char* name, bool json, int times, F run) {
    const auto start = std::chrono::steady_clock::now();
    run(times);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    const char* format = json ? "{\"name\": \"%s\", \"nanoseconds\": %.0f}\n" : "%-36s %10.0f ns each\n";
    std::printf(format, name, took.count() / times);
}

}  // namespace
}  // namespace muster::os

int main(int count, char** arguments) {
    using namespace muster::os;
    const bool json = count > 1 && std::strcmp(arguments[1], "--json") == 0;
    RealLoop loop;
    ThreadWorker worker("bench");
    LinuxProcesses processes(loop);
    measure("post from another thread", json, 2'000'000, [&](int times) { post_from_worker(loop, worker, times); });
    measure("turn of a coroutine", json, 500'000, [&](int times) { loop.run(turn(loop, times)); });
    measure("timer made and cancelled", json, 500'000, [&](int times) { sleep_and_cancel(loop, times); });
    measure("to a worker and back", json, 50'000, [&](int times) { loop.run(visit_worker(loop, worker, times)); });
    measure("process started and ended", json, 500, [&](int times) { loop.run(start_processes(processes, times)); });
}
