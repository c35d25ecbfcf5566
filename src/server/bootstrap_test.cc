#include "server/bootstrap.h"

#include <gtest/gtest.h>

#include "api/kinds/rbac.h"
#include "api/kinds/scheduling.h"
#include "server/testing/api_objects.h"

namespace muster::server {
namespace {

using api::core::Namespace;
using api::scheduling::PriorityClass;

TEST(Bootstrap, MakesWhatEveryServerHas) {
    ApiObjects api;
    ASSERT_TRUE(ensure_first_objects(api.objects, 1).ok());
    for (const char* name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
        SCOPED_TRACE(name);
        ASSERT_TRUE(api.find<Namespace>(name));
        EXPECT_EQ(api.get<Namespace>(name).status.phase, "Active");
    }
    EXPECT_EQ(api.get<PriorityClass>("system-cluster-critical").value, 2'000'000'000);
    EXPECT_EQ(api.get<PriorityClass>("system-node-critical").value, 2'000'001'000);
    for (const char* name : {"cluster-admin", "admin", "edit", "view"}) {
        SCOPED_TRACE(name);
        EXPECT_TRUE(api.find<api::rbac::ClusterRole>(name));
    }
}

TEST(Bootstrap, OfAnOldDirectoryChangesNothing) {
    ApiObjects api;
    ASSERT_TRUE(ensure_first_objects(api.objects, 1).ok());
    ASSERT_TRUE(
        api.update<Namespace>("default", [](Namespace& space) { space.metadata.labels.set("mine", "yes"); }).ok());
    const store::Revision before = api.store->revision();
    ASSERT_TRUE(ensure_first_objects(api.objects, 2).ok());
    EXPECT_EQ(api.store->revision(), before);
    EXPECT_TRUE(api.get<Namespace>("default").metadata.labels.find("mine"));
}

TEST(Bootstrap, MakesAgainWhatSomebodyTookAway) {
    ApiObjects api;
    ASSERT_TRUE(ensure_first_objects(api.objects, 1).ok());
    ASSERT_TRUE(api.remove<PriorityClass>("system-node-critical").ok());
    ASSERT_TRUE(ensure_first_objects(api.objects, 2).ok());
    EXPECT_TRUE(api.find<PriorityClass>("system-node-critical"));
}

}  // namespace
}  // namespace muster::server
