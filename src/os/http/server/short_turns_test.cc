#include "os/http/server/short_turns.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <thread>

namespace muster::os {
namespace short_turns_test {

// The length of this thread's turn in nanoseconds; 0 where the kernel does not tell.
std::uint64_t turn_length() {
    constexpr std::size_t kRuntimeAt = 24;
    std::array<char, 48> attributes{};
    if (::syscall(SYS_sched_getattr, 0, attributes.data(), attributes.size(), 0) != 0) return 0;
    std::uint64_t runtime = 0;
    std::memcpy(&runtime, attributes.data() + kRuntimeAt, sizeof(runtime));
    return runtime;
}

TEST(ShortTurns, ThoseWhoAskHaveThemAndThoseTheyStartDoNot) {
    const std::uint64_t usual = turn_length();
    if (usual == 0) GTEST_SKIP() << "this kernel knows no lengths of turns (before 6.12)";
    std::uint64_t asked = 0;
    std::uint64_t started = 0;
    std::thread([&] {
        ask_for_short_turns();
        asked = turn_length();
        std::thread([&] { started = turn_length(); }).join();
    }).join();
    EXPECT_LT(asked, usual);
    EXPECT_EQ(started, usual);
    EXPECT_EQ(turn_length(), usual) << "another thread's wish";
}

}  // namespace short_turns_test
}  // namespace muster::os
