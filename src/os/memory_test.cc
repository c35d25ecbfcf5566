#include "os/memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

namespace muster::os {
namespace {

TEST(Memory, WhatIsFreedIsGivenBackWhenAskedFor) {
    constexpr std::size_t kBlocks = 4096;
    constexpr std::size_t kBlockBytes = 8192;
    const std::size_t before = resident_bytes();
    ASSERT_GT(before, 0u);
    {
        std::vector<std::unique_ptr<char[]>> blocks(kBlocks);
        for (auto& block : blocks) {
            block.reset(new char[kBlockBytes]);
            std::memset(block.get(), 1, kBlockBytes);
        }
        EXPECT_GT(resident_bytes(), before + kBlocks * kBlockBytes * 9 / 10);
    }
    release_free_memory();
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which keep what is freed for a while
    EXPECT_LT(resident_bytes(), before + kBlocks * kBlockBytes / 4);
#endif
}

}  // namespace
}  // namespace muster::os
