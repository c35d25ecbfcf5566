#include "controllers/job/pods/pod_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "controllers/unanswered.h"

namespace muster::controllers::jobs {
namespace pod_names_test {

bool known_never(const Text&) { return false; }

TEST(PodNames, AreThePrefixAndFiveLetters) {
    PodNames names(1);
    EXPECT_THAT(names.next("pi-7-", 7, known_never).text.str(),
                ::testing::MatchesRegex("pi-7-[b-z2-9][b-z2-9][b-z2-9][b-z2-9][b-z2-9]"));
    const std::string longest = names.next(std::string(70, 'a'), -1, known_never).text.str();
    EXPECT_EQ(longest.size(), 63u) << "a label has no more";
    std::set<std::string> different;
    for (int i = 0; i < 1000; ++i) different.insert(names.next("pi-", -1, known_never).text.str());
    EXPECT_GT(different.size(), 990u);
}

TEST(PodNames, ACreationThatWasNotAnsweredIsRepeatedUnderItsName) {
    PodNames names(1);
    names.unanswered(7, "pi-7-lost");
    names.unanswered(-1, "pi-lost");
    EXPECT_NE(names.next("pi-8-", 8, known_never).text, "pi-7-lost") << "that is another index";
    EXPECT_EQ(names.next("pi-7-", 7, known_never), (PodName{"pi-7-lost", true}));
    EXPECT_FALSE(names.next("pi-7-", 7, known_never).repeated) << "once";
    EXPECT_EQ(names.next("pi-", -1, known_never), (PodName{"pi-lost", true}));
}

TEST(PodNames, OneThatIsThereIsNotMadeAgain) {
    PodNames names(1);
    names.unanswered(-1, "pi-there");
    const auto is_known = [](const Text& name) { return name == "pi-there"; };
    EXPECT_FALSE(names.next("pi-", -1, is_known).repeated);
    EXPECT_FALSE(names.next("pi-", -1, known_never).repeated);
}

TEST(PodNames, OnlyACreationWithoutAnAnswerMayHaveHappened) {
    for (const Code code : {Code::kTimeout, Code::kUnavailable, Code::kInternal, Code::kIo})
        EXPECT_TRUE(may_have_happened({code, ""})) << name_of(code);
    for (const Code code : {Code::kForbidden, Code::kInvalid, Code::kAlreadyExists, Code::kTooManyRequests})
        EXPECT_FALSE(may_have_happened({code, ""})) << name_of(code);
}

}  // namespace pod_names_test
}  // namespace muster::controllers::jobs
