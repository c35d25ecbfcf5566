#include "server/identity/stored_bound_objects.h"

#include <gtest/gtest.h>

#include "api/kinds/core/config.h"
#include "api/kinds/core/node.h"
#include "api/kinds/core/pod.h"
#include "api/kinds/core/service_account.h"
#include "server/testing/kind_store.h"

namespace muster::server {
namespace stored_bound_objects_test {

TEST(StoredBoundObjects, AreFoundWithWhatATokenAsksOfThem) {
    KindStore store;
    store.put<api::core::ServiceAccount>("metadata: {name: runner, namespace: batch, uid: u1}");
    store.put<api::core::Secret>("metadata: {name: s, namespace: batch, uid: u2}");
    store.put<api::core::Node>("metadata: {name: node-1, uid: u3}");
    store.put<api::core::Pod>(
        "metadata: {name: p, namespace: batch, uid: u4, deletionTimestamp: 2023-11-14T22:13:20Z}\n"
        "spec: {serviceAccountName: runner, nodeName: node-1}");
    const StoredBoundObjects objects(*store);
    EXPECT_EQ(objects.find(BoundKind::kServiceAccount, "batch", "runner")->uid, "u1");
    EXPECT_EQ(objects.find(BoundKind::kSecret, "batch", "s")->uid, "u2");
    EXPECT_EQ(objects.find(BoundKind::kNode, "", "node-1")->uid, "u3");
    const BoundObject pod = objects.find(BoundKind::kPod, "batch", "p").value();
    EXPECT_EQ(pod.uid, "u4");
    EXPECT_EQ(pod.deleted_at, Instant::from_unix_seconds(1'700'000'000));
    EXPECT_EQ(pod.service_account, "runner");
    EXPECT_EQ(pod.node_name, "node-1");
}

TEST(StoredBoundObjects, NamesThatReachElsewhereFindNothing) {
    KindStore store;
    store.put<api::core::Secret>("metadata: {name: s, namespace: batch, uid: u2}");
    const StoredBoundObjects objects(*store);
    EXPECT_TRUE(objects.find(BoundKind::kSecret, "batch", "s"));
    EXPECT_FALSE(objects.find(BoundKind::kSecret, "other", "s"));
    EXPECT_FALSE(objects.find(BoundKind::kSecret, "", "batch/s"));
    EXPECT_FALSE(objects.find(BoundKind::kSecret, "batch", ""));
    EXPECT_FALSE(objects.find(BoundKind::kSecret, "", "s"));
}

}  // namespace stored_bound_objects_test
}  // namespace muster::server
