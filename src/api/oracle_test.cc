// Replays what a real kube-apiserver answered, as far as api/ alone can answer it: decoding, defaults, rules, patches
// and encoding. A story whose words differ must be in the table
// below, with the reason.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <set>

#include "api/testing/story.h"
#include "api/testing/story_server.h"

namespace muster::api {
namespace oracle_test {

const std::set<std::string> kFamilies = {"job-create", "job-update", "job-status",       "pod-create", "pod-update",
                                         "pod-status", "patch",      "field-validation", "namespaces", "kinds",
                                         "write",      "job-today",  "job-status-today", "pod-today"};

struct Exception {
    const char* story;
    const char* reason;
};

// The same facts in other words.
constexpr const char* kAsJson = "a value is printed with the names of its JSON, not with those of Go's structs";
constexpr const char* kGoTypes = "a type is named as in JSON, not as in Go";
constexpr const char* kChange = "a change is told by its path, not as both sides in Go";
const Exception kWordedOtherwise[] = {
    {"job-create: float for a number", kGoTypes},
    {"job-create: number too large", kGoTypes},
    {"job-update: nodeSelector may not while running", kAsJson},
    {"job-update: policy may not be added", kAsJson},
    {"job-today: success policy not indexed", kAsJson},
    {"pod-create: quantity bad", "the field is named as well"},
    {"pod-update: command may not", kChange},
    {"pod-update: env may not", kChange},
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
    int worded_otherwise = 0;
};

void replay(const Story& story, Count& count) {
    const std::string title = story.family + ": " + story.name;
    StoryServer server(story.namespace_);
    bool words_differ = false;
    int steps = 0;
    for (const StoryStep& step : story.steps) {
        const auto got = server.answer(step);
        if (!got) break;
        ++steps;
        const StoryDifference difference = compare_answers(*got, step.recorded);
        words_differ |= !difference.message.empty();
        if (difference.matters()) {
            ADD_FAILURE() << title << "\n    " << step.verb << " " << step.path << "\n    code:   " << difference.code
                          << "\n    object: " << difference.object << "\n    cause:  " << difference.cause
                          << "\n    message: " << difference.message;
        } else if (!difference.message.empty() && !is_listed(kWordedOtherwise, title)) {
            ADD_FAILURE() << title << "\n    words: " << difference.message;
        }
    }
    count.stories += steps > 0;
    count.steps += steps;
    count.worded_otherwise += words_differ;
    // A table that lists what no longer differs hides the next difference.
    EXPECT_TRUE(words_differ || !is_listed(kWordedOtherwise, title)) << title << " no longer words it otherwise";
}

TEST(Oracle, AnswersAsKubernetesDid) {
    std::ifstream stories(MUSTER_SOURCE_DIR "/test/oracle/kube-apiserver-1.38.jsonl");
    ASSERT_TRUE(stories.is_open());
    Count count;
    for (std::string line; std::getline(stories, line);) {
        const Story story = parse_story(line);
        if (kFamilies.contains(story.family)) replay(story, count);
    }
    std::printf("replayed %d stories, %d steps: %d say it in other words\n", count.stories, count.steps,
                count.worded_otherwise);
    EXPECT_EQ(count.stories, 217) << "of the families above, none is left out";
}

}  // namespace oracle_test
}  // namespace muster::api
