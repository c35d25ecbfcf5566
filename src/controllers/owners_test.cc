#include "controllers/owners.h"

#include <gtest/gtest.h>

namespace muster::controllers {
namespace owners_test {

api::meta::ObjectMeta named(const char* name, const char* uid) {
    api::meta::ObjectMeta metadata;
    metadata.name = name;
    metadata.uid = uid;
    return metadata;
}

TEST(Owners, AnOwnerAmongOthersDoesNotManageNorHoldUpADeletion) {
    const auto reference = owner_reference(kPodOwner, named("p", "u1"));
    EXPECT_EQ(reference.api_version, "v1");
    EXPECT_EQ(reference.kind, "Pod");
    EXPECT_EQ(reference.name, "p");
    EXPECT_EQ(reference.uid, "u1");
    EXPECT_FALSE(reference.controller);
    EXPECT_FALSE(reference.block_owner_deletion);
}

TEST(Owners, TheManagingOwnerIsFoundAmongOthersAndByItsKind) {
    api::meta::ObjectMeta metadata;
    EXPECT_EQ(controller_of(metadata), nullptr);
    metadata.owner_references.edit().push_back(owner_reference(kPodOwner, named("p", "u1")));
    EXPECT_EQ(controller_of(metadata), nullptr);
    metadata.owner_references.edit().push_back(controller_reference(kJobOwner, named("j", "u2")));
    ASSERT_NE(controller_of(metadata), nullptr);
    EXPECT_EQ(controller_of(metadata)->uid, "u2");
    EXPECT_EQ(controller_of(metadata)->block_owner_deletion, true);
    EXPECT_EQ(controller_of(metadata, kJobOwner), controller_of(metadata));
    EXPECT_EQ(controller_of(metadata, kCronJobOwner), nullptr) << "the same API version, another kind";
    metadata.owner_references.edit().back().api_version = "batch/v2";
    EXPECT_EQ(controller_of(metadata, kJobOwner), nullptr) << "the same kind of another API version";
}

}  // namespace owners_test
}  // namespace muster::controllers
