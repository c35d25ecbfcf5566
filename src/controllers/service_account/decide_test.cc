#include "controllers/service_account/decide.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"

namespace muster::controllers {
namespace service_account_decide_test {

using api::core::ConfigMap;
using api::core::Namespace;

const std::string kAuthority = "PEM";

TEST(NamespaceNeedsTest, ANewNamespaceNeedsBoth) {
    const auto space = api::from_yaml<Namespace>("metadata: {name: a}").value();
    const NamespaceNeeds needs = decide_namespace_needs({space, false, nullptr, kAuthority});
    EXPECT_TRUE(needs.make_account);
    ASSERT_TRUE(needs.make_root_map);
    EXPECT_EQ(needs.make_root_map->metadata.name, "kube-root-ca.crt");
    EXPECT_EQ(needs.make_root_map->metadata.namespace_, "a");
    EXPECT_EQ(*needs.make_root_map->data.find("ca.crt"), "PEM");
    EXPECT_EQ(decide_namespace_needs({space, true, &*needs.make_root_map, kAuthority}), NamespaceNeeds());
}

TEST(NamespaceNeedsTest, AChangedCertificateIsRestored) {
    const auto space = api::from_yaml<Namespace>("metadata: {name: a}").value();
    const auto map =
        api::from_yaml<ConfigMap>("{metadata: {name: kube-root-ca.crt, namespace: a, labels: {x: z}}, data: {b: c}}")
            .value();
    const NamespaceNeeds needs = decide_namespace_needs({space, true, &map, kAuthority});
    EXPECT_FALSE(needs.make_account);
    ASSERT_TRUE(needs.update_root_map);
    EXPECT_EQ(needs.update_root_map->data.size(), 1u);
    EXPECT_EQ(*needs.update_root_map->data.find("ca.crt"), "PEM");
    EXPECT_TRUE(needs.update_root_map->metadata.labels.contains("x"));
}

TEST(NamespaceNeedsTest, ANamespaceThatGoesNeedsNothing) {
    const auto space =
        api::from_yaml<Namespace>("metadata: {name: a, deletionTimestamp: \"2024-01-01T00:00:00Z\"}").value();
    EXPECT_EQ(decide_namespace_needs({space, false, nullptr, kAuthority}), NamespaceNeeds());
}

TEST(NamespaceNeedsTest, AnUnknownCertificateIsNotWritten) {
    const auto space = api::from_yaml<Namespace>("metadata: {name: a}").value();
    const NamespaceNeeds needs = decide_namespace_needs({space, false, nullptr, ""});
    EXPECT_TRUE(needs.make_account);
    EXPECT_FALSE(needs.make_root_map);
}

}  // namespace service_account_decide_test
}  // namespace muster::controllers
