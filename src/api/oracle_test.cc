// Replays what a real kube-apiserver answered, as far as api/ alone can answer it: decoding, defaults, rules, patches
// and encoding. A story that differs must be in a table below, with the reason.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <set>

#include "api/testing/story.h"
#include "api/testing/story_server.h"

namespace muster::api {
namespace {

const std::set<std::string> kFamilies = {"job-create", "job-update", "job-status", "pod-create",
                                         "pod-update", "pod-status", "patch",      "field-validation",
                                         "namespaces", "kinds",      "write"};

struct Exception {
    const char* story;
    const char* reason;
};

// Kubernetes answers otherwise today.
constexpr const char* kNoNulls = "fields of a failure policy that are not set are no longer printed as null";
constexpr const char* kStricter = "a status is checked for what can follow what";
const Exception kDifferToday[] = {
    {"job-create: template label conflicts with controller-uid", "the selector uses the newer, prefixed label"},
    {"job-create: policy exit codes", kNoNulls},
    {"job-create: policy conditions", kNoNulls},
    {"job-update: uid mismatch", "pods carry two labels with the uid, and both are named"},
    {"job-update: policy may not be added", "podReplacementPolicy, which is new, does not go with the policy"},
    {"job-status: negative counts", kStricter},
    {"job-status: condition", kStricter},
    {"job-status: completedIndexes on NonIndexed", kStricter},
};

// The same facts in other words.
constexpr const char* kAsJson = "values are printed as JSON, as Kubernetes does since 1.33, not as Go does";
constexpr const char* kGoTypes = "says what is wrong with the field without naming Go's types";
constexpr const char* kNewer = "worded as Kubernetes words it now";
const Exception kWordedOtherwise[] = {
    {"job-create: selector without manualSelector", kAsJson},
    {"job-create: manual selector that does not match", kAsJson},
    {"job-create: manual selector missing", kAsJson},
    {"job-create: policy unknown action", "there is an action more"},
    {"job-create: float for a number", kGoTypes},
    {"job-create: number too large", kGoTypes},
    {"job-update: nodeSelector may not while running", kAsJson},
    {"pod-create: quantity bad", "names the field as well"},
    {"pod-create: request above limit", kNewer},
    {"pod-create: extended fraction", kAsJson},
    {"pod-create: bad toleration", kNewer},
    {"pod-create: owner without uid", kNewer},
    {"pod-update: command may not", "lists what would change, line by line"},
    {"pod-update: env may not", "lists what would change, line by line"},
    {"patch: merge not an object", kGoTypes},
    {"patch: merge wrong type", kGoTypes},
    {"write: put uid mismatch", "without the name of a storage that we do not have"},
};

template <std::size_t kSize>
bool is_listed(const Exception (&table)[kSize], const std::string& story) {
    for (const Exception& exception : table)
        if (story == exception.story) return true;
    return false;
}

struct Count {
    int stories = 0;
    int steps = 0;
    int differ_today = 0;
    int worded_otherwise = 0;
};

void replay(const Story& story, Count& count) {
    const std::string title = story.family + ": " + story.name;
    StoryServer server(story.namespace_);
    bool differs = false;
    bool words_differ = false;
    int steps = 0;
    for (const StoryStep& step : story.steps) {
        const auto got = server.answer(step);
        if (!got) break;
        ++steps;
        const StoryDifference difference = compare_answers(*got, step.recorded);
        differs |= difference.matters();
        words_differ |= !difference.message.empty();
        if (difference.matters() && !is_listed(kDifferToday, title)) {
            ADD_FAILURE() << title << "\n    " << step.verb << " " << step.path << "\n    code:   " << difference.code
                          << "\n    object: " << difference.object << "\n    cause:  " << difference.cause
                          << "\n    message: " << difference.message;
        } else if (!difference.message.empty() && !is_listed(kDifferToday, title) &&
                   !is_listed(kWordedOtherwise, title)) {
            ADD_FAILURE() << title << "\n    words: " << difference.message;
        }
    }
    count.stories += steps > 0;
    count.steps += steps;
    count.differ_today += differs;
    count.worded_otherwise += words_differ && !differs;
    // A table that lists what no longer differs hides the next difference.
    EXPECT_TRUE(differs || !is_listed(kDifferToday, title)) << title << " no longer differs";
    EXPECT_TRUE(words_differ || !is_listed(kWordedOtherwise, title)) << title << " no longer words it otherwise";
}

TEST(Oracle, AnswersAsKubernetesDid) {
    std::ifstream stories(MUSTER_SOURCE_DIR "/test/oracle/kube-apiserver-1.26.jsonl");
    ASSERT_TRUE(stories.is_open());
    Count count;
    for (std::string line; std::getline(stories, line);) {
        const Story story = parse_story(line);
        if (kFamilies.contains(story.family)) replay(story, count);
    }
    std::printf("replayed %d stories, %d steps: %d differ today, %d say it in other words\n", count.stories,
                count.steps, count.differ_today, count.worded_otherwise);
    EXPECT_EQ(count.stories, 183) << "of the families above, none is left out";
}

}  // namespace
}  // namespace muster::api
