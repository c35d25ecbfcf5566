#include "server/registry/kind_registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "api/kinds/all.h"
#include "api/kinds/kind_list.h"
#include "api/rules/kind_rules.h"

namespace muster::server {
namespace kind_registry_test {

const KindRegistry& kinds() { return *KindRegistry::declared(); }

std::vector<const api::KindInfo*> stored_kinds() {
    std::vector<const api::KindInfo*> stored;
    api::for_each_kind<api::StoredKinds>([&]<class K>() { stored.push_back(&api::kind_info<K>()); });
    return stored;
}

TEST(ServedResources, EveryKindWithAPathIsServedOnce) {
    std::set<const api::KindInfo*> served;
    for (const ServedVersion& version : kinds().versions()) {
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
    for (const ServedVersion& version : kinds().versions()) {
        EXPECT_TRUE(std::ranges::is_sorted(version.resources, {}, [](const ServedResource& resource) {
            return std::string_view(resource.kind->options.plural);
        })) << version.group_version();
        for (const ServedResource& resource : version.resources)
            EXPECT_TRUE(std::ranges::is_sorted(resource.subresources, {}, &ServedSubresource::name));
    }
}

TEST(ServedResources, AreFoundByPath) {
    const ServedResource* jobs = kinds().find_served("batch", "v1", "jobs");
    ASSERT_TRUE(jobs);
    EXPECT_STREQ(jobs->kind->kind, "Job");
    EXPECT_EQ(jobs->singular(), "job");
    EXPECT_TRUE(jobs->verbs.has(Verb::kDeleteCollection));
    ASSERT_TRUE(jobs->find_subresource("status"));
    EXPECT_FALSE(jobs->find_subresource("status")->verbs.has(Verb::kCreate));
    EXPECT_FALSE(jobs->find_subresource("scale"));
    EXPECT_FALSE(kinds().find_served("batch", "v1beta1", "jobs"));
    EXPECT_FALSE(kinds().find_served("batch", "v1", "job"));
    EXPECT_EQ(kinds().find_version("", "v1")->path(), "api/v1");
    EXPECT_EQ(kinds().find_version("batch", "v1")->path(), "apis/batch/v1");
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
    EXPECT_EQ(kinds().find_group("autoscaling")->version, "v2");
    for (const auto& [group, plural] : names) {
        const ServedResource* resource = kinds().find_served(group, "v1", plural);
        ASSERT_TRUE(resource) << plural;
        EXPECT_TRUE(resource->empty) << plural;
        EXPECT_EQ(resource->verbs, (Verbs{Verb::kGet, Verb::kList, Verb::kWatch})) << plural;
    }
}

TEST(KindRegistry, EveryStoredKindHasAllItsProperties) {
    for (const api::KindInfo* kind : stored_kinds()) {
        SCOPED_TRACE(kind->kind);
        ASSERT_TRUE(kind->options.plural);
        EXPECT_EQ(kinds().find_stored(storage_prefix(*kind)), kind);
        const ServedResource* served = kinds().find_served(kind->group, kind->version, kind->options.plural);
        ASSERT_TRUE(served);
        EXPECT_EQ(served->kind, kind);
        EXPECT_FALSE(served->empty || served->virtual_only);
        const api::KindRules* rules = api::find_rules(*kind);
        ASSERT_TRUE(rules);
        EXPECT_EQ(rules->kind, kind);
        EXPECT_EQ(served->find_subresource("status") != nullptr, rules->prepare_status_update != nullptr);
        EXPECT_EQ(served->find_subresource("finalize") != nullptr, rules->spec_finalizers != nullptr);
    }
}

const api::DefinedKind kWidget{.group = "example.dev", .version = "v1", .kind = "Widget", .plural = "widgets"};

TEST(KindRegistry, HasDefinedKindsBehindTheDeclaredOnes) {
    api::DefinedKind gadget = kWidget;
    gadget.kind = "Gadget";
    gadget.plural = "gadgets";
    gadget.has_status = true;
    const KindRegistry::Ptr registry = KindRegistry::with({kWidget, gadget}).value();
    EXPECT_EQ(registry->versions().size(), kinds().versions().size() + 1);
    EXPECT_EQ(registry->versions().back().path(), "apis/example.dev/v1");
    const ServedResource* widgets = registry->find_served("example.dev", "v1", "widgets");
    ASSERT_TRUE(widgets);
    EXPECT_EQ(widgets->singular(), "widget");
    EXPECT_EQ(widgets->kind, &api::kind_info_of(kWidget));
    EXPECT_EQ(registry->find_stored("/example.dev/widgets/"), widgets->kind);
    EXPECT_FALSE(widgets->find_subresource("status"));
    EXPECT_TRUE(registry->find_served("example.dev", "v1", "gadgets")->find_subresource("status"));
    EXPECT_EQ(registry->find_served("batch", "v1", "jobs")->kind, kinds().find_served("batch", "v1", "jobs")->kind);
    EXPECT_FALSE(kinds().find_served("example.dev", "v1", "widgets")) << "a registry does not change";
}

TEST(KindRegistry, RefusesTwoKindsInOnePlace) {
    api::DefinedKind other_kind = kWidget;
    other_kind.kind = "Other";
    api::DefinedKind other_version = kWidget;
    other_version.version = "v2";
    const api::DefinedKind jobs{.group = "batch", .version = "v9", .kind = "Job", .plural = "jobs"};
    const api::DefinedKind unserved{.group = "apps", .version = "v1", .kind = "Deployment", .plural = "deployments"};
    const std::pair<const char*, std::vector<api::DefinedKind>> cases[] = {
        {"the same path", {kWidget, other_kind}},
        {"the same storage", {kWidget, other_version}},
        {"the storage of a declared kind", {jobs}},
        {"the path of a list that is always empty", {unserved}},
    };
    for (const auto& [why, defined] : cases) {
        const auto made = KindRegistry::with(defined);
        ASSERT_FALSE(made.ok()) << why;
        EXPECT_EQ(made.error().code, Code::kAlreadyExists) << why;
    }
}

TEST(KindRegistry, AReaderKeepsTheOneThatItHas) {
    Kinds now;
    const KindRegistry::Ptr before = now.now();
    now.replace(KindRegistry::with({kWidget}).value());
    EXPECT_FALSE(before->find_group("example.dev"));
    EXPECT_TRUE(now.now()->find_group("example.dev"));
}

}  // namespace kind_registry_test
}  // namespace muster::server
