// A wall clock that a test sets: loaded into the binary with LD_PRELOAD, it adds to the time of day what the file named
// by SHIFTED_CLOCK holds, a signed 64-bit count of nanoseconds. The steady clock is as it was, as when an administrator
// sets the time. A file that cannot be read leaves the time alone.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

const volatile std::int64_t* map_shift() {
    static const std::int64_t none = 0;
    const char* path = std::getenv("SHIFTED_CLOCK");
    const int file = path ? ::open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return &none;
    void* const mapped = ::mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
    ::close(file);
    return mapped == MAP_FAILED ? &none : static_cast<const std::int64_t*>(mapped);
}

std::int64_t wall_nanoseconds() {
    static const volatile std::int64_t* const shift = map_shift();
    timespec now{};
    ::syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
    return now.tv_sec * kSecond + now.tv_nsec + *shift;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
    if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)
        return static_cast<int>(::syscall(SYS_clock_gettime, clock, now));
    const std::int64_t wall = wall_nanoseconds();
    *now = {wall / kSecond, wall % kSecond};
    return 0;
}

int gettimeofday(timeval* __restrict now, void* __restrict) noexcept {
    const std::int64_t wall = wall_nanoseconds();
    *now = {wall / kSecond, wall % kSecond / 1000};
    return 0;
}

time_t time(time_t* at) noexcept {
    const time_t now = wall_nanoseconds() / kSecond;
    if (at) *at = now;
    return now;
}
}
