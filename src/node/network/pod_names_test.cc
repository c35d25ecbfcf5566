#include "node/network/pod_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "api/codec/decode.h"

namespace muster::node {
namespace pod_names_test {

using api::core::Pod;
using api::core::Service;
using testing::ElementsAre;
using testing::IsEmpty;

ServiceRef named_service(const std::string& yaml) {
    return std::make_shared<const Service>(api::from_yaml<Service>(yaml).value());
}
Pod named_pod(const std::string& metadata, const std::string& spec, const std::string& status) {
    return api::from_yaml<Pod>("metadata: {name: job-3-x7f2p, namespace: ns, labels: {job-name: job}" + metadata +
                               "}\nspec: {" + spec + "}\nstatus: {podIP: 127.64.0.7" + status + "}")
        .value();
}

const char* kReady = ", phase: Running, conditions: [{type: Ready, status: \"True\"}]";
const char* kNotReady = ", phase: Running, conditions: [{type: Ready, status: \"False\"}]";
const char* kIndexed = "hostname: job-3, subdomain: my-svc";
const std::string kHeadless =
    "metadata: {name: my-svc, namespace: ns}\nspec: {clusterIP: None, selector: {job-name: job}";
const std::string kServiceForms = " my-svc.ns.svc.cluster.local my-svc.ns.svc my-svc.ns";
const std::string kHostForms = " job-3.my-svc.ns.svc.cluster.local job-3.my-svc.ns.svc job-3.my-svc.ns";

TEST(PodNamesTest, WhatAHeadlessServiceMakesKnown) {
    const struct {
        const char* story;
        Pod pod;
        std::string service;
        const char* reader;
        std::vector<std::string> lines;
    } cases[] = {
        {"a ready pod has its own name and the service's, in every form",
         named_pod("", kIndexed, kReady),
         kHeadless + "}",
         "ns",
         {"127.64.0.7" + kHostForms + " job-3.my-svc" + kServiceForms + " my-svc"}},
        {"another namespace does not have the short forms",
         named_pod("", kIndexed, kReady),
         kHeadless + "}",
         "other",
         {"127.64.0.7" + kHostForms + kServiceForms}},
        {"without a subdomain there is only the service's",
         named_pod("", "hostname: job-3", kReady),
         kHeadless + "}",
         "ns",
         {"127.64.0.7" + kServiceForms + " my-svc"}},
        {"with another service's subdomain, too",
         named_pod("", "hostname: job-3, subdomain: x", kReady),
         kHeadless + "}",
         "ns",
         {"127.64.0.7" + kServiceForms + " my-svc"}},
        {"without a host name, too",
         named_pod("", "subdomain: my-svc", kReady),
         kHeadless + "}",
         "ns",
         {"127.64.0.7" + kServiceForms + " my-svc"}},
        {"a pod that is not ready is not known", named_pod("", kIndexed, kNotReady), kHeadless + "}", "ns", {}},
        {"unless the service does not ask",
         named_pod("", kIndexed, kNotReady),
         kHeadless + ", publishNotReadyAddresses: true}",
         "ns",
         {"127.64.0.7" + kHostForms + " job-3.my-svc" + kServiceForms + " my-svc"}},
        {"a pod on its way out is not known",
         named_pod(", deletionTimestamp: \"2024-01-01T00:00:00Z\"", kIndexed, kReady),
         kHeadless + "}",
         "ns",
         {}},
        {"one that has ended is not, whatever the service asks",
         named_pod("", kIndexed, ", phase: Succeeded, conditions: [{type: Ready, status: \"True\"}]"),
         kHeadless + ", publishNotReadyAddresses: true}",
         "ns",
         {}},
        {"a service of another namespace does not know it",
         named_pod("", kIndexed, kReady),
         "metadata: {name: my-svc, namespace: b}\nspec: {clusterIP: None, selector: {job-name: job}}",
         "ns",
         {}},
        {"nor does one that selects others",
         named_pod("", kIndexed, kReady),
         "metadata: {name: my-svc, namespace: ns}\nspec: {clusterIP: None, selector: {job-name: job, x: z}}",
         "ns",
         {}},
        {"nor one that selects nothing",
         named_pod("", kIndexed, kReady),
         "metadata: {name: my-svc, namespace: ns}\nspec: {clusterIP: None}",
         "ns",
         {}},
        {"nor one with an address of its own",
         named_pod("", kIndexed, kReady),
         "metadata: {name: my-svc, namespace: ns}\nspec: {clusterIP: 127.9.0.1, selector: {job-name: job}}",
         "ns",
         {}},
    };
    for (const auto& c : cases)
        EXPECT_EQ(peer_lines(c.pod, "127.64.0.7", {named_service(c.service)}, c.reader), c.lines) << c.story;
}

TEST(PodNamesTest, OnlySomeChangesOfAPodMayChangeItsLines) {
    struct Case {
        const char* sentence;
        std::function<void(Pod&)> change;
        bool may;
    };
    const auto set_ready = [](Pod& pod, const char* status) {
        auto& conditions = pod.status.conditions.edit();
        conditions.clear();
        conditions.emplace_back().type = "Ready";
        conditions.back().status = status;
    };
    const Case cases[] = {
        {"it gets an address", [](Pod& pod) { pod.status.pod_ip = "127.0.64.9"; }, true},
        {"it becomes ready", [&](Pod& pod) { set_ready(pod, "True"); }, true},
        {"it is not ready, and says so", [&](Pod& pod) { set_ready(pod, "False"); }, false},
        {"it ends", [](Pod& pod) { pod.status.phase = "Succeeded"; }, true},
        {"it begins", [](Pod& pod) { pod.status.phase = "Running"; }, false},
        {"it is being deleted",
         [](Pod& pod) { pod.metadata.deletion_timestamp = api::Time::from_instant(Instant::from_unix_seconds(1)); },
         true},
        {"a label changes", [](Pod& pod) { pod.metadata.labels.set("app", "other"); }, true},
        {"an annotation changes", [](Pod& pod) { pod.metadata.annotations.set("a", "b"); }, false},
        {"a finalizer goes", [](Pod& pod) { pod.metadata.finalizers = {}; }, false},
        {"another pod has its name", [](Pod& pod) { pod.metadata.uid = "uid-2"; }, true},
    };
    for (const Case& one : cases) {
        Pod before;
        before.metadata.uid = "uid-1";
        before.metadata.labels.set("app", "a");
        before.metadata.finalizers = {"batch.kubernetes.io/job-tracking"};
        Pod now = before;
        one.change(now);
        EXPECT_EQ(may_change_lines(before, now), one.may) << one.sentence;
    }
}

TEST(PodNamesTest, WithoutAnAddressNothingIsKnown) {
    EXPECT_THAT(peer_lines(named_pod("", kIndexed, kReady), "", {named_service(kHeadless + "}")}, "ns"), IsEmpty());
}

TEST(PodNamesTest, APodOfSeveralServicesHasALineForEach) {
    const auto first =
        named_service("metadata: {name: a, namespace: ns}\nspec: {clusterIP: None, selector: {job-name: job}}");
    const auto second =
        named_service("metadata: {name: b, namespace: ns}\nspec: {clusterIP: None, selector: {job-name: job}}");
    EXPECT_THAT(peer_lines(named_pod("", "", kReady), "127.64.0.7", {first, second}, "x"),
                ElementsAre("127.64.0.7 a.ns.svc.cluster.local a.ns.svc a.ns",
                            "127.64.0.7 b.ns.svc.cluster.local b.ns.svc b.ns"));
}

TEST(PodNamesTest, AServiceWithAnAddressHasALine) {
    const auto service =
        named_service("metadata: {name: kubernetes, namespace: default}\nspec: {clusterIP: 127.0.0.1}");
    EXPECT_THAT(
        service_lines(*service, "ns"),
        ElementsAre("127.0.0.1 kubernetes.default.svc.cluster.local kubernetes.default.svc kubernetes.default"));
    EXPECT_THAT(service_lines(*named_service(kHeadless + "}"), "ns"), IsEmpty());
}

TEST(PodNamesTest, APodKnowsItself) {
    EXPECT_EQ(own_line(named_pod("", "", ""), "127.64.0.9"), "127.64.0.9 job-3-x7f2p");
    EXPECT_EQ(own_line(named_pod("", kIndexed, kReady), "127.64.0.9"),
              "127.64.0.9 job-3.my-svc.ns.svc.cluster.local job-3");
    EXPECT_EQ(
        own_line(named_pod("", std::string(kIndexed) + ", containers: [{name: c, readinessProbe: {}}]", kNotReady),
                 "127.64.0.9"),
        "127.64.0.9 job-3")
        << "others must not find by its full name what is not ready";
}

TEST(PodNamesTest, ALongNameIsCutToAHostName) {
    Pod pod = named_pod("", "", "");
    pod.metadata.name = std::string(62, 'a') + "-b";
    EXPECT_EQ(host_name_of(pod), std::string(62, 'a'));
}

TEST(PodNamesTest, AliasesAreWrittenAsByAKubelet) {
    EXPECT_EQ(alias_lines(named_pod(
                  "", "hostAliases: [{ip: 10.0.0.1, hostnames: [a, b.c]}, {ip: \"::1\", hostnames: [d]}]", "")),
              "\n# Entries added by HostAliases.\n10.0.0.1\ta\tb.c\n::1\td\n");
    EXPECT_EQ(alias_lines(named_pod("", "", "")), "");
}

}  // namespace pod_names_test
}  // namespace muster::node
