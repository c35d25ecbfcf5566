#include "server/access/rbac/role_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "server/access/rbac/default_roles.h"
#include "server/access/rbac/reconcile_roles.h"
#include "server/access/rbac/rule_match.h"
#include "server/testing/kind_store.h"

namespace muster::server {
namespace role_index_test {

using api::rbac::ClusterRole;
using api::rbac::ClusterRoleBinding;
using api::rbac::Role;
using api::rbac::RoleBinding;

const User kAnn{.name = "ann", .groups = {"dev"}};
const Attributes kListHere{.verb = "list", .resource = "pods", .namespace_ = "here"};
const Attributes kListThere{.verb = "list", .resource = "pods", .namespace_ = "there"};
const Attributes kListAll{.verb = "list", .resource = "pods"};

constexpr const char* kReaderRule = "rules: [{verbs: [list], apiGroups: [''], resources: [pods]}]\n";

struct RoleIndexTest : testing::Test {
    KindStore store;
    RoleIndex roles{*store};

    void put_cluster_role(const std::string& name, const std::string& rest = kReaderRule) {
        store.put<ClusterRole>("metadata: {name: " + name + "}\n" + rest);
    }
    void put_cluster_binding(const std::string& name, const std::string& role, const std::string& subjects) {
        store.put<ClusterRoleBinding>("metadata: {name: " + name +
                                      "}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: " +
                                      role + "}\nsubjects: " + subjects);
    }
    void put_binding(const std::string& namespace_, const std::string& name, const std::string& kind,
                     const std::string& role, const std::string& subjects) {
        store.put<RoleBinding>("metadata: {name: " + name + ", namespace: " + namespace_ +
                               "}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: " + kind + ", name: " + role +
                               "}\nsubjects: " + subjects);
    }
    bool may(const User& user, const Attributes& attributes) { return authorize(roles, user, attributes).allowed; }
    std::string reason(const User& user, const Attributes& attributes) {
        return authorize(roles, user, attributes, Explain::kEverything).reason;
    }
};

TEST_F(RoleIndexTest, WithoutARoleOnlyMastersMayDoAnything) {
    EXPECT_FALSE(may(kAnn, kListHere));
    EXPECT_TRUE(may({.name = "root", .groups = {"system:masters"}}, kListHere));
    const auto refused = check_access(roles, kAnn, kListHere);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error(),
              (Error{Code::kForbidden,
                     "pods is forbidden: User \"ann\" cannot list resource \"pods\" in API group \"\" in the "
                     "namespace \"here\"",
                     {},
                     {"", "", "pods"}}));
}

TEST_F(RoleIndexTest, AClusterBindingHoldsEverywhere) {
    put_cluster_role("reader");
    put_cluster_binding("readers", "reader", "[{kind: User, name: ann}]");
    for (const Attributes& attributes : {kListHere, kListThere, kListAll}) EXPECT_TRUE(may(kAnn, attributes));
    EXPECT_FALSE(may({.name = "bob"}, kListHere));
    EXPECT_EQ(reason(kAnn, kListAll),
              "RBAC: allowed by ClusterRoleBinding \"readers\" of ClusterRole \"reader\" to User \"ann\"");
    EXPECT_TRUE(authorize(roles, kAnn, kListAll).reason.empty());
}

TEST_F(RoleIndexTest, ABindingHoldsInItsNamespaceOnlyWhateverRoleItNames) {
    put_cluster_role("reader");
    store.put<Role>(std::string("metadata: {name: local, namespace: there}\n") + kReaderRule);
    put_binding("here", "b", "ClusterRole", "reader", "[{kind: Group, name: dev}]");
    EXPECT_TRUE(may(kAnn, kListHere));
    EXPECT_FALSE(may(kAnn, kListThere));
    EXPECT_FALSE(may(kAnn, kListAll));
    EXPECT_EQ(reason(kAnn, kListHere),
              "RBAC: allowed by RoleBinding \"b/here\" of ClusterRole \"reader\" to Group \"dev\"");
    put_binding("there", "b", "Role", "local", "[{kind: User, name: ann}]");
    EXPECT_TRUE(may(kAnn, kListThere));
    // A Role is of its own namespace.
    put_binding("here", "b", "Role", "local", "[{kind: User, name: ann}]");
    EXPECT_FALSE(may(kAnn, kListHere));
}

TEST_F(RoleIndexTest, AServiceAccountIsOfTheBindingsNamespaceUnlessItSaysOtherwise) {
    put_cluster_role("reader");
    const auto account = [](const char* namespace_) {
        return User{.name = service_account_user_name(namespace_, "runner")};
    };
    put_binding("here", "b", "ClusterRole", "reader", "[{kind: ServiceAccount, name: runner}]");
    EXPECT_TRUE(may(account("here"), kListHere));
    EXPECT_FALSE(may(account("there"), kListHere));
    put_binding("here", "b", "ClusterRole", "reader", "[{kind: ServiceAccount, name: runner, namespace: there}]");
    EXPECT_TRUE(may(account("there"), kListHere));
    EXPECT_FALSE(may(account("here"), kListHere));
    EXPECT_EQ(reason(account("there"), kListHere),
              "RBAC: allowed by RoleBinding \"b/here\" of ClusterRole \"reader\" to ServiceAccount \"runner/there\"");
    put_cluster_binding("c", "reader", "[{kind: ServiceAccount, name: runner}]");
    EXPECT_FALSE(may(account(""), kListAll));
}

TEST_F(RoleIndexTest, ChangesHoldFromTheMomentTheyAreWritten) {
    put_cluster_binding("readers", "reader", "[{kind: User, name: ann}]");
    EXPECT_EQ(reason(kAnn, kListAll), "RBAC: clusterrole.rbac.authorization.k8s.io \"reader\" not found");
    put_cluster_role("reader");
    EXPECT_TRUE(may(kAnn, kListAll));
    put_cluster_role("reader", "rules: []");
    EXPECT_FALSE(may(kAnn, kListAll));
    put_cluster_role("reader");
    EXPECT_TRUE(may(kAnn, kListAll));
    put_cluster_binding("readers", "reader", "[{kind: User, name: bob}, {kind: Group, name: dev}]");
    EXPECT_TRUE(may(kAnn, kListAll));
    EXPECT_TRUE(may({.name = "bob"}, kListAll));
    put_cluster_binding("readers", "reader", "[{kind: User, name: bob}]");
    EXPECT_FALSE(may(kAnn, kListAll));
    store.remove<ClusterRoleBinding>("", "readers");
    EXPECT_FALSE(may({.name = "bob"}, kListAll));
    put_cluster_binding("readers", "reader", "[{kind: User, name: bob}]");
    store.remove<ClusterRole>("", "reader");
    EXPECT_FALSE(may({.name = "bob"}, kListAll));
}

TEST_F(RoleIndexTest, MissingRolesAreNamedOnlyInADenial) {
    put_binding("here", "b", "Role", "gone", "[{kind: User, name: ann}]");
    put_cluster_binding("c", "lost", "[{kind: User, name: ann}]");
    EXPECT_EQ(reason(kAnn, kListHere),
              "RBAC: [clusterrole.rbac.authorization.k8s.io \"lost\" not found, role.rbac.authorization.k8s.io "
              "\"gone\" not found]");
    put_cluster_role("lost");
    EXPECT_EQ(reason(kAnn, kListHere),
              "RBAC: allowed by ClusterRoleBinding \"c\" of ClusterRole \"lost\" to User \"ann\"");
}

TEST_F(RoleIndexTest, ABindingThatNamesAUserTwiceHoldsOnce) {
    put_cluster_role("reader");
    put_cluster_binding("c", "reader", "[{kind: User, name: ann}, {kind: Group, name: dev}]");
    EXPECT_EQ(rules_for(roles, kAnn, "here").rules.size(), 1u);
}

TEST_F(RoleIndexTest, RulesOfARoleAreFoundByTheBindingsReference) {
    store.put<Role>(std::string("metadata: {name: local, namespace: here}\n") + kReaderRule);
    api::rbac::RoleRef ref;
    ref.kind = "Role";
    ref.name = "local";
    EXPECT_EQ(roles.rules_of(ref, "here")->size(), 1u);
    EXPECT_EQ(roles.rules_of(ref, "there").error(),
              (Error{Code::kNotFound, "roles.rbac.authorization.k8s.io \"local\" not found"}));
    ref.kind = "ClusterRole";
    EXPECT_EQ(roles.rules_of(ref, "here").error(),
              (Error{Code::kNotFound, "clusterroles.rbac.authorization.k8s.io \"local\" not found"}));
}

TEST(RoleIndexHistory, WhatWasMissedIsReadAgain) {
    KindStore store({.history_events_max = 64});
    RoleIndex roles(*store);
    store.put<ClusterRoleBinding>(
        "metadata: {name: readers}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}\n"
        "subjects: [{kind: User, name: ann}]");
    for (int i = 0; i < 1000; ++i)
        store.put<ClusterRole>("metadata: {name: reader, labels: {i: x" + std::to_string(i) + "}}\n" + kReaderRule);
    EXPECT_TRUE(authorize(roles, kAnn, kListAll).allowed);
    store.remove<ClusterRole>("", "reader");
    EXPECT_FALSE(authorize(roles, kAnn, kListAll).allowed);
}

// What the index says against what reading every object says, while roles and bindings come, change and go.
struct PlainReading {
    KindStore& store;

    template <class K>
    std::vector<const K*> all() {
        std::vector<const K*> objects;
        const store::Listing listing = store->list(list_prefix(api::kind_info<K>(), "")).value();
        for (const store::Stored& stored : listing.items)
            objects.push_back(&static_cast<const TypedObject<K>&>(*stored.object).value);
        return objects;
    }
    bool role_allows(const api::rbac::RoleRef& ref, std::string_view namespace_, const Attributes& attributes) {
        const auto any = [&](const auto& role) {
            return role->metadata.name == ref.name && role->metadata.namespace_ == namespace_ &&
                   std::any_of(role->rules.begin(), role->rules.end(),
                               [&](const auto& rule) { return rule_allows(rule, attributes); });
        };
        if (ref.kind == "Role") {
            const auto roles = all<Role>();
            return std::any_of(roles.begin(), roles.end(), any);
        }
        namespace_ = {};
        const auto roles = all<ClusterRole>();
        return std::any_of(roles.begin(), roles.end(), any);
    }
    template <class K>
    bool some_binding_allows(const User& user, const Attributes& attributes) {
        for (const K* binding : all<K>()) {
            const std::string_view own = binding->metadata.namespace_;
            if (!own.empty() && own != attributes.namespace_) continue;
            for (const auto& subject : binding->subjects) {
                const std::string_view of = subject.namespace_.empty() ? own : subject.namespace_.view();
                const bool is = subject.kind == "User"    ? subject.name == user.name
                                : subject.kind == "Group" ? user.in_group(subject.name)
                                                          : user.name == service_account_user_name(of, subject.name);
                if (is && role_allows(binding->role_ref, own, attributes)) return true;
            }
        }
        return false;
    }
    bool allows(const User& user, const Attributes& attributes) {
        return some_binding_allows<ClusterRoleBinding>(user, attributes) ||
               some_binding_allows<RoleBinding>(user, attributes);
    }
};

class RandomRoles {
public:
    RandomRoles(KindStore& store, std::uint64_t seed) : store_(store), random_(seed) {}

    void step() {
        switch (random_.below(4)) {
            case 0: return change<ClusterRole>("", [&](ClusterRole& role) { role.rules = {rule()}; });
            case 1: return change<Role>(place(), [&](Role& role) { role.rules = {rule()}; });
            case 2: return change<ClusterRoleBinding>("", [&](auto& binding) { fill(binding, "ClusterRole"); });
            default:
                return change<RoleBinding>(
                    place(), [&](auto& binding) { fill(binding, random_.below(2) ? "Role" : "ClusterRole"); });
        }
    }
    User user() {
        User made{.name = random_.below(2) ? "user" + number() : service_account_user_name(place(), "sa" + number())};
        made.groups = {"group" + number()};
        return made;
    }
    Attributes attributes() {
        static constexpr const char* kVerbs[] = {"get", "list"};
        static constexpr const char* kNamespaces[] = {"", "here", "there"};
        return {.verb = kVerbs[random_.below(2)], .resource = "pods", .namespace_ = kNamespaces[random_.below(3)]};
    }

private:
    std::string number() { return std::to_string(random_.below(3)); }
    std::string place() { return random_.below(2) ? "here" : "there"; }
    api::rbac::PolicyRule rule() {
        api::rbac::PolicyRule made;
        made.verbs = {random_.below(2) ? "get" : "list"};
        made.api_groups = {""};
        made.resources = {"pods"};
        return made;
    }
    void fill(auto& binding, const char* kind) {
        binding.role_ref.kind = kind;
        binding.role_ref.name = "o" + number();
        for (std::uint64_t left = random_.below(3); left > 0; --left) {
            api::rbac::Subject subject;
            static constexpr const char* kKinds[] = {"User", "Group", "ServiceAccount"};
            static constexpr const char* kNames[] = {"user", "group", "sa"};
            const auto which = random_.below(3);
            subject.kind = kKinds[which];
            subject.name = kNames[which] + number();
            if (which == 2 && random_.below(2)) subject.namespace_ = place();
            binding.subjects.edit().push_back(subject);
        }
    }
    template <class K>
    void change(const std::string& namespace_, auto edit) {
        K made;
        made.metadata.name = "o" + number();
        made.metadata.namespace_ = namespace_;
        const std::string key = object_key(api::kind_info<K>(), namespace_, made.metadata.name);
        if (random_.below(3) == 0) {
            (void)store_->remove(key).ok();
            return;
        }
        edit(made);
        store_.put(made);
    }

    KindStore& store_;
    Prng random_;
};

TEST(RoleIndexProperty, TheIndexSaysWhatReadingEverythingSays) {
    int allowed = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        KindStore store;
        const RoleIndex roles(*store);
        RandomRoles world(store, seed);
        PlainReading plain{store};
        for (int step = 0; step < 150; ++step) {
            world.step();
            for (int i = 0; i < 3; ++i) {
                const User user = world.user();
                const Attributes attributes = world.attributes();
                const bool expected = plain.allows(user, attributes);
                allowed += expected;
                ASSERT_EQ(authorize(roles, user, attributes).allowed, expected) << seed << " " << step;
            }
        }
    }
    EXPECT_GT(allowed, 300);  // it is not always no
}

// Not an assertion about time, which depends on the machine: the figure is in the test's properties.
TEST(RoleIndexSpeed, ATypicalCheckTakesAboutAMicrosecond) {
    KindStore store;
    Prng random(1);
    ensure_default_roles(*store, default_roles(), store.loop().now(), random);
    for (int i = 0; i < 1000; ++i)
        store.put<RoleBinding>("metadata: {name: b" + std::to_string(i) + ", namespace: team" +
                               std::to_string(i % 100) +
                               "}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}\n"
                               "subjects: [{kind: User, name: user" +
                               std::to_string(i) + "}]");
    const RoleIndex roles(*store);
    const User user{.name = "user707", .groups = {"dev", "ops", "system:authenticated"}};
    const Attributes create_job{
        .verb = "create", .group = "batch", .version = "v1", .resource = "jobs", .namespace_ = "team7"};
    EXPECT_TRUE(authorize(roles, user, create_job).allowed);
    EXPECT_FALSE(authorize(roles, user, {.verb = "create", .group = "batch", .resource = "jobs", .namespace_ = "team8"})
                     .allowed);
    constexpr int kRounds = 100'000;
    const auto start = std::chrono::steady_clock::now();
    int allowed = 0;
    for (int i = 0; i < kRounds; ++i) allowed += authorize(roles, user, create_job).allowed;
    const auto each = (std::chrono::steady_clock::now() - start) / kRounds;
    EXPECT_EQ(allowed, kRounds);
    RecordProperty("nanoseconds", std::to_string(each.count()));
}

}  // namespace role_index_test
}  // namespace muster::server
