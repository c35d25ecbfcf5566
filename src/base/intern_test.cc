#include "base/intern.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace muster {
namespace {

TEST(Intern, EqualTextsReadOneAfterAnotherAreOne) {
    const Text first = intern("batch.kubernetes.io/job-name");
    const Text second = intern(std::string("batch.kubernetes.io/") + "job-name");
    EXPECT_EQ(first.view().data(), second.view().data());
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

}  // namespace
}  // namespace muster
