#include "controllers/queue/admission/queues/queue_status.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"

namespace muster::controllers::queue {
namespace queue_status_test {

TEST(QueueStatus, AShareIsRoundedUpToAWholeNumber) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const struct {
        const char* sentence;
        double ratio;
        double weight;
        std::int64_t share;
    } cases[] = {
        {"nothing borrowed", 0, 1, 0},
        {"a whole share", 500, 1, 500},
        {"a fraction counts as one more", 500.25, 1, 501},
        {"a share without weight has no end", 1, 0, kMost},
        {"a share of the most by the smallest weight", 1e21, 1e-9, kMost},
        {"a share by a weight below zero", 1e21, -1e-9, std::numeric_limits<std::int64_t>::min()},
    };
    for (const auto& each : cases) {
        Share share;
        share.ratio = each.ratio;
        share.weight = each.weight;
        EXPECT_EQ(make_status(api::kueue::Cohort(), share).fair_sharing->weighted_share, each.share) << each.sentence;
    }
}

TEST(QueueStatus, WhatIsBorrowedOfAnExtremeQuotaStopsAtTheMost) {
    const auto queue = api::from_yaml<api::kueue::ClusterQueue>(
                           "{metadata: {name: q}, spec: {cohortName: c, resourceGroups: [{coveredResources: [gpu], "
                           "flavors: [{name: f, resources: [{name: gpu, nominalQuota: '-9223372036854775807'}]}]}]}}")
                           .value();
    Names names;
    QueueCounts counts;
    counts.reserved = {{names.slot(names.flavor("f"), names.resource("gpu")), 9}};
    const auto status = make_status(queue, Activity(), counts, std::nullopt, names, Instant());
    EXPECT_EQ(status.flavors_reservation[0].resources[0].total.value(), 9);
    EXPECT_EQ(status.flavors_reservation[0].resources[0].borrowed.value(), std::numeric_limits<std::int64_t>::max());
}

}  // namespace queue_status_test
}  // namespace muster::controllers::queue
