#include "os/machine/memory.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <vector>

// Sanitizers have allocators of their own, which keep what is freed for a while and count elsewhere.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif

namespace muster::os {
namespace memory_test {

TEST(Memory, WhatIsFreedIsGivenBackWhenAskedFor) {
    constexpr std::size_t kBlocks = 4096;
    constexpr std::size_t kBlockBytes = 8192;
    release_free_memory();  // what others have freed would be used again, and nothing would grow
    const std::size_t before = resident_bytes();
    [[maybe_unused]] const std::size_t allocated = allocated_bytes();
    ASSERT_GT(before, 0u);
    {
        std::vector<std::unique_ptr<char[]>> blocks(kBlocks);
        for (auto& block : blocks) {
            block.reset(new char[kBlockBytes]);
            std::memset(block.get(), 1, kBlockBytes);
        }
        EXPECT_GT(resident_bytes(), before + kBlocks * kBlockBytes * 9 / 10);
#ifndef SANITIZED
        EXPECT_GT(allocated_bytes(), allocated + kBlocks * kBlockBytes * 9 / 10);
#endif
    }
    release_free_memory();
#ifndef SANITIZED
    // The allocator's own thread may be giving back at this moment, and is then not interrupted.
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (resident_bytes() >= before + kBlocks * kBlockBytes / 4 && std::chrono::steady_clock::now() < patience)
        release_free_memory();
    EXPECT_LT(resident_bytes(), before + kBlocks * kBlockBytes / 4);
    EXPECT_LT(allocated_bytes(), allocated + kBlocks * kBlockBytes / 4);
#endif
}

TEST(Memory, PagesOfTheProgramAreLetGoAndComeBackWhenNeeded) {
    const std::size_t before = resident_bytes();
    release_program_pages();
    EXPECT_LT(resident_bytes(), before);
    EXPECT_EQ(std::strlen("what has run before runs again"), 30u);
}

}  // namespace memory_test
}  // namespace muster::os
