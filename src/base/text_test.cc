#include "base/text.h"

#include <gtest/gtest.h>

#include <thread>
#include <unordered_set>
#include <vector>

namespace muster {
namespace base_text_test {

static_assert(sizeof(Text) == 8);

TEST(Text, GivesBackWhatItWasMadeOfAtEveryLength) {
    std::string text;
    for (int length = 0; length < 40; ++length) {
        const Text made(text);
        EXPECT_EQ(made.view(), text);
        EXPECT_EQ(made.size(), text.size());
        EXPECT_EQ(made.empty(), text.empty());
        EXPECT_EQ(made.str(), text);
        text += static_cast<char>('a' + length % 26);
    }
}

TEST(Text, KeepsZeroAndHighBytes) {
    for (const std::string& text : {std::string(1, '\0'), std::string(7, '\0'), std::string(8, '\0'),
                                    std::string("\xff\xfe\x01"), std::string("Grüße"), std::string("eight\0ch", 8)}) {
        EXPECT_EQ(Text(text).view(), text);
        EXPECT_FALSE(Text(text).empty());
    }
}

TEST(Text, CopiesShareLongTextAndShortTextIsInTheWord) {
    const Text long_text("longer than seven");
    const Text copy = long_text;  // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_EQ(copy.view().data(), long_text.view().data());

    const Text short_text("seven77");
    const auto* characters = reinterpret_cast<const void*>(short_text.view().data());
    EXPECT_GE(characters, &short_text);
    EXPECT_LT(characters, &short_text + 1);
}

TEST(Text, SurvivesAssignmentInAllDirections) {
    for (const char* from : {"", "short", "a text of some length"})
        for (const char* to : {"", "tiny", "another text of some length"}) {
            Text target(to);
            const Text source(from);
            target = source;
            EXPECT_EQ(target, from);
            EXPECT_EQ(source, from);
            Text given(to);
            target = std::move(given);
            EXPECT_EQ(target, to);
            const Text& self = target;
            target = self;
            EXPECT_EQ(target, to);
            const Text moved = std::move(target);
            EXPECT_EQ(moved, to);
            EXPECT_TRUE(target.empty());  // NOLINT(bugprone-use-after-move)
        }
}

TEST(Text, ComparesByItsBytesWithWhateverIsText) {
    EXPECT_EQ(Text("a long enough text"), Text("a long enough text"));
    EXPECT_NE(Text("a"), Text("b"));
    EXPECT_EQ(Text("sevench"), Text(std::string("seven") + "ch")) << "without a block";
    EXPECT_NE(Text("sevench"), Text("sevenchr")) << "with a block and without";
    EXPECT_NE(Text("eight ch"), Text("eight cH")) << "two blocks";
    EXPECT_NE(Text("a long enough text"), Text());
    EXPECT_TRUE(Text("abc") == "abc");
    EXPECT_TRUE(Text("abc") == std::string("abc"));
    EXPECT_TRUE(Text("abc") == std::string_view("abc"));
    EXPECT_LT(Text("abc"), Text("abd"));
    EXPECT_LT(Text("abc"), Text("abcd"));
    EXPECT_LT(Text("Zebra is long"), Text("ant"));
    EXPECT_LT(Text(""), Text("a"));
    EXPECT_LT(Text("a"), Text("\xff")) << "bytes are unsigned";
}

TEST(Text, HashesLikeItsView) {
    std::unordered_set<Text> set{"one", "the second one is long"};
    EXPECT_TRUE(set.contains(Text(std::string("the second one ") + "is long")));
    EXPECT_EQ(std::hash<Text>()(Text("one")), std::hash<std::string_view>()("one"));
}

TEST(Text, JoinsWithOtherText) {
    EXPECT_EQ(Text("job") + "-0", "job-0");
    EXPECT_EQ("pod/" + Text("job"), "pod/job");
}

TEST(Text, MayBeCopiedAndDroppedByManyThreads) {
    const Text text("shared by several threads");
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([copy = text] {
            for (int i = 0; i < 10'000; ++i) {
                const Text another = copy;  // NOLINT(performance-unnecessary-copy-initialization)
                ASSERT_EQ(another.size(), 25u);
            }
        });
    for (std::thread& thread : threads) thread.join();
}

}  // namespace base_text_test
}  // namespace muster
