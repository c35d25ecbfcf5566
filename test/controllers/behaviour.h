// What tests of one behaviour have in common: a World, a Job "j" in either completion mode, and the exact count at its
// end.
#pragma once

#include <gtest/gtest.h>

#include "controllers/scenario.h"

namespace muster::worlds {

inline WorldOptions with_script(Script script) {
    WorldOptions options;
    options.node.script = std::move(script);
    return options;
}
inline Script always(Ending ending) {
    return [ending](const PodRun&) { return ending; };
}

inline int count_running(const World& world) {
    int running = 0;
    for (const auto& pod : world.truth.active_pods()) running += pod->status.phase == "Running" ? 1 : 0;
    return running;
}

// In the order of their creation.
inline std::vector<client::Ref<Pod>> pods_by_age(const World& world) {
    std::vector<client::Ref<Pod>> pods;
    for (const auto& [uid, pod] : world.truth.pods()) pods.push_back(pod.last);
    std::stable_sort(pods.begin(), pods.end(), [](const auto& a, const auto& b) {
        return a->metadata.creation_timestamp < b->metadata.creation_timestamp;
    });
    return pods;
}

// The Job comes to this end, at rest, and its numbers are what happened.
inline void expect_end(World& world, const std::string& end, std::string_view name = "j") {
    EXPECT_TRUE(world.run_until([&] { return world.end_of(name) == end && world.truth.tracked() == 0; }))
        << "it is \"" << world.end_of(name) << "\"\n"
        << world.truth.format_story(name);
    world.run_for(5s);
    EXPECT_EQ(world.end_of(name), end);
    EXPECT_EQ(world.truth.tracked(), 0u);
    world.truth.check_counts(name);
    for (const std::string& broken : world.truth.broken())
        ADD_FAILURE() << broken << "\n" << world.truth.format_story(name);
}

// A test for each completion mode.
class BothModes : public testing::TestWithParam<const char*> {
protected:
    bool indexed() const { return std::string_view(GetParam()) == "Indexed"; }
    std::string manifest(std::string_view spec, std::string_view pod_spec = "restartPolicy: Never",
                         std::string_view name = "j") const {
        return job_manifest(std::string("completionMode: ") + GetParam() + ", " + std::string(spec), pod_spec, name);
    }
};
inline std::string mode_name(const testing::TestParamInfo<const char*>& mode) { return mode.param; }

}  // namespace muster::worlds
