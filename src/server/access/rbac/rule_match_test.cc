#include "server/access/rbac/rule_match.h"

#include <gtest/gtest.h>

#include "api/codec/decode.h"

namespace muster::server {
namespace rule_match_test {

struct Case {
    const char* name;
    const char* rule;
    Attributes attributes;
    bool allowed;
};

const Attributes kGetPod{.verb = "get", .resource = "pods", .namespace_ = "n", .name = "p"};
const Attributes kGetLog{.verb = "get", .resource = "pods", .subresource = "log", .namespace_ = "n", .name = "p"};
const Attributes kListPods{.verb = "list", .resource = "pods", .namespace_ = "n"};
const Attributes kCreatePod{.verb = "create", .resource = "pods", .namespace_ = "n"};
const Attributes kUpdateStatus{
    .verb = "update", .group = "batch", .resource = "jobs", .subresource = "status", .namespace_ = "n", .name = "j"};

const Case kCases[] = {
    {"everything named", "{verbs: [get], apiGroups: ['', x], resources: [jobs, pods]}", kGetPod, true},
    {"another verb", "{verbs: [list], apiGroups: [''], resources: [pods]}", kGetPod, false},
    {"another group", "{verbs: [get], apiGroups: [batch], resources: [pods]}", kGetPod, false},
    {"another resource", "{verbs: [get], apiGroups: [''], resources: [jobs]}", kGetPod, false},
    {"stars", "{verbs: ['*'], apiGroups: ['*'], resources: ['*']}", kGetPod, true},
    {"a star covers subresources", "{verbs: ['*'], apiGroups: ['*'], resources: ['*']}", kUpdateStatus, true},
    {"a resource does not cover its subresources", "{verbs: [get], apiGroups: [''], resources: [pods]}", kGetLog,
     false},
    {"a subresource does not cover its resource", "{verbs: [get], apiGroups: [''], resources: [pods/log]}", kGetPod,
     false},
    {"a subresource", "{verbs: [get], apiGroups: [''], resources: [pods/log]}", kGetLog, true},
    {"a subresource of all", "{verbs: [get], apiGroups: [''], resources: ['*/log']}", kGetLog, true},
    {"another subresource of all", "{verbs: [get], apiGroups: [''], resources: ['*/status']}", kGetLog, false},
    {"a star for a subresource means nothing", "{verbs: [get], apiGroups: [''], resources: ['pods/*']}", kGetLog,
     false},
    {"a longer name ending alike", "{verbs: [get], apiGroups: [''], resources: ['*/xlog']}", kGetLog, false},
    {"a writer of jobs is no writer of their status", "{verbs: [update], apiGroups: [batch], resources: [jobs]}",
     kUpdateStatus, false},
    {"by name", "{verbs: [get], apiGroups: [''], resources: [pods], resourceNames: [q, p]}", kGetPod, true},
    {"another name", "{verbs: [get], apiGroups: [''], resources: [pods], resourceNames: [q]}", kGetPod, false},
    {"a name does not allow a list", "{verbs: [list], apiGroups: [''], resources: [pods], resourceNames: [p]}",
     kListPods, false},
    {"nor a create", "{verbs: [create], apiGroups: [''], resources: [pods], resourceNames: [p]}", kCreatePod, false},
    {"a list for one name by field selector",
     "{verbs: [list], apiGroups: [''], resources: [pods], resourceNames: [p]}",
     {.verb = "list", .resource = "pods", .namespace_ = "n", .name = "p"},
     true},
    {"a rule for paths allows no resource", "{verbs: ['*'], nonResourceURLs: ['*']}", kGetPod, false},
    {"a rule for resources allows no path", "{verbs: ['*'], apiGroups: ['*'], resources: ['*']}",
     Attributes::for_path("get", "/metrics"), false},
    {"a path", "{verbs: [get], nonResourceURLs: [/metrics]}", Attributes::for_path("get", "/metrics"), true},
    {"a path below", "{verbs: [get], nonResourceURLs: [/metrics]}", Attributes::for_path("get", "/metrics/x"), false},
    {"another verb on a path", "{verbs: [get], nonResourceURLs: [/metrics]}", Attributes::for_path("post", "/metrics"),
     false},
    {"a path's beginning", "{verbs: [get], nonResourceURLs: [/healthz/*]}",
     Attributes::for_path("get", "/healthz/etcd"), true},
    {"but not the step above", "{verbs: [get], nonResourceURLs: [/healthz/*]}", Attributes::for_path("get", "/healthz"),
     false},
    {"all paths", "{verbs: [get], nonResourceURLs: ['*']}", Attributes::for_path("get", "/x"), true},
};

TEST(RuleMatch, ARuleAllowsWhatItNames) {
    for (const Case& c : kCases)
        EXPECT_EQ(rule_allows(api::from_yaml<api::rbac::PolicyRule>(c.rule).value(), c.attributes), c.allowed)
            << c.name;
}

}  // namespace rule_match_test
}  // namespace muster::server
