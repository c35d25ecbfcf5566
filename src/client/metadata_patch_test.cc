#include "client/metadata_patch.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/codec/encode.h"
#include "api/kinds/core/config.h"

namespace muster::client {
namespace metadata_patch_test {

using api::core::ConfigMap;
using api::meta::OwnerReference;

OwnerReference owner(const char* uid, bool controller = false) {
    OwnerReference reference;
    reference.api_version = "batch/v1";
    reference.kind = "Job";
    reference.name = uid;
    reference.uid = uid;
    if (controller) reference.controller = true;
    return reference;
}

TEST(MetadataPatch, ChangesWhatItNamesAndNothingElse) {
    ConfigMap map = api::from_yaml<ConfigMap>(R"(
metadata:
  finalizers: [keep, go]
  annotations: {a: "1", b: "2"}
  ownerReferences: [{uid: u1}, {uid: u2}]
)")
                        .value();
    MetadataPatch patch;
    patch.add_finalizers = {"new", "keep"};
    patch.remove_finalizers = {"go", "never there"};
    patch.add_owners = {owner("u3", true)};
    patch.remove_owners = {"u1"};
    patch.set_annotations = {{"b", "3"}, {"c", "4"}};
    patch.remove_annotations = {"a"};
    for (int i = 0; i < 2; ++i) {  // twice is once
        apply_metadata_patch(patch, map.metadata);
        EXPECT_EQ(map.metadata.finalizers, (List<Text>{"keep", "new"}));
        ASSERT_EQ(map.metadata.owner_references.size(), 2u);
        EXPECT_EQ(map.metadata.owner_references[0].uid, "u2");
        EXPECT_EQ(map.metadata.owner_references[1], owner("u3", true));
        EXPECT_EQ(map.metadata.annotations, (Map<Text>{{"b", "3"}, {"c", "4"}}));
    }
}

TEST(MetadataPatch, AnOwnerOfTheSameUidIsReplaced) {
    api::meta::ObjectMeta metadata;
    metadata.owner_references.edit().push_back(owner("u1"));
    MetadataPatch patch;
    patch.add_owners = {owner("u1", true)};
    apply_metadata_patch(patch, metadata);
    ASSERT_EQ(metadata.owner_references.size(), 1u);
    EXPECT_TRUE(metadata.owner_references[0].controller.value_or(false));
}

TEST(MetadataPatch, WhatIsNotTouchedStaysShared) {
    api::meta::ObjectMeta metadata;
    metadata.finalizers = {"a"};
    metadata.owner_references.edit().push_back(owner("u1"));
    const Text* finalizers = metadata.finalizers.begin();
    const OwnerReference* owners = metadata.owner_references.begin();
    MetadataPatch patch;
    patch.remove_finalizers = {"b"};
    apply_metadata_patch(patch, metadata);
    EXPECT_EQ(metadata.finalizers.begin(), finalizers);
    EXPECT_EQ(metadata.owner_references.begin(), owners);
}

TEST(MetadataPatch, SaysTheSameAsAStrategicMergePatch) {
    MetadataPatch patch("u0");
    patch.remove_finalizers = {"f"};
    patch.add_owners = {owner("u3", true)};
    patch.remove_owners = {"u1"};
    patch.remove_annotations = {"a"};
    EXPECT_EQ(format_metadata_patch(patch),
              R"({"metadata":{"uid":"u0","$deleteFromPrimitiveList/finalizers":["f"],"ownerReferences":[)"
              R"({"apiVersion":"batch/v1","kind":"Job","name":"u3","uid":"u3","controller":true},)"
              R"({"$patch":"delete","uid":"u1"}],"annotations":{"a":null}}})");
}

}  // namespace metadata_patch_test
}  // namespace muster::client
