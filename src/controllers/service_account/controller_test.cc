#include "controllers/service_account/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/testing/fake_world.h"

namespace muster::controllers {
namespace service_account_controller_test {

using api::core::ConfigMap;
using api::core::Namespace;
using api::core::ServiceAccount;

class ServiceAccountControllerTest : public ::testing::Test {
protected:
    ServiceAccountControllerTest() {
        ServiceAccountOptions options;
        options.authority = "PEM";
        controller = std::make_unique<ServiceAccountController>(loop, world, metrics, options);
        controller->start();
        loop.run_for(1s);
    }
    os::VirtualLoop loop;
    FakeWorld world{loop};
    client::Metrics metrics;
    std::unique_ptr<ServiceAccountController> controller;
};

TEST_F(ServiceAccountControllerTest, EveryNamespaceHasItsAccountAndTheCertificate) {
    world.put<Namespace>("metadata: {name: a}");
    loop.run_for(1s);
    EXPECT_TRUE(world.find<ServiceAccount>("a", "default"));
    ASSERT_TRUE(world.find<ConfigMap>("a", "kube-root-ca.crt"));
    EXPECT_EQ(*world.find<ConfigMap>("a", "kube-root-ca.crt")->data.find("ca.crt"), "PEM");
}

TEST_F(ServiceAccountControllerTest, WhatIsTakenAwayComesBack) {
    world.put<Namespace>("metadata: {name: a}");
    loop.run_for(1s);
    world.erase<ServiceAccount>("a", "default");
    world.erase<ConfigMap>("a", "kube-root-ca.crt");
    loop.run_for(1s);
    EXPECT_TRUE(world.find<ServiceAccount>("a", "default"));
    EXPECT_TRUE(world.find<ConfigMap>("a", "kube-root-ca.crt"));
}

TEST_F(ServiceAccountControllerTest, AFailureIsTriedAgain) {
    world.fail("create serviceaccounts", Code::kUnavailable, 2);
    world.put<Namespace>("metadata: {name: a}");
    loop.run_for(10s);
    EXPECT_TRUE(world.find<ServiceAccount>("a", "default"));
}

TEST_F(ServiceAccountControllerTest, ItIsQuietWhenAllIsThere) {
    world.put<Namespace>("metadata: {name: a}");
    loop.run_for(1s);
    const std::size_t calls = world.calls.size();
    loop.run_for(60s);
    EXPECT_EQ(world.calls.size(), calls);
}

}  // namespace service_account_controller_test
}  // namespace muster::controllers
