#include "api/placement/requests.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"

namespace muster::api {
namespace placement_requests_test {

struct RequestCase {
    const char* name;
    const char* spec;
    std::int64_t cpu;
    std::int64_t memory;
    std::int64_t gpus = 0;
};

TEST(PodRequests, AreThoseOfTheMostDemandingMoment) {
    const RequestCase cases[] = {
        {"containers add up",
         "{containers: [{name: a, resources: {requests: {cpu: 500m, memory: 1Ki}}},"
         " {name: b, resources: {requests: {cpu: '1', example.com/gpu: 2}}}]}",
         1500, 1024, 2},
        {"a large init container counts instead of the containers",
         "{containers: [{name: a, resources: {requests: {cpu: 500m, memory: 2Ki}}}],"
         " initContainers: [{name: i, resources: {requests: {cpu: '2', memory: 1Ki}}},"
         " {name: j, resources: {requests: {cpu: '1'}}}]}",
         2000, 2048},
        {"a sidecar runs beside the containers",
         "{containers: [{name: a, resources: {requests: {cpu: 500m}}}],"
         " initContainers: [{name: s, restartPolicy: Always, resources: {requests: {cpu: 300m}}}]}",
         800, 0},
        {"an init container runs beside the sidecars that were started before it, and not those after it",
         "{containers: [{name: a, resources: {requests: {cpu: 100m}}}],"
         " initContainers: [{name: s, restartPolicy: Always, resources: {requests: {cpu: 300m}}},"
         " {name: i, resources: {requests: {cpu: '1'}}},"
         " {name: t, restartPolicy: Always, resources: {requests: {cpu: 200m}}}]}",
         1300, 0},
        {"overhead comes on top",
         "{containers: [{name: a, resources: {requests: {cpu: 100m}}}], overhead: {cpu: 50m, memory: 1Ki}}", 150, 1024},
        {"a request of the pod stands for the sum",
         "{containers: [{name: a, resources: {requests: {cpu: 100m, memory: 1Ki}}}],"
         " resources: {requests: {cpu: '3'}}}",
         3000, 1024},
    };
    for (const RequestCase& test : cases) {
        const auto spec = api::from_yaml<core::PodSpec>(test.spec).value();
        const Amounts amounts = pod_requests(spec);
        EXPECT_EQ(amounts.cpu, test.cpu) << test.name;
        EXPECT_EQ(amounts.memory, test.memory) << test.name;
        EXPECT_EQ(amounts.other("example.com/gpu"), test.gpus) << test.name;
    }
}

TEST(PodRequests, ForScoresAContainerThatAsksForNothingCountsALittle) {
    const auto spec =
        api::from_yaml<core::PodSpec>("{containers: [{name: a}, {name: b, resources: {requests: {cpu: 50m}}}]}")
            .value();
    EXPECT_EQ(pod_requests_for_score(spec).cpu, 150);
    EXPECT_EQ(pod_requests_for_score(spec).memory, 400 << 20);
    EXPECT_EQ(pod_requests(spec).memory, 0);
}

TEST(Amounts, AddSubtractAndRaise) {
    Amounts amounts{1, 2, 3, {{"b", 1}}};
    amounts += Amounts{1, 1, 1, {{"a", 5}, {"b", 2}}};
    EXPECT_EQ(amounts, (Amounts{2, 3, 4, {{"a", 5}, {"b", 3}}}));
    amounts -= Amounts{1, 1, 1, {{"a", 5}}};
    EXPECT_EQ(amounts.other("a"), 0);
    amounts.raise_to(Amounts{9, 0, 0, {{"c", 7}}});
    EXPECT_EQ(amounts.cpu, 9);
    EXPECT_EQ(amounts.memory, 2);
    EXPECT_EQ(amounts.other("c"), 7);
}

TEST(PodRequests, OfWhatNoMachineHasDoNotOverflow) {
    const auto spec = from_yaml<core::PodSpec>(
                          "{containers: [{name: a, resources: {requests: {cpu: 9E, memory: 9E}}},"
                          " {name: b, resources: {requests: {cpu: 9E, memory: 9E}}}]}")
                          .value();
    Amounts sum;
    for (int i = 0; i < 2000; ++i) {
        sum += pod_requests(spec);
        ASSERT_GT(sum.cpu, std::int64_t{1} << 52);
        ASSERT_GT(sum.memory, std::int64_t{1} << 52);
    }
}

TEST(PodRequests, AnAmountBelowZeroIsNothing) {
    const auto spec = from_yaml<core::PodSpec>(
                          "{containers: [{name: a, resources: {requests: {cpu: -9E, memory: -1, gpu: -9E}}},"
                          " {name: b, resources: {requests: {cpu: 2, memory: 5, gpu: 1}}}]}")
                          .value();
    EXPECT_EQ(pod_requests(spec), (Amounts{2000, 5, 0, {{"gpu", 1}}}));
}

TEST(Amounts, AreNeverBelowZeroAndStopAtTheMost) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    Amounts amounts{kMost, 1, 1, {{"a", kMost}}};
    amounts += Amounts{1, kMost, 1, {{"a", kMost}}};
    EXPECT_EQ(amounts, (Amounts{kMost, kMost, 2, {{"a", kMost}}}));
    amounts -= Amounts{kMost, 1, 3, {{"a", kMost}}};
    EXPECT_EQ(amounts, (Amounts{0, kMost - 1, 0, {{"a", 0}}}));
    const Amounts offered{0, 0, 0, {}};
    EXPECT_EQ(find_shortages(Amounts{1, 1, 0, {}}, amounts, offered).size(), 2U);
}

TEST(Shortages, NameEveryResourceOfWhichTooLittleIsLeft) {
    Amounts wanted;
    wanted.cpu = 500;
    wanted.memory = 100;
    wanted.others = {{"example.com/gpu", 1}};
    Amounts offered;
    offered.cpu = 1000;
    offered.memory = 100;
    Amounts used;
    used.cpu = 501;
    const auto found = find_shortages(wanted, used, offered);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].resource, "cpu");
    EXPECT_EQ(found[0].used, 501);
    EXPECT_EQ(found[1].resource, "example.com/gpu");
    EXPECT_TRUE(find_shortages({}, used, {}).empty()) << "a pod that asks for nothing lacks nothing";
}

}  // namespace placement_requests_test
}  // namespace muster::api
