#include "assembly/cluster/start_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster {
namespace start_rules_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

TEST(ServerVersion, IsReadFromWhatTheServerSays) {
    EXPECT_EQ(*parse_server_version(R"({"major":"1","minor":"36","gitVersion":"v1.36.3"})"), (ServerVersion{1, 36}));
    EXPECT_EQ(*parse_server_version(R"({"major":"1","minor":"33+"})"), (ServerVersion{1, 33}));
    for (const char* text : {"", "[]", "{}", R"({"major":"1","minor":"x"})", R"({"major":1,"minor":36})"})
        EXPECT_FALSE(parse_server_version(text).ok()) << text;
}

TEST(ServerVersion, ServersBefore132AreRefused) {
    EXPECT_TRUE(check_server_version({1, 32}).ok());
    EXPECT_TRUE(check_server_version({1, 36}).ok());
    EXPECT_TRUE(check_server_version({2, 0}).ok());
    const auto refused = check_server_version({1, 31});
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message, HasSubstr("Kubernetes 1.31"));
    EXPECT_THAT(refused.error().message, HasSubstr("1.32"));
}

std::vector<std::string> asked(const Permission& permission) {
    std::vector<std::string> out;
    for (const AccessQuestion& question : access_questions({permission}, {"", "muster-system", "muster-controllers"}))
        out.push_back(describe_access(question));
    return out;
}

TEST(AccessQuestions, OneForEachVerbOfEachObject) {
    EXPECT_THAT(asked({"", "pods", {"list", "create"}}), ElementsAre("list pods", "create pods"));
    EXPECT_THAT(asked({"batch", "jobs/status", {"patch"}}), ElementsAre("patch jobs.batch/status"));
    EXPECT_THAT(asked({"coordination.k8s.io", "leases", {"get"}, Reach::kHome, {kLeaseNamePlaceholder}}),
                ElementsAre("get leases.coordination.k8s.io \"muster-controllers\" in namespace muster-system"));
    EXPECT_THAT(asked({"x", "y", {"get"}, Reach::kCluster, {"a", "b"}}), ElementsAre("get y.x \"a\"", "get y.x \"b\""));
}

TEST(AccessQuestions, OneNamespaceIsAskedAboutWhenOneIsServed) {
    const auto questions = access_questions({{"", "pods", {"list"}}, {"", "nodes", {"list"}, Reach::kCluster}},
                                            {"team", "muster-system", ""});
    ASSERT_THAT(questions, SizeIs(2));
    EXPECT_EQ(questions[0].attributes.namespace_, "team");
    EXPECT_EQ(questions[1].attributes.namespace_, "");
}

TEST(AccessAnswers, OneMessageListsAllThatIsMissing) {
    auto questions = access_questions({{"", "pods", {"list", "create"}}}, {});
    AccessQuestion optional = questions.front();
    optional.optional = true;
    optional.attributes.resource = "leases";
    questions.push_back(optional);
    const auto refused = check_access_answers(questions);
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message, HasSubstr("\n  list pods\n  create pods"));
    EXPECT_THAT(refused.error().message, Not(HasSubstr("leases")));
    EXPECT_TRUE(check_access_answers({optional}).ok()) << "the work goes on without it";
}

TEST(QueueResources, WhatAClusterLacksIsNamed) {
    EXPECT_THAT(missing_queue_resources(std::nullopt), SizeIs(7));
    const std::string some = R"({"resources":[{"name":"workloads"},{"name":"workloads/status"},{"name":"cohorts"},)"
                             R"({"name":"localqueues"},{"name":"clusterqueues"},{"name":"resourceflavors"}]})";
    EXPECT_THAT(missing_queue_resources(some), ElementsAre("admissionchecks", "workloadpriorityclasses"));
    EXPECT_TRUE(check_queue_resources({}).ok());
    EXPECT_THAT(check_queue_resources({"workloads"}).error().message, HasSubstr("muster manifests crds"));
}

TEST(LiveKueue, Table) {
    const Instant now = Instant() + 1000h;
    const auto lease = [&](const char* holder, Duration age) {
        api::coordination::Lease made;
        made.spec.holder_identity = holder;
        made.spec.lease_duration_seconds = 15;
        made.spec.renew_time = api::MicroTime::from_instant(now - age);
        return made;
    };
    struct Case {
        const char* name;
        KueueSigns signs;
        bool force;
        const char* says;  // null: it may start
    } cases[] = {
        {"no sign of it", {}, false, nullptr},
        {"its lease is renewed", {lease("kueue-1", 3s), {}}, false, "kueue-1 renews the lease"},
        {"its lease is renewed by a clock that is ahead", {lease("kueue-1", -10s), {}}, false, "renews the lease"},
        {"its lease is an old one", {lease("kueue-1", 10min), {}}, false, nullptr},
        {"its lease was given back", {lease("", 3s), {}}, false, nullptr},
        {"its webhooks are there", {{}, {"kueue-mutating-webhook-configuration"}}, false, "kueue-mutating"},
        {"the operator insists", {lease("kueue-1", 3s), {"x"}}, true, nullptr},
    };
    for (const Case& c : cases) {
        const auto checked = check_no_kueue(c.signs, now, c.force);
        EXPECT_EQ(checked.ok(), c.says == nullptr) << c.name;
        if (c.says) {
            EXPECT_THAT(checked.error().message, HasSubstr(c.says)) << c.name;
        }
    }
}

}  // namespace start_rules_test
}  // namespace muster
