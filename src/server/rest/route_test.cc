#include "server/rest/route.h"

#include <gtest/gtest.h>

namespace muster::server {
namespace route_test {

Route route_of(std::string_view method, std::string_view target) {
    return parse_route(method, parse_target(target).value());
}

// "list batch/v1 jobs n/pi status"; a dash for what is empty; or "get /healthz" for what is no resource.
std::string print(const Route& route) {
    if (!route.is_resource) return route.verb + " " + route.path;
    std::string line = route.verb + " ";
    line += (route.group.empty() ? "" : route.group + "/") + route.version + " " + route.resource + " ";
    line += (route.namespace_.empty() ? "-" : route.namespace_) + "/" + (route.name.empty() ? "-" : route.name);
    if (!route.subresource.empty()) line += " " + route.subresource;
    return line;
}

TEST(Route, IsReadFromMethodAndPath) {
    struct Case {
        const char* method;
        const char* target;
        const char* want;
    };
    for (const Case& one : std::initializer_list<Case>{
             // Of the core group and of others, in a namespace and in all.
             {"GET", "/api/v1/pods", "list v1 pods -/-"},
             {"GET", "/api/v1/namespaces/n/pods", "list v1 pods n/-"},
             {"GET", "/api/v1/namespaces/n/pods/p", "get v1 pods n/p"},
             {"GET", "/apis/batch/v1/jobs", "list batch/v1 jobs -/-"},
             {"GET", "/apis/batch/v1/namespaces/n/jobs", "list batch/v1 jobs n/-"},
             {"GET", "/apis/batch/v1/namespaces/n/jobs/pi", "get batch/v1 jobs n/pi"},
             {"GET", "/api/v1/nodes", "list v1 nodes -/-"},
             {"GET", "/api/v1/nodes/a", "get v1 nodes -/a"},
             {"GET", "/api/v1/nodes/a/status", "get v1 nodes -/a status"},
             {"GET", "/api/v1/pods/", "list v1 pods -/-"},
             // Every method.
             {"HEAD", "/api/v1/namespaces/n/pods/p", "get v1 pods n/p"},
             {"HEAD", "/api/v1/pods", "list v1 pods -/-"},
             {"POST", "/api/v1/namespaces/n/pods", "create v1 pods n/-"},
             {"PUT", "/api/v1/namespaces/n/pods/p", "update v1 pods n/p"},
             {"PATCH", "/api/v1/namespaces/n/pods/p", "patch v1 pods n/p"},
             {"DELETE", "/api/v1/namespaces/n/pods/p", "delete v1 pods n/p"},
             {"DELETE", "/api/v1/namespaces/n/pods", "deletecollection v1 pods n/-"},
             {"OPTIONS", "/api/v1/namespaces/n/pods", "options v1 pods n/-"},
             // Watches.
             {"GET", "/api/v1/pods?watch=true", "watch v1 pods -/-"},
             {"GET", "/api/v1/pods?watch=1", "watch v1 pods -/-"},
             {"GET", "/api/v1/pods?watch", "watch v1 pods -/-"},
             {"GET", "/api/v1/pods?watch=false", "list v1 pods -/-"},
             {"GET", "/api/v1/pods?watch=0", "list v1 pods -/-"},
             {"GET", "/api/v1/namespaces/n/pods/p?watch=true", "get v1 pods n/p"},
             {"POST", "/api/v1/namespaces/n/pods?watch=true", "create v1 pods n/-"},
             // Subresources.
             {"PUT", "/api/v1/namespaces/n/pods/p/status", "update v1 pods n/p status"},
             {"POST", "/api/v1/namespaces/n/pods/p/binding", "create v1 pods n/p binding"},
             {"POST", "/api/v1/namespaces/n/pods/p/eviction", "create v1 pods n/p eviction"},
             {"GET", "/api/v1/namespaces/n/pods/p/log", "get v1 pods n/p log"},
             {"GET", "/api/v1/namespaces/n/pods/p/proxy/a/b", "get v1 pods n/p proxy/a/b"},
             {"POST", "/api/v1/namespaces/n/serviceaccounts/s/token", "create v1 serviceaccounts n/s token"},
             // Namespaces themselves.
             {"GET", "/api/v1/namespaces", "list v1 namespaces -/-"},
             {"GET", "/api/v1/namespaces/n", "get v1 namespaces -/n"},
             {"PUT", "/api/v1/namespaces/n/status", "update v1 namespaces -/n status"},
             {"PUT", "/api/v1/namespaces/n/finalize", "update v1 namespaces -/n finalize"},
             // What is not served still has its words.
             {"GET", "/apis/example.com/v1beta1/namespaces/n/widgets/w", "get example.com/v1beta1 widgets n/w"},
             {"GET", "/api/v2/pods", "list v2 pods -/-"},
             {"GET", "/api/v1/namespaces/a%2Eb/pods/p%3Ax", "get v1 pods a.b/p:x"},
             // No resources.
             {"GET", "/", "get /"},
             {"GET", "/api", "get /api"},
             {"GET", "/api/v1", "get /api/v1"},
             {"GET", "/apis/batch", "get /apis/batch"},
             {"GET", "/apis/batch/v1", "get /apis/batch/v1"},
             {"GET", "/healthz", "get /healthz"},
             {"POST", "/healthz", "post /healthz"},
             {"GET", "/openapi/v3/apis/batch/v1", "get /openapi/v3/apis/batch/v1"},
         }) {
        SCOPED_TRACE(std::string(one.method) + " " + one.target);
        EXPECT_EQ(print(route_of(one.method, one.target)), one.want);
    }
}

TEST(Route, KnowsTheOneNameThatAListCanShow) {
    const auto selected = [](const char* method, const std::string& query) {
        return route_of(method, "/api/v1/namespaces/n/pods?" + query).selected_name;
    };
    EXPECT_EQ(selected("GET", "fieldSelector=metadata.name%3Dp"), "p");
    EXPECT_EQ(selected("GET", "fieldSelector=status.phase!%3DFailed,metadata.name%3D%3Dp&watch=1"), "p");
    EXPECT_EQ(selected("GET", "fieldSelector=metadata.name!%3Dp"), "");
    EXPECT_EQ(selected("GET", "fieldSelector=metadata.name%3Da/b"), "") << "no name of an object";
    EXPECT_EQ(selected("GET", "fieldSelector=metadata.name%3D.."), "");
    EXPECT_EQ(selected("GET", "fieldSelector=nonsense"), "");
    EXPECT_EQ(selected("GET", ""), "");
    EXPECT_EQ(selected("DELETE", "fieldSelector=metadata.name%3Dp"), "") << "as upstream";
}

TEST(Route, ServesWhatTheTableOfResourcesAllows) {
    struct Case {
        const char* method;
        const char* target;
        const char* want;  // the verb, or 404, or 405
    };
    for (const Case& one : std::initializer_list<Case>{
             {"GET", "/api/v1/pods", "list"},
             {"GET", "/api/v1/pods?watch=true", "watch"},
             {"GET", "/api/v1/namespaces/n/pods", "list"},
             {"GET", "/api/v1/namespaces/n/pods/p", "get"},
             {"POST", "/api/v1/namespaces/n/pods", "create"},
             {"PUT", "/api/v1/namespaces/n/pods/p", "update"},
             {"PATCH", "/api/v1/namespaces/n/pods/p", "patch"},
             {"DELETE", "/api/v1/namespaces/n/pods/p", "delete"},
             {"DELETE", "/api/v1/namespaces/n/pods", "deletecollection"},
             {"POST", "/api/v1/namespaces", "create"},
             {"DELETE", "/api/v1/nodes", "deletecollection"},
             {"PUT", "/api/v1/namespaces/n/finalize", "update"},
             {"PUT", "/api/v1/namespaces/n/pods/p/status", "update"},
             {"PATCH", "/api/v1/namespaces/n/pods/p/status", "patch"},
             {"GET", "/api/v1/namespaces/n/pods/p/status", "get"},
             {"GET", "/api/v1/namespaces/n/pods/p/log", "get"},
             {"POST", "/api/v1/namespaces/n/pods/p/binding", "create"},
             {"POST", "/api/v1/namespaces/n/pods/p/eviction", "create"},
             {"POST", "/api/v1/namespaces/n/bindings", "create"},
             {"POST", "/api/v1/namespaces/n/serviceaccounts/s/token", "create"},
             {"POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "create"},
             {"POST", "/apis/authorization.k8s.io/v1/namespaces/n/localsubjectaccessreviews", "create"},
             {"GET", "/apis/events.k8s.io/v1/namespaces/n/events", "list"},
             {"GET", "/apis/apps/v1/replicasets", "list"},
             // Not there.
             {"GET", "/api/v1/widgets", "404"},
             {"GET", "/api/v2/pods", "404"},
             {"GET", "/apis/batch/v1beta1/jobs", "404"},
             {"GET", "/apis/example.com/v1/pods", "404"},
             {"GET", "/api/v1/namespaces/n/pods/p/nothing", "404"},
             {"GET", "/api/v1/namespaces/n/pods/p/status/more", "404"},
             {"POST", "/api/v1/namespaces/n/configmaps/a/status", "404"},
             // An object needs its namespace, and others have none.
             {"GET", "/api/v1/pods/p", "404"},
             {"PUT", "/api/v1/pods/p", "404"},
             {"GET", "/api/v1/namespaces/n/nodes", "404"},
             {"GET", "/api/v1/namespaces/n/nodes/a", "404"},
             // There, but not so.
             {"POST", "/api/v1/pods", "405"},
             {"DELETE", "/api/v1/pods", "405"},
             {"PUT", "/api/v1/namespaces/n/pods", "405"},
             {"PATCH", "/api/v1/namespaces/n/pods", "405"},
             {"POST", "/api/v1/namespaces/n/pods/p", "405"},
             {"OPTIONS", "/api/v1/namespaces/n/pods/p", "405"},
             {"DELETE", "/api/v1/namespaces", "405"},
             {"DELETE", "/api/v1/namespaces/n/pods/p/status", "405"},
             {"POST", "/api/v1/namespaces/n/pods/p/status", "405"},
             {"GET", "/api/v1/namespaces/n/pods/p/binding", "405"},
             {"GET", "/api/v1/namespaces/n/finalize", "405"},
             {"GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "405"},
         }) {
        SCOPED_TRACE(std::string(one.method) + " " + one.target);
        const Result<Verb> verb = check_served(route_of(one.method, one.target));
        if (verb.ok()) {
            EXPECT_EQ(name_of(*verb), one.want);
        } else {
            const bool absent = verb.error().code == Code::kNotFound;
            EXPECT_EQ(absent                                         ? "404"
                      : verb.error().code == Code::kMethodNotAllowed ? "405"
                                                                     : "?",
                      std::string(one.want));
            EXPECT_EQ(verb.error().message, absent ? "the server could not find the requested resource"
                                                   : "the server does not allow this method on the requested resource");
        }
    }
}

TEST(Route, ARefusalToWriteAnEmptyListSaysWhatIsNotServed) {
    for (const char* method : {"POST", "DELETE"}) {
        const Result<Verb> verb = check_served(route_of(method, "/apis/apps/v1/namespaces/n/deployments"));
        ASSERT_FALSE(verb.ok());
        EXPECT_EQ(verb.error().code, Code::kMethodNotAllowed);
        EXPECT_EQ(verb.error().message,
                  "deployments.apps are not served here: their list is there for clients that read it, always empty, "
                  "and cannot be written");
    }
    EXPECT_TRUE(check_served(route_of("POST", "/api/v1/namespaces/n/endpoints"))
                    .error()
                    .message.starts_with("endpoints are not served here"));
    EXPECT_TRUE(check_served(route_of("GET", "/apis/apps/v1/namespaces/n/deployments/web")).ok());
}

TEST(Route, KnowsTheKindOfAResourceAndOfItsParts) {
    const Route pod = route_of("GET", "/api/v1/namespaces/n/pods/p");
    EXPECT_STREQ(pod.served->kind->kind, "Pod");
    EXPECT_EQ(pod.part, nullptr);
    const Route eviction = route_of("POST", "/api/v1/namespaces/n/pods/p/eviction");
    EXPECT_STREQ(eviction.part->kind->kind, "Eviction");
    EXPECT_EQ(route_of("GET", "/api/v1/widgets").served, nullptr);
}

}  // namespace route_test
}  // namespace muster::server
