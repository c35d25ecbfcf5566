#include "server/bootstrap.h"

#include <gtest/gtest.h>

#include "api/kinds/core/service.h"
#include "api/kinds/core/service_account.h"
#include "api/kinds/rbac.h"
#include "api/kinds/scheduling.h"
#include "server/testing/api_objects.h"

namespace muster::server {
namespace bootstrap_test {

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

TEST(Bootstrap, RecreatesDeletedObjects) {
    ApiObjects api;
    ASSERT_TRUE(ensure_first_objects(api.objects, 1).ok());
    ASSERT_TRUE(api.remove<PriorityClass>("system-node-critical").ok());
    ASSERT_TRUE(ensure_first_objects(api.objects, 2).ok());
    EXPECT_TRUE(api.find<PriorityClass>("system-node-critical"));
}

TEST(Bootstrap, EveryNamespaceHasADefaultAccount) {
    ApiObjects api;
    ASSERT_TRUE(ensure_default_accounts(api.objects).ok());
    EXPECT_TRUE(api.find<api::core::ServiceAccount>("default"));
    const store::Revision before = api.store->revision();
    ASSERT_TRUE(ensure_default_accounts(api.objects).ok());
    EXPECT_EQ(api.store->revision(), before);
}

TEST(Bootstrap, TheServersOwnServiceSaysWhereItIsNow) {
    ApiObjects api;
    ASSERT_TRUE(ensure_first_objects(api.objects, 1).ok());
    const auto service = [&] {
        return ApiObjects::as<api::core::Service>(
            api.objects.get({api::kind_info<api::core::Service>(), "default", "kubernetes"}).value());
    };
    ASSERT_TRUE(ensure_api_service(api.objects, "127.0.0.1", 6443).ok());
    EXPECT_EQ(service().spec.cluster_ip, "127.0.0.1");
    EXPECT_EQ(service().spec.ports[0].port, 6443);
    const store::Revision before = api.store->revision();
    ASSERT_TRUE(ensure_api_service(api.objects, "127.0.0.1", 6443).ok());
    EXPECT_EQ(api.store->revision(), before);
    ASSERT_TRUE(ensure_api_service(api.objects, "127.0.0.1", 7000).ok());
    EXPECT_EQ(service().spec.ports[0].port, 7000);
}

}  // namespace bootstrap_test
}  // namespace muster::server
