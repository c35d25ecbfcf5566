#include "controllers/job/pods/pod_state.h"

#include "controllers/job/testing/cases.h"

namespace muster::controllers::jobs {
namespace pods_pod_state_test {

TEST(PodState, ActiveTerminatingOrEnded) {
    struct Case {
        const char* words;
        bool active, terminating, ended, ready;
    } cases[] = {
        {"pending", true, false, false, false},
        {"running", true, false, false, false},
        {"ready", true, false, false, true},
        {"running deleting", false, true, false, false},
        {"pending deleting", false, true, false, false},
        {"succeeded", false, false, true, false},
        {"failed deleting", false, false, true, false},
    };
    for (const Case& c : cases) {
        const Pod pod = make_pod("a", c.words);
        EXPECT_EQ(is_active(pod), c.active) << c.words;
        EXPECT_EQ(is_terminating(pod), c.terminating) << c.words;
        EXPECT_EQ(has_ended(pod), c.ended) << c.words;
        EXPECT_EQ(is_ready(pod), c.ready) << c.words;
    }
}

TEST(PodState, OnlyAWholeNumberIsAnIndex) {
    struct Case {
        const char* words;
        std::int32_t index;
    } cases[] = {{"", kNoIndex},   {"#0", 0},         {"#100000", 100000},        {"#-1", kNoIndex},
                 {"#x", kNoIndex}, {"#1x", kNoIndex}, {"#99999999999", kNoIndex}, {"#", kNoIndex}};
    for (const Case& c : cases) EXPECT_EQ(index_of(make_pod("a", c.words)), c.index) << c.words;
}

TEST(PodState, FindsTheFinalizerAmongOthers) {
    EXPECT_TRUE(has_tracking_finalizer(make_pod("a", "")));
    EXPECT_FALSE(has_tracking_finalizer(make_pod("a", "bare")));
    EXPECT_TRUE(has_tracking_finalizer(
        make_pod("a", "", "{'metadata': {'finalizers': ['x/y', 'batch.kubernetes.io/job-tracking']}}")));
    EXPECT_FALSE(has_tracking_finalizer(make_pod("a", "", "{'metadata': {'finalizers': ['x/y']}}")));
}

// #118413, #124942
TEST(PodState, FinishTimeComesFromTheBestWitness) {
    constexpr const char* kCreated = "2023-12-31T23:00:00Z";
    struct Case {
        const char* name;
        const char* pod;
        const char* want;
    } cases[] = {
        {"when the last container ended",
         "{'status': {'containerStatuses': [{'name': 'a', 'image': '', 'imageID': '', 'ready': false, 'restartCount': "
         "0, 'state': {'terminated': {'exitCode': 0, 'finishedAt': '2024-01-01T00:00:05Z'}}}, {'name': 'b', 'image': "
         "'', 'imageID': '', 'ready': false, 'restartCount': 0, 'state': {'terminated': {'exitCode': 1, 'finishedAt': "
         "'2024-01-01T00:00:03Z'}}}]}}",
         "2024-01-01T00:00:05Z"},
        {"restartable init containers end last",
         "{'spec': {'initContainers': [{'name': 's', 'restartPolicy': 'Always'}, {'name': 'i'}]}, 'status': "
         "{'containerStatuses': [{'name': 'a', 'image': '', 'imageID': '', 'ready': false, 'restartCount': 0, "
         "'state': {'terminated': {'exitCode': 0, 'finishedAt': '2024-01-01T00:00:05Z'}}}], "
         "'initContainerStatuses': [{'name': 's', 'image': '', 'imageID': '', 'ready': false, 'restartCount': 0, "
         "'state': {'terminated': {'exitCode': 0, 'finishedAt': '2024-01-01T00:00:08Z'}}}, {'name': 'i', 'image': "
         "'', 'imageID': '', 'ready': false, 'restartCount': 0, 'state': {}}]}}",
         "2024-01-01T00:00:08Z"},
        {"one still runs: when it stopped being ready",
         "{'status': {'conditions': [{'type': 'Ready', 'status': 'False', 'lastTransitionTime': "
         "'2024-01-01T00:00:02Z'}], 'containerStatuses': [{'name': 'a', 'image': '', 'imageID': '', 'ready': false, "
         "'restartCount': 0, 'state': {'terminated': {'exitCode': 0, 'finishedAt': '2024-01-01T00:00:05Z'}}}, "
         "{'name': 'b', 'image': '', 'imageID': '', 'ready': false, 'restartCount': 0, 'state': {}}]}}",
         "2024-01-01T00:00:02Z"},
        {"when its deletion was asked for",
         "{'metadata': {'deletionTimestamp': '2024-01-01T00:00:40Z', 'deletionGracePeriodSeconds': 30}}",
         "2024-01-01T00:00:10Z"},
        {"when it was created", "{}", kCreated},
    };
    for (const Case& c : cases) {
        const Pod pod = make_pod("a", "failed", c.pod);
        EXPECT_EQ(api::Time::from_instant(finish_time_of(pod)).text(), c.want) << c.name;
    }
}

}  // namespace pods_pod_state_test
}  // namespace muster::controllers::jobs
