#include "node/environment/service_env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/decode.h"

namespace muster::node {
namespace service_env_test {

using api::core::Service;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::Pair;

ServiceRef make_service(const char* yaml) {
    return std::make_shared<const Service>(api::from_yaml<Service>(yaml).value());
}

const char* kApi =
    "metadata: {name: kubernetes, namespace: default}\n"
    "spec: {clusterIP: 127.0.0.1, ports: [{name: https, port: 6443, protocol: TCP}]}";

TEST(ServiceEnvTest, TheApiIsKnownEverywhere) {
    EXPECT_THAT(
        service_environment({make_service(kApi)}, "ns", false),
        ElementsAre(Pair("KUBERNETES_PORT", "tcp://127.0.0.1:6443"),
                    Pair("KUBERNETES_PORT_6443_TCP", "tcp://127.0.0.1:6443"),
                    Pair("KUBERNETES_PORT_6443_TCP_ADDR", "127.0.0.1"), Pair("KUBERNETES_PORT_6443_TCP_PORT", "6443"),
                    Pair("KUBERNETES_PORT_6443_TCP_PROTO", "tcp"), Pair("KUBERNETES_SERVICE_HOST", "127.0.0.1"),
                    Pair("KUBERNETES_SERVICE_PORT", "6443"), Pair("KUBERNETES_SERVICE_PORT_HTTPS", "6443")));
}

TEST(ServiceEnvTest, ServicesOfTheNamespaceAreLinkedUnlessThePodWantsNoLinks) {
    const ServiceRef redis = make_service(
        "metadata: {name: redis-main, namespace: ns}\n"
        "spec: {clusterIP: 127.9.0.1, ports: [{port: 6379}, {name: admin-x, port: 53, protocol: UDP}]}");
    const Environment linked = service_environment({redis}, "ns", true);
    EXPECT_THAT(linked, Contains(Pair("REDIS_MAIN_SERVICE_HOST", "127.9.0.1")));
    EXPECT_THAT(linked, Contains(Pair("REDIS_MAIN_SERVICE_PORT", "6379")));
    EXPECT_THAT(linked, Contains(Pair("REDIS_MAIN_SERVICE_PORT_ADMIN_X", "53")));
    EXPECT_THAT(linked, Contains(Pair("REDIS_MAIN_PORT", "tcp://127.9.0.1:6379")));
    EXPECT_THAT(linked, Contains(Pair("REDIS_MAIN_PORT_53_UDP", "udp://127.9.0.1:53")));
    EXPECT_THAT(service_environment({redis}, "ns", false), IsEmpty());
    EXPECT_THAT(service_environment({redis}, "other", true), IsEmpty());
}

TEST(ServiceEnvTest, AServiceWithoutAnAddressOfItsOwnHasNoVariables) {
    EXPECT_THAT(
        service_environment({make_service("metadata: {name: s, namespace: ns}\nspec: {clusterIP: None}")}, "ns", true),
        IsEmpty());
    EXPECT_THAT(service_environment({make_service("metadata: {name: s, namespace: ns}\nspec: {ports: [{port: 1}]}")},
                                    "ns", true),
                IsEmpty());
}

TEST(ServiceEnvTest, ANamespacesOwnKubernetesComesFirst) {
    const ServiceRef own = make_service("metadata: {name: kubernetes, namespace: ns}\nspec: {clusterIP: 127.9.0.2}");
    EXPECT_THAT(service_environment({make_service(kApi), own}, "ns", true),
                ElementsAre(Pair("KUBERNETES_SERVICE_HOST", "127.9.0.2")));
    EXPECT_THAT(service_environment({own, make_service(kApi)}, "ns", true),
                ElementsAre(Pair("KUBERNETES_SERVICE_HOST", "127.9.0.2")));
}

TEST(ServiceEnvTest, AnAddressOfVersionSixHasBracketsInAUrl) {
    const ServiceRef six =
        make_service("metadata: {name: s, namespace: ns}\nspec: {clusterIP: \"::1\", ports: [{port: 80}]}");
    EXPECT_THAT(service_environment({six}, "ns", true), Contains(Pair("S_PORT", "tcp://[::1]:80")));
}

}  // namespace service_env_test
}  // namespace muster::node
