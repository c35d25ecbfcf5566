#include "server/access/rbac/attributes.h"

#include <gtest/gtest.h>

#include "api/codec/encode.h"
#include "api/kinds/meta/status.h"
#include "server/rest/failure.h"

namespace muster::server {
namespace attributes_test {

TEST(Attributes, ARefusalIsWordedAsKubernetesWordsIt) {
    struct Case {
        const char* name;
        Attributes attributes;
        const char* reason;
        const char* message;
    };
    const Case cases[] = {
        {"a list in a namespace",
         {.verb = "list", .resource = "pods", .namespace_ = "y"},
         "",
         "pods is forbidden: User \"x\" cannot list resource \"pods\" in API group \"\" in the namespace \"y\""},
        {"one object of a group",
         {.verb = "get", .group = "batch", .resource = "jobs", .namespace_ = "y", .name = "j"},
         "",
         "jobs.batch \"j\" is forbidden: User \"x\" cannot get resource \"jobs\" in API group \"batch\" in the "
         "namespace \"y\""},
        {"a subresource",
         {.verb = "update",
          .group = "batch",
          .resource = "jobs",
          .subresource = "status",
          .namespace_ = "y",
          .name = "j"},
         "",
         "jobs.batch \"j\" is forbidden: User \"x\" cannot update resource \"jobs/status\" in API group \"batch\" in "
         "the namespace \"y\""},
        {"at the cluster scope",
         {.verb = "list", .resource = "nodes"},
         "",
         "nodes is forbidden: User \"x\" cannot list resource \"nodes\" in API group \"\" at the cluster scope"},
        {"with a reason",
         {.verb = "list", .resource = "nodes"},
         "RBAC: role missing",
         "nodes is forbidden: User \"x\" cannot list resource \"nodes\" in API group \"\" at the cluster scope: RBAC: "
         "role missing"},
        {"a path", Attributes::for_path("get", "/metrics<b>"), "",
         "forbidden: User \"x\" cannot get path \"/metrics&lt;b&gt;\""},
    };
    for (const Case& c : cases)
        EXPECT_EQ(forbidden_error("x", c.attributes, c.reason),
                  (Error{Code::kForbidden,
                         c.message,
                         {},
                         {std::string(c.attributes.name), std::string(c.attributes.group),
                          std::string(c.attributes.resource)}}))
            << c.name;
}

TEST(Attributes, TheStatusSaysWhatItIsAbout) {
    const Attributes attributes{.verb = "get", .group = "batch", .resource = "jobs", .namespace_ = "y", .name = "j"};
    EXPECT_EQ(api::to_json(status_of(forbidden_error("x", attributes, ""))),
              R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"jobs.batch \"j\" is )"
              R"(forbidden: User \"x\" cannot get resource \"jobs\" in API group \"batch\" in the namespace \"y\"",)"
              R"("reason":"Forbidden","details":{"name":"j","group":"batch","kind":"jobs"},"code":403})");
}

}  // namespace attributes_test
}  // namespace muster::server
