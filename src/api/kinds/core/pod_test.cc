#include "api/kinds/core/pod.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "api/codec/decode.h"
#include "api/codec/encode.h"

namespace muster::api::core {
namespace core_pod_test {

// Visits a type and every type its fields lead to, once each.
template <class Visit>
void visit_types(const TypeInfo& type, std::set<const TypeInfo*>& seen, Visit visit) {
    if (!seen.insert(&type).second) return;
    visit(type);
    for (const FieldInfo& field : type.fields) {
        const ValueInfo* value = field.value;
        while (value->element) value = value->element;
        if (value->type) visit_types(value->type(), seen, visit);
    }
}

TEST(Pod, EveryTypeAndFieldThatAPodLeadsToIsDescribed) {
    std::set<const TypeInfo*> seen;
    visit_types(Pod::info(), seen, [](const TypeInfo& type) {
        EXPECT_FALSE(type.doc.empty()) << type.name;
        for (const FieldInfo& field : type.fields) EXPECT_FALSE(field.doc.empty()) << type.name << "." << field.json;
    });
    EXPECT_GT(seen.size(), 80u);
}

TEST(Pod, AListThatMergesByKeyNamesAFieldOfItsElements) {
    std::set<const TypeInfo*> seen;
    visit_types(Pod::info(), seen, [](const TypeInfo& type) {
        for (const FieldInfo& field : type.fields) {
            if (!field.options.merge_key) continue;
            ASSERT_EQ(field.value->shape, Shape::kList) << type.name << "." << field.json;
            EXPECT_TRUE(field.value->element->type().find(field.options.merge_key)) << type.name << "." << field.json;
        }
    });
}

TEST(Pod, WhatAllPodsOfATemplateHaveAlikeIsShared) {
    std::set<std::string> shared;
    for (const FieldInfo& field : PodSpec::info().fields)
        if (field.options.shared) shared.insert(field.json);
    EXPECT_EQ(shared, (std::set<std::string>{"affinity", "containers", "dnsConfig", "hostAliases", "imagePullSecrets",
                                             "initContainers", "nodeSelector", "securityContext", "tolerations",
                                             "topologySpreadConstraints", "volumes"}));
}

TEST(Pod, AnEphemeralContainerHasTheFieldsOfAContainerAndOneMore) {
    const TypeInfo& type = EphemeralContainer::info();
    EXPECT_EQ(type.fields.size(), 2u);
    EXPECT_EQ(type.json_fields.size(), Container::info().json_fields.size() + 1);
    EXPECT_TRUE(type.find("volumeMounts"));
    EXPECT_TRUE(type.find("targetContainerName"));
}

TEST(Pod, AProbesActionStandsBesideItsThresholds) {
    const FieldInfo* field = Probe::info().find("httpGet");
    ASSERT_TRUE(field);
    EXPECT_EQ(field->offset, offsetof(Probe, handler) + offsetof(ProbeHandler, http_get));
    EXPECT_TRUE(Probe::info().find("periodSeconds"));
}

TEST(Pod, ItsOwnTimeToLiveIsNumberedAboveWhatKubernetesUses) {
    const FieldInfo* field = PodSpec::info().find("ttlSecondsAfterFinished");
    ASSERT_TRUE(field);
    EXPECT_EQ(field->number, 63);
    EXPECT_EQ(PodSpec::info().fields.back().json, "ttlSecondsAfterFinished");
}

TEST(Pod, RecordsWithAFieldThatWasRemovedAreRead) {
    PodSpec spec;
    spec.node_name = "n";
    const std::string workload_ref = "\xd2\x02\x06\x0a\x01w\x12\x01g";  // number 42
    EXPECT_EQ(*from_protobuf<PodSpec>(to_protobuf(spec) + workload_ref), spec);
}

TEST(Pod, IsServedAsPodsOfTheCoreGroup) {
    const KindInfo& kind = kind_info<Pod>();
    EXPECT_EQ(kind.api_version(), "v1");
    EXPECT_STREQ(kind.kind, "Pod");
    EXPECT_STREQ(kind.options.plural, "pods");
    EXPECT_STREQ(kind.options.short_names, "po");
    EXPECT_TRUE(kind.options.namespaced);
}

// A hundred thousand pods live in memory: a member that makes them grow is to be a decision, not an accident.
TEST(Pod, StaysSmall) {
    constexpr std::size_t kEach = sizeof(Residue);  // every struct in them has one
    EXPECT_LE(sizeof(Pod), 632u + 4 * kEach);
    EXPECT_LE(sizeof(PodSpec), 328u + kEach);
    EXPECT_LE(sizeof(PodStatus), 168u + kEach);
    EXPECT_LE(sizeof(ContainerStatus), 144u + 3 * kEach);
    EXPECT_LE(sizeof(PodCondition), 56u + kEach);
}

}  // namespace core_pod_test
}  // namespace muster::api::core
