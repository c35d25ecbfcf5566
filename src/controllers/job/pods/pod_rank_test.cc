#include "controllers/job/pods/pod_rank.h"

#include "controllers/job/testing/cases.h"

namespace muster::controllers::jobs {
namespace pod_rank_test {

TEST(PodRank, WhoCameLeastFarGoesFirst) {
    constexpr const char* kReadyLong =
        "{'status': {'conditions': [{'type': 'Ready', 'status': 'True', 'lastTransitionTime': "
        "'2023-12-31T23:10:00Z'}]}}";
    constexpr const char* kReadyShort =
        "{'status': {'conditions': [{'type': 'Ready', 'status': 'True', 'lastTransitionTime': "
        "'2023-12-31T23:50:00Z'}]}}";
    constexpr const char* kYoung = "{'metadata': {'creationTimestamp': '2023-12-31T23:30:00Z'}}";
    constexpr const char* kSidecar =
        "{'spec': {'initContainers': [{'name': 's', 'restartPolicy': 'Always'}]}, 'status': {'initContainerStatuses': "
        "[{'name': 's', 'image': '', 'imageID': '', 'ready': true, 'restartCount': 4}]}}";
    struct Case {
        const char* name;
        const char* first;
        const char* first_patch;
        const char* second;
        const char* second_patch;
    } cases[] = {
        {"without the finalizer, as it will not be counted", "ready on-node bare", "{}", "pending", "{}"},
        {"not on a node", "running", "{}", "pending on-node", "{}"},
        {"pending before running", "pending on-node", "{}", "running on-node", "{}"},
        {"unknown before running", "on-node", "{'status': {'phase': 'Unknown'}}", "running on-node", "{}"},
        {"pending before unknown", "pending on-node", "{}", "on-node", "{'status': {'phase': 'Unknown'}}"},
        {"not ready before ready", "running on-node", "{}", "ready on-node", "{}"},
        {"ready for a short time", "running on-node", kReadyShort, "running on-node", kReadyLong},
        {"often restarted", "running on-node restarts3", "{}", "running on-node restarts2", "{}"},
        {"restarts of sidecars break a tie", "running", kSidecar, "running", "{}"},
        {"but no more than that", "running restarts1", "{}", "running", kSidecar},
        {"young before old", "running on-node", kYoung, "running on-node", "{}"},
    };
    for (const Case& c : cases) {
        const Pod first = make_pod("first", c.first, c.first_patch);
        const Pod second = make_pod("second", c.second, c.second_patch);
        for (const bool swapped : {false, true}) {
            std::vector<RankedPod> pods = {{&first, 1}, {&second, 2}};
            if (swapped) std::swap(pods[0], pods[1]);
            rank_for_removal(pods);
            EXPECT_EQ(pods[0].place, 1u) << c.name;
        }
    }
}

TEST(PodRank, EqualOnesKeepTheirOrder) {
    const Pod pod = make_pod("a", "running");
    std::vector<RankedPod> pods = {{&pod, 3}, {&pod, 1}, {&pod, 2}};
    rank_for_removal(pods);
    EXPECT_EQ(pods[0].place, 3u);
    EXPECT_EQ(pods[2].place, 2u);
}

}  // namespace pod_rank_test
}  // namespace muster::controllers::jobs
