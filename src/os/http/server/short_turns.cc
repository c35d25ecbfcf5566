#include "os/http/server/short_turns.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace muster::os {
namespace {

// The kernel's struct sched_attr in its first version, which Debian 12's C library does not declare.
struct SchedulingWish {
    std::uint32_t size = sizeof(SchedulingWish);
    std::uint32_t policy = 0;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime = 0;  // of an ordinary thread: the length of its turn in nanoseconds, 0 the usual
    std::uint64_t deadline = 0;
    std::uint64_t period = 0;
};

constexpr std::uint64_t kResetOnFork = 1;
constexpr std::uint64_t kShort = 100'000;  // the least that the kernel takes

}  // namespace

// Failing is no harm: the thread then waits as it did.
void ask_for_short_turns() {
    SchedulingWish wish;
    if (::syscall(SYS_sched_getattr, 0, &wish, sizeof(wish), 0) != 0) return;
    wish.size = sizeof(wish);
    wish.flags = kResetOnFork;
    wish.runtime = kShort;
    ::syscall(SYS_sched_setattr, 0, &wish, 0);
}

}  // namespace muster::os
