#include "controllers/queue/admission/queues/queue_register.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"

namespace muster::controllers::queue {
namespace queue_register_test {

using Names = std::set<Text>;

template <class K>
client::Ref<K> object(const std::string& yaml) {
    return std::make_shared<const K>(api::from_yaml<K>(yaml).value());
}

struct RegisterWorld {
    RegisterWorld() : queues(engine) {
        now.check_active = [this](const Text& name) {
            return name == "check" ? std::optional(check_active) : std::nullopt;
        };
        add_flavor("f");
    }
    void add_flavor(const std::string& name) {
        now.flavors.push_back(object<api::kueue::ResourceFlavor>("{metadata: {name: " + name + "}}"));
    }
    void add_queue(const std::string& name, int generation = 1, const std::string& more = "") {
        std::erase_if(now.cluster_queues, [&](const auto& one) { return one->metadata.name == name; });
        now.cluster_queues.push_back(object<api::kueue::ClusterQueue>(
            "{metadata: {name: " + name + ", uid: u-" + name + ", generation: " + std::to_string(generation) +
            "}, spec: {namespaceSelector: {matchLabels: {env: test}}, " + more +
            "resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: "
            "4}]}]}]}}"));
    }
    void add_cohort(const std::string& name, const std::string& parent) {
        now.cohorts.push_back(
            object<api::kueue::Cohort>("{metadata: {name: " + name + "}, spec: {parentName: " + parent + "}}"));
    }
    bool active(const char* name) const { return queues.find(name) && queues.find(name)->activity.active; }

    Engine engine;
    QueueRegister queues;
    QueueObjectsNow now;
    bool check_active = true;
};

TEST(QueueRegister, NamesTheQueuesThatHaveChanged) {
    RegisterWorld it;
    it.add_queue("a");
    it.add_queue("b");
    EXPECT_EQ(it.queues.refresh(it.now).changed, (Names{"a", "b"}));
    EXPECT_TRUE(it.queues.refresh(it.now).changed.empty()) << "nothing has";
    it.add_queue("a", 2);
    EXPECT_EQ(it.queues.refresh(it.now).changed, Names{"a"});
    it.now.cluster_queues.pop_back();
    const QueueChanges changes = it.queues.refresh(it.now);
    EXPECT_TRUE(changes.changed.empty());
    EXPECT_EQ(changes.gone, Names{"a"});
    EXPECT_FALSE(it.queues.find("a"));
    EXPECT_TRUE(it.queues.find("b"));
    EXPECT_EQ(it.engine.queues_known(), 1u);
}

TEST(QueueRegister, FollowsWhatAQueueNeeds) {
    RegisterWorld it;
    it.add_queue("a", 1, "admissionChecksStrategy: {admissionChecks: [{name: check}]}, ");
    it.queues.refresh(it.now);
    EXPECT_TRUE(it.active("a"));
    it.check_active = false;
    EXPECT_EQ(it.queues.refresh(it.now).changed, Names{"a"}) << "its check stopped";
    EXPECT_FALSE(it.active("a"));
    it.check_active = true;
    EXPECT_EQ(it.queues.refresh(it.now).changed, Names{"a"});
    EXPECT_TRUE(it.active("a"));
    it.now.flavors.clear();
    EXPECT_EQ(it.queues.refresh(it.now).changed, Names{"a"}) << "its flavor is gone";
    EXPECT_FALSE(it.active("a"));
}

TEST(QueueRegister, FindsCirclesOfCohorts) {
    RegisterWorld it;
    it.add_queue("a", 1, "cohortName: left, ");
    it.add_cohort("left", "right");
    it.queues.refresh(it.now);
    EXPECT_TRUE(it.active("a"));
    it.add_cohort("right", "left");
    EXPECT_EQ(it.queues.refresh(it.now).changed, Names{"a"});
    EXPECT_FALSE(it.active("a"));
    EXPECT_EQ(it.queues.cohorts().size(), 2u);
    it.now.cohorts.pop_back();
    it.queues.refresh(it.now);
    EXPECT_TRUE(it.active("a"));
    EXPECT_EQ(it.queues.cohorts().size(), 1u);
}

TEST(QueueRegister, RemembersWhichNamespacesAQueueTakes) {
    RegisterWorld it;
    it.add_queue("a");
    it.queues.refresh(it.now);
    it.queues.refresh(it.now);
    const QueueInfo* info = it.queues.find("a");
    ASSERT_TRUE(info);
    Map<Text> labels;
    EXPECT_FALSE(info->namespaces.matches(labels));
    labels.set("env", "test");
    EXPECT_TRUE(info->namespaces.matches(labels));
}

}  // namespace queue_register_test
}  // namespace muster::controllers::queue
