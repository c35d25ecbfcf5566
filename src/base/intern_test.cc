#include "base/intern.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace muster {
namespace intern_test {

TEST(Intern, EqualTextsReadOneAfterAnotherAreOne) {
    const Text first = intern("batch.kubernetes.io/job-name");
    const Text second = intern(std::string("batch.kubernetes.io/") + "job-name");
    EXPECT_EQ(first.view().data(), second.view().data());
}

TEST(Intern, WhatComesOnceDoesNotDriveOutWhatComesAgain) {
    (void)intern("a text that all have in common");
    const Text common = intern("a text that all have in common");
    for (int i = 0; i < 100'000; ++i) (void)intern("a text of its own " + std::to_string(i));
    EXPECT_EQ(intern("a text that all have in common").view().data(), common.view().data());
}

TEST(Intern, ATextThatComesAgainFindsAPlaceThoughAllAreTaken) {
    for (int i = 0; i < 100'000; ++i) (void)intern("filling every place " + std::to_string(i));
    const Text first = intern("a late but common text");
    EXPECT_EQ(intern("a late but common text").view().data(), first.view().data());
}

TEST(Intern, GivesBackTheTextAtEveryLength) {
    std::string text;
    for (int length = 0; length < 600; ++length) {
        EXPECT_EQ(intern(text), text);
        EXPECT_EQ(intern(text), text);
        text += static_cast<char>('a' + length % 26);
    }
}

// Differ neither in size nor at the ends and in the middle, so they meet in one place of the cache.
TEST(Intern, TextsThatMeetInTheCacheStayApart) {
    std::string one(64, 'x');
    std::string other = one;
    other[12] = 'y';
    const Text first = intern(one);
    const Text second = intern(other);
    EXPECT_EQ(first, one);
    EXPECT_EQ(second, other);
    EXPECT_EQ(intern(one), one);
}

TEST(Intern, WhatAThreadReadOutlivesTheThread) {
    Text text;
    std::thread([&] { text = intern("read by another thread"); }).join();
    EXPECT_EQ(text, "read by another thread");
}

}  // namespace intern_test
}  // namespace muster
