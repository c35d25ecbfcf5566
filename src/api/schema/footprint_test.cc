#include "api/schema/footprint.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "api/kinds/core/config.h"
#include "api/kinds/core/pod.h"

namespace muster::api {
namespace footprint_test {

template <class K>
std::size_t beyond_itself(const K& object, const K* beside = nullptr) {
    return footprint(K::info(), &object, beside) - sizeof(K);
}

TEST(Footprint, EveryByteThatAClientSentIsCounted) {
    const std::string large(900'000, 'x');
    struct Case {
        const char* name;
        std::function<void(core::Pod&)> fill;
        std::size_t bytes_min;
    };
    const Case cases[] = {
        {"nothing", [](core::Pod&) {}, 0},
        {"a text", [&](core::Pod& pod) { pod.metadata.name = large; }, large.size()},
        {"a map's value", [&](core::Pod& pod) { pod.metadata.annotations.set("a", large); }, large.size()},
        {"a map's key", [&](core::Pod& pod) { pod.metadata.annotations.set(large, "a"); }, large.size()},
        {"an element of a list",
         [&](core::Pod& pod) {
             pod.spec.containers.edit().emplace_back().args = {large, large};
         },
         2 * large.size()},
        {"many short elements",
         [&](core::Pod& pod) {
             auto& finalizers = pod.metadata.finalizers.edit();
             for (int i = 0; i < 1000; ++i) finalizers.push_back("short");
         },
         8000},
        {"unknown fields", [&](core::Pod& pod) { pod.spec.residue.add(",\"x\":\"" + large + "\""); }, large.size()},
        {"a boxed struct", [&](core::Pod& pod) { pod.spec.affinity.edit(); }, sizeof(core::Affinity)},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.name);
        core::Pod pod;
        one.fill(pod);
        EXPECT_GE(beyond_itself(pod), one.bytes_min);
        EXPECT_LE(beyond_itself(pod), one.bytes_min + one.bytes_min / 4 + 2048);
        EXPECT_EQ(beyond_itself(pod, &pod), 0u) << "what the other one keeps, too, costs nothing";
    }
}

TEST(Footprint, WhatTwoVersionsDoNotShareIsTheirDifference) {
    const std::function<void(core::Pod&)> changes[] = {
        [](core::Pod& pod) { pod.metadata.labels.set("longer-than-a-word", "also longer than a word"); },
        [](core::Pod& pod) { pod.metadata.labels.set("longer-than-a-word", ""); },
        [](core::Pod& pod) { pod.metadata.finalizers = {}; },
        [](core::Pod& pod) {
            pod.spec.containers.edit().emplace_back().args = {"an argument", "and another one"};
        },
        [](core::Pod& pod) { pod.spec.containers.edit().front().image = "registry.example/image:of-another-name"; },
        [](core::Pod& pod) {
            pod.spec.containers.edit().front().resources.limits.set("cpu", api::Quantity::from_int(1));
        },
        [](core::Pod& pod) { pod.spec.affinity.edit(); },
        [](core::Pod& pod) { pod.status.conditions.edit().emplace_back().message = "a sentence about the pod"; },
        [](core::Pod& pod) { pod.status = {}; },
        [](core::Pod& pod) { pod.spec.containers.edit().pop_back(); },
    };
    core::Pod pod;
    pod.metadata.name = "a-name-of-some-length";
    pod.metadata.finalizers = {"batch.kubernetes.io/job-tracking"};
    pod.spec.containers.edit().emplace_back().image = "busybox:latest";
    std::size_t weight = footprint(core::Pod::info(), &pod);
    int step = 0;
    for (const auto& change : changes) {
        core::Pod changed = pod;
        change(changed);
        weight += footprint(core::Pod::info(), &changed, &pod);
        weight -= footprint(core::Pod::info(), &pod, &changed);
        EXPECT_EQ(weight, footprint(core::Pod::info(), &changed)) << "after change " << step++;
        pod = changed;
    }
}

TEST(Footprint, BesideItsSuccessorAVersionCountsWhatTheWriteReplaced) {
    core::ConfigMap before;
    before.data.set("settings", std::string(500'000, 'a'));
    before.data.set("other", std::string(10'000, 'b'));
    core::ConfigMap labelled = before;
    labelled.metadata.labels.set("a", "b");
    EXPECT_LT(beyond_itself(before, &labelled), 100u);
    core::ConfigMap replaced = before;
    replaced.data.set("settings", "c");
    EXPECT_GT(beyond_itself(before, &replaced), 500'000u);
    EXPECT_LT(beyond_itself(before, &replaced), 510'000u) << "the other value is in both";
}

}  // namespace footprint_test
}  // namespace muster::api
