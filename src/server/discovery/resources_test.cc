#include "server/discovery/resources.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "api/kinds/all.h"

namespace muster::server {
namespace resources_test {

TEST(ServedResources, EveryKindWithAPathIsServedOnce) {
    std::set<const api::KindInfo*> served;
    for (const ServedVersion& version : served_versions()) {
        for (const ServedResource& resource : version.resources) {
            EXPECT_EQ(version.group, resource.kind->group) << resource.kind->kind;
            EXPECT_EQ(version.version, resource.kind->version) << resource.kind->kind;
            EXPECT_TRUE(served.insert(resource.kind).second) << resource.kind->kind;
        }
    }
    for (const api::KindInfo* kind : api::all_kinds())
        EXPECT_EQ(served.contains(kind), kind->options.plural != nullptr) << kind->kind;
}

TEST(ServedResources, ResourcesAreSortedByPlural) {
    for (const ServedVersion& version : served_versions()) {
        EXPECT_TRUE(std::ranges::is_sorted(version.resources, {}, [](const ServedResource& resource) {
            return std::string_view(resource.kind->options.plural);
        })) << version.group_version();
        for (const ServedResource& resource : version.resources)
            EXPECT_TRUE(std::ranges::is_sorted(resource.subresources, {}, &ServedSubresource::name));
    }
}

TEST(ServedResources, AreFoundByPath) {
    const ServedResource* jobs = find_served("batch", "v1", "jobs");
    ASSERT_TRUE(jobs);
    EXPECT_STREQ(jobs->kind->kind, "Job");
    EXPECT_EQ(jobs->singular(), "job");
    EXPECT_TRUE(jobs->verbs.has(Verb::kDeleteCollection));
    ASSERT_TRUE(jobs->find_subresource("status"));
    EXPECT_FALSE(jobs->find_subresource("status")->verbs.has(Verb::kCreate));
    EXPECT_FALSE(jobs->find_subresource("scale"));
    EXPECT_FALSE(find_served("batch", "v1beta1", "jobs"));
    EXPECT_FALSE(find_served("batch", "v1", "job"));
    EXPECT_EQ(find_version("", "v1")->path(), "api/v1");
    EXPECT_EQ(find_version("batch", "v1")->path(), "apis/batch/v1");
}

TEST(ServedResources, WhatClientsInsistOnListingIsThereAndEmpty) {
    const std::pair<const char*, const char*> names[] = {
        {"", "replicationcontrollers"},
        {"", "endpoints"},
        {"apps", "controllerrevisions"},
        {"apps", "daemonsets"},
        {"apps", "deployments"},
        {"autoscaling", "horizontalpodautoscalers"},
        {"certificates.k8s.io", "certificatesigningrequests"},
        {"networking.k8s.io", "ingresses"},
        {"networking.k8s.io", "ingressclasses"},
        {"networking.k8s.io", "networkpolicies"},
        {"admissionregistration.k8s.io", "mutatingwebhookconfigurations"},
        {"admissionregistration.k8s.io", "validatingwebhookconfigurations"},
        {"apps", "replicasets"},
        {"apps", "statefulsets"},
        {"apiextensions.k8s.io", "customresourcedefinitions"},
        {"storage.k8s.io", "storageclasses"},
        {"storage.k8s.io", "csinodes"},
        {"storage.k8s.io", "csidrivers"},
        {"storage.k8s.io", "volumeattachments"},
        {"storage.k8s.io", "csistoragecapacities"},
        {"resource.k8s.io", "resourceclaims"},
        {"resource.k8s.io", "resourceslices"},
        {"resource.k8s.io", "deviceclasses"}};
    EXPECT_EQ(find_group("autoscaling")->version, "v2");
    for (const auto& [group, plural] : names) {
        const ServedResource* resource = find_served(group, "v1", plural);
        ASSERT_TRUE(resource) << plural;
        EXPECT_TRUE(resource->empty) << plural;
        EXPECT_EQ(resource->verbs, (Verbs{Verb::kGet, Verb::kList, Verb::kWatch})) << plural;
    }
}

}  // namespace resources_test
}  // namespace muster::server
