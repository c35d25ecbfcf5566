#include "controllers/queue/pods/steps/mend.h"

#include <gtest/gtest.h>

#include <functional>

#include "controllers/queue/pods/pods_test_world.h"

namespace muster::controllers::podqueue {
namespace mend_test {

namespace kn = api::kueue;

// A group of two that waits for quota.
PodsTestWorld waiting_world() {
    PodsTestWorld world;
    world.add_many(2, 2);
    world.settle();
    return world;
}

std::string describe(const Mending& mending) {
    std::string out;
    if (mending.spec) {
        out = mending.spec->queue_name.str() + " " + std::to_string(mending.spec->priority.value_or(0));
        for (const auto& set : mending.spec->pod_sets) out += " " + std::to_string(set.count);
    }
    if (mending.ending) out += "ends " + mending.ending->reason;
    for (const GroupNote& note : mending.notes) out += std::string(out.empty() ? "" : "; ") + note.reason;
    for (const std::string& name : names_of(mending.remove)) out += " removes " + name;
    return out;
}

TEST(MendStep, FollowsThePodsWhileNoQuotaIsReserved) {
    const struct {
        const char* sentence;
        std::function<void(PodsTestWorld&)> happens;
        const char* mended;
    } kCases[] = {
        {"nothing has changed", [](PodsTestWorld&) {}, ""},
        {"both name another queue",
         [](PodsTestWorld& it) {
             for (auto& [name, pod] : it.pods) pod.metadata.labels.set(kn::kQueueNameLabel, "other");
         },
         "other 0 2"},
        {"both name a class",
         [](PodsTestWorld& it) {
             for (auto& [name, pod] : it.pods) pod.metadata.labels.set(kn::kPriorityClassLabel, "high");
         },
         "q 1000 2"},
        {"both name a class that is missing",
         [](PodsTestWorld& it) {
             for (auto& [name, pod] : it.pods) pod.metadata.labels.set(kn::kPriorityClassLabel, "none");
         },
         "WorkloadPriorityClassNotFound"},
        {"the group has become smaller",
         [](PodsTestWorld& it) {
             for (auto& [name, pod] : it.pods) pod.metadata.annotations.set(kn::kPodGroupTotalCountAnnotation, "1");
         },
         "q 0 1 removes p1"},
        {"one has succeeded, and one of another shape has come",
         [](PodsTestWorld& it) {
             it.end("p0", "Succeeded");
             it.add("large", 2, "64");
         },
         kNoSet},
        {"quota is reserved, and the queue is another",
         [](PodsTestWorld& it) {
             it.admit();
             for (auto& [name, pod] : it.pods) pod.metadata.labels.set(kn::kQueueNameLabel, "other");
         },
         ""},
        {"the group serves, and the queue is another",
         [](PodsTestWorld& it) {
             for (auto& [name, pod] : it.pods) {
                 pod.metadata.annotations.set(kn::kPodGroupServingAnnotation, "true");
                 pod.metadata.labels.set(kn::kQueueNameLabel, "other");
             }
         },
         ""},
    };
    for (const auto& [sentence, happens, mended] : kCases) {
        PodsTestWorld world = waiting_world();
        happens(world);
        EXPECT_EQ(describe(decide_mending(world.survey())), mended) << sentence;
    }
}

TEST(MendStep, LooksAgainForAClassThatIsMissing) {
    PodsTestWorld world = waiting_world();
    for (auto& [name, pod] : world.pods) pod.metadata.labels.set(kn::kPriorityClassLabel, "none");
    const Mending mending = decide_mending(world.survey());
    EXPECT_EQ(mending.wake_at, world.now + kLookAgain);
    EXPECT_FALSE(mending.missing.empty()) << "it must not get quota meanwhile";
}

TEST(MendStep, KeepsTheValueOfAClassThatIsGone) {
    PodsTestWorld world = waiting_world();
    for (auto& [name, pod] : world.pods) pod.metadata.labels.set(kn::kPriorityClassLabel, "gone");
    kn::PriorityClassRef reference;
    reference.group = "kueue.x-k8s.io";
    reference.kind = kn::kWorkloadPriorityClassKind;
    reference.name = "gone";
    world.workload->spec.priority_class_ref = std::move(reference);
    world.workload->spec.priority = 7;
    const Mending mending = decide_mending(world.survey());
    EXPECT_TRUE(mending.notes.empty());
    EXPECT_EQ(mending.spec ? mending.spec->priority : world.workload->spec.priority, 7);
}

TEST(MendStep, TakesTheGatesOfTheOldestPodThatWaits) {
    PodsTestWorld world = waiting_world();
    EXPECT_EQ(decide_gates(world.survey()), std::nullopt);
    world.pods.at("p1").metadata.annotations.set(kn::kAdmissionGatedByAnnotation, "b.org/b");
    EXPECT_EQ(decide_gates(world.survey()), std::nullopt) << "p0 is older";
    world.pods.at("p0").metadata.annotations.set(kn::kAdmissionGatedByAnnotation, "a.org/a");
    EXPECT_EQ(decide_gates(world.survey()), Text("a.org/a"));
    world.admit();
    EXPECT_EQ(decide_gates(world.survey()), std::nullopt) << "it has quota";
}

}  // namespace mend_test
}  // namespace muster::controllers::podqueue
