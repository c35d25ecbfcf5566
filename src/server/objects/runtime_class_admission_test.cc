#include "server/objects/runtime_class_admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing/api_objects.h"

namespace muster::server {
namespace runtime_class_admission_test {

using api::core::Pod;
using api::runtime::RuntimeClass;
using testing::HasSubstr;

std::string pod_of_class(const std::string& name, const std::string& more) {
    return "metadata: {name: " + name + "}\nspec: {containers: [{name: c, image: busybox}], " + more + "}";
}

void expect_refused(const Result<Outcome>& outcome, const char* message) {
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().code, Code::kForbidden);
    EXPECT_THAT(outcome.error().message, HasSubstr(message));
}

TEST(RuntimeClassAdmission, APodGetsTheOverheadOfItsClass) {
    ApiObjects api;
    api.create<RuntimeClass>("{metadata: {name: vm}, handler: kata, overhead: {podFixed: {cpu: 250m, memory: 64Mi}}}");
    api.create<RuntimeClass>("{metadata: {name: plain}, handler: runc}");
    const Pod made = api.create<Pod>(pod_of_class("a", "runtimeClassName: vm"));
    ASSERT_EQ(made.spec.overhead.size(), 2u);
    EXPECT_EQ(made.spec.overhead.find("cpu")->text(), "250m");
    EXPECT_EQ(made.spec.overhead.find("memory")->text(), "64Mi");
    EXPECT_TRUE(api.create<Pod>(pod_of_class("b", "runtimeClassName: plain")).spec.overhead.is_null());
    EXPECT_TRUE(
        api.try_create<Pod>(pod_of_class("c", "runtimeClassName: vm, overhead: {cpu: 0.25, memory: 64Mi}")).ok())
        << "the same, written otherwise";
}

TEST(RuntimeClassAdmission, WhatTheClassDoesNotSayIsRefused) {
    ApiObjects api;
    api.create<RuntimeClass>("{metadata: {name: vm}, handler: kata, overhead: {podFixed: {cpu: 250m}}}");
    api.create<RuntimeClass>("{metadata: {name: plain}, handler: runc}");
    expect_refused(api.try_create<Pod>(pod_of_class("a", "runtimeClassName: missing")),
                   "pods \"a\" is forbidden: pod rejected: RuntimeClass \"missing\" not found");
    expect_refused(api.try_create<Pod>(pod_of_class("a", "runtimeClassName: vm, overhead: {cpu: 1}")),
                   "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
    for (const char* more : {"overhead: {cpu: 1}", "overhead: {}", "runtimeClassName: plain, overhead: {cpu: 1}"})
        expect_refused(api.try_create<Pod>(pod_of_class("a", more)),
                       "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
    EXPECT_FALSE(api.find<Pod>("a"));
}

TEST(RuntimeClassAdmission, APodGoesWhereItsClassCanRun) {
    ApiObjects api;
    api.create<RuntimeClass>(
        "{metadata: {name: vm}, handler: kata, scheduling: {nodeSelector: {virt: 'yes'}, tolerations: "
        "[{key: virt, operator: Exists, effect: NoSchedule}]}}");
    const Pod made = api.create<Pod>(pod_of_class("a", "runtimeClassName: vm, nodeSelector: {disk: ssd}"));
    EXPECT_EQ(*made.spec.node_selector.find("disk"), "ssd");
    EXPECT_EQ(*made.spec.node_selector.find("virt"), "yes");
    ASSERT_EQ(made.spec.tolerations.size(), 3u) << "the two that every pod has, and the class's";
    EXPECT_EQ(made.spec.tolerations[2].key, "virt");
    expect_refused(api.try_create<Pod>(pod_of_class("b", "runtimeClassName: vm, nodeSelector: {virt: 'no'}")),
                   "conflict: runtimeClass.scheduling.nodeSelector[virt] = yes; pod.spec.nodeSelector[virt] = no");
    EXPECT_TRUE(api.try_create<Pod>(pod_of_class("b", "runtimeClassName: vm, nodeSelector: {virt: 'yes'}")).ok());
}

TEST(RuntimeClassAdmission, APodThatIsThereStaysAsItIs) {
    ApiObjects api;
    api.create<RuntimeClass>("{metadata: {name: vm}, handler: kata, overhead: {podFixed: {cpu: 250m}}}");
    api.create<Pod>(pod_of_class("a", "runtimeClassName: vm"));
    ASSERT_TRUE(api.remove<RuntimeClass>("vm").ok());
    EXPECT_TRUE(api.update<Pod>("a", [](Pod& pod) { pod.metadata.labels.set("a", "b"); }).ok());
    EXPECT_EQ(api.get<Pod>("a").spec.overhead.find("cpu")->text(), "250m");
}

TEST(RuntimeClassAdmission, TolerationsThatAnotherCoversGo) {
    using api::core::Toleration;
    const auto one = [](const char* key, const char* operation, const char* value, const char* effect,
                        std::optional<std::int64_t> seconds = {}) {
        Toleration it;
        it.key = key;
        it.operator_ = operation;
        it.value = value;
        it.effect = effect;
        it.toleration_seconds = seconds;
        return it;
    };
    const auto merge = [](std::initializer_list<Toleration> own, std::initializer_list<Toleration> more) {
        return merge_tolerations(List<Toleration>(own), List<Toleration>(more));
    };
    const Toleration equal = one("k", "Equal", "v", "NoSchedule");
    const Toleration exists = one("k", "Exists", "", "");
    const Toleration everything = one("", "Exists", "", "");
    const Toleration short_time = one("k", "Exists", "", "NoExecute", 5);
    const Toleration long_time = one("k", "Exists", "", "NoExecute", 50);
    EXPECT_EQ(merge({equal}, {equal}), (List<Toleration>{equal}));
    EXPECT_EQ(merge({equal}, {exists}), (List<Toleration>{exists}));
    EXPECT_EQ(merge({exists}, {equal}), (List<Toleration>{exists}));
    EXPECT_EQ(merge({exists}, {everything}), (List<Toleration>{everything}));
    EXPECT_EQ(merge({one("other", "Exists", "", "")}, {exists}).size(), 2u);
    EXPECT_EQ(merge({one("k", "Equal", "w", "NoSchedule")}, {equal}).size(), 2u);
    EXPECT_EQ(merge({short_time}, {long_time}), (List<Toleration>{long_time}));
    const Toleration for_good = one("k", "Exists", "", "NoExecute");
    EXPECT_EQ(merge({for_good}, {long_time}), (List<Toleration>{for_good}));
    EXPECT_EQ(merge({long_time}, {for_good}), (List<Toleration>{for_good}));
}

}  // namespace runtime_class_admission_test
}  // namespace muster::server
