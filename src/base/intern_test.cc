#include "base/intern.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Intern, EqualTextsReadOneAfterAnotherAreOne) {
    const Text first = intern("batch.kubernetes.io/job-name");
    const Text second = intern(std::string("batch.kubernetes.io/") + "job-name");
    EXPECT_EQ(first, second);
    EXPECT_EQ(first.view().data(), second.view().data());
}

TEST(Intern, WhatIsInternedIsWhatWasGivenWhateverCameBefore) {
    for (int i = 0; i < 20000; ++i) {
        const std::string text = "some name that is long " + std::to_string(i * 7919) + " and differs";
        ASSERT_EQ(intern(text), text);
    }
    for (std::size_t size = 0; size < 300; ++size) {
        const std::string text(size, 'x');
        ASSERT_EQ(intern(text), text);
    }
}

}  // namespace
}  // namespace muster
