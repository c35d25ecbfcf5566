#include "server/access/rbac/rule_coverage.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"

namespace muster::server {
namespace rule_coverage_test {

Rules rules(const std::vector<std::string>& yamls) {
    Rules all;
    for (const std::string& yaml : yamls) all.push_back(api::from_yaml<api::rbac::PolicyRule>(yaml).value());
    return all;
}
std::string uncovered(const std::vector<std::string>& held, const std::vector<std::string>& wanted) {
    std::string out;
    for (const auto& rule : compact_rules(uncovered_rules(rules(held), rules(wanted)))) out += describe_rule(rule);
    return out;
}

TEST(RuleCoverage, ARuleIsTakenApartIntoItsPieces) {
    EXPECT_EQ(
        break_down(rules({"{verbs: [a, b], apiGroups: [g, h], resources: [r], resourceNames: [o, m]}"})[0]).size(), 8u);
    EXPECT_EQ(break_down(rules({"{verbs: [a, b], nonResourceURLs: [/x, /y]}"})[0]).size(), 4u);
    EXPECT_EQ(break_down(rules({"{verbs: [a], apiGroups: [g]}"})[0]).size(), 0u);
}

TEST(RuleCoverage, WhatOneHoldsCoversWhatOneGives) {
    struct Case {
        const char* name;
        std::vector<std::string> held;
        std::vector<std::string> wanted;
        const char* missing;
    };
    const Case cases[] = {
        {"the same",
         {"{verbs: [get], apiGroups: [''], resources: [pods]}"},
         {"{verbs: [get], apiGroups: [''], resources: [pods]}"},
         ""},
        {"several rules together cover one",
         {"{verbs: [get], apiGroups: [''], resources: [pods]}", "{verbs: [list], apiGroups: [''], resources: [pods]}"},
         {"{verbs: [get, list], apiGroups: [''], resources: [pods]}"},
         ""},
        {"verbs that are missing are put together",
         {"{verbs: [get], apiGroups: [''], resources: [pods]}"},
         {"{verbs: [get, list, watch], apiGroups: [''], resources: [pods]}"},
         R"({APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]})"},
        {"stars cover all",
         {"{verbs: ['*'], apiGroups: ['*'], resources: ['*']}"},
         {"{verbs: ['*'], apiGroups: ['*'], resources: ['*', pods/log]}"},
         ""},
        {"many verbs are not all verbs",
         {"{verbs: [get, list], apiGroups: [''], resources: [pods]}"},
         {"{verbs: ['*'], apiGroups: [''], resources: [pods]}"},
         R"({APIGroups:[""], Resources:["pods"], Verbs:["*"]})"},
        {"a subresource of all",
         {"{verbs: [get], apiGroups: [''], resources: ['*/log']}"},
         {"{verbs: [get], apiGroups: [''], resources: [pods/log]}"},
         ""},
        {"a resource does not cover its subresource",
         {"{verbs: [get], apiGroups: [''], resources: [pods]}"},
         {"{verbs: [get], apiGroups: [''], resources: [pods/log]}"},
         R"({APIGroups:[""], Resources:["pods/log"], Verbs:["get"]})"},
        {"all names cover one",
         {"{verbs: [get], apiGroups: [''], resources: [pods]}"},
         {"{verbs: [get], apiGroups: [''], resources: [pods], resourceNames: [p]}"},
         ""},
        {"one name does not cover all",
         {"{verbs: [get], apiGroups: [''], resources: [pods], resourceNames: [p]}"},
         {"{verbs: [get], apiGroups: [''], resources: [pods]}"},
         R"({APIGroups:[""], Resources:["pods"], Verbs:["get"]})"},
        {"nor another",
         {"{verbs: [get], apiGroups: [''], resources: [pods], resourceNames: [p]}"},
         {"{verbs: [get], apiGroups: [''], resources: [pods], resourceNames: [p, q]}"},
         R"({APIGroups:[""], Resources:["pods"], ResourceNames:["q"], Verbs:["get"]})"},
        {"paths",
         {"{verbs: [get], nonResourceURLs: ['/api/*']}"},
         {"{verbs: [get], nonResourceURLs: [/api/v1, '/api/*']}"},
         ""},
        {"a path above",
         {"{verbs: [get], nonResourceURLs: ['/api/*']}"},
         {"{verbs: [get, post], nonResourceURLs: ['*', /api/x]}"},
         R"({NonResourceURLs:["*"], Verbs:["get"]}{NonResourceURLs:["*"], Verbs:["post"]})"
         R"({NonResourceURLs:["/api/x"], Verbs:["post"]})"},
        {"nothing covers nothing", {}, {}, ""},
    };
    for (const Case& c : cases) EXPECT_EQ(uncovered(c.held, c.wanted), c.missing) << c.name;
}

}  // namespace rule_coverage_test
}  // namespace muster::server
