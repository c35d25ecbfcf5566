// What the machine itself does in the same time: processes that are started and waited for without anything around
// them, and writes that are synced to the disk.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/check.h"
#include "bench/http_load.h"

namespace muster::bench {

inline void start_and_wait(const char* program) {
    char* arguments[] = {const_cast<char*>(program), nullptr};
    const pid_t pid = ::vfork();
    if (pid == 0) {
        ::execv(program, arguments);
        ::_exit(127);
    }
    CHECK(pid > 0 && ::waitpid(pid, nullptr, 0) == pid);
}

// Starts a second, on as many threads as the machine has processors for them.
inline double bare_rate(const char* program, int count) {
    const int threads = 2;
    const auto start = Clock::now();
    std::vector<std::thread> running;
    for (int i = 0; i < threads; ++i)
        running.emplace_back([=] {
            for (int each = 0; each < count / threads; ++each) start_and_wait(program);
        });
    for (std::thread& thread : running) thread.join();
    return count / seconds_since(start);
}

inline double shell_rate(const std::string& command, int count) {
    const auto start = Clock::now();
    CHECK(std::system(command.c_str()) == 0, command);
    return count / seconds_since(start);
}

inline double xargs_rate(const std::string& program, int count) {
    return shell_rate("seq " + std::to_string(count) + " | xargs -P2 -n1 " + program, count);
}

inline bool has_parallel() { return std::system("parallel --version 2>/dev/null | grep -q 'GNU parallel'") == 0; }

// Appends of so many bytes, each synced, a second.
inline double sync_rate(const std::string& path, std::size_t bytes, double seconds) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    CHECK(file >= 0, path);
    const std::string text(bytes, 'x');
    const auto start = Clock::now();
    int count = 0;
    for (; seconds_since(start) < seconds; ++count)
        CHECK(::write(file, text.data(), text.size()) == static_cast<ssize_t>(bytes) && ::fdatasync(file) == 0);
    const double rate = count / seconds_since(start);
    ::close(file);
    return rate;
}

}  // namespace muster::bench
