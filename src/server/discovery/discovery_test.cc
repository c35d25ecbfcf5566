// Discovery and OpenAPI as clients of every generation ask for them.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <set>

#include "api/codec/decode.h"
#include "api/codec/envelope.h"
#include "api/kinds/api_resources.h"
#include "server/discovery/answer.h"
#include "server/discovery/openapi.h"
#include "server/negotiation/pretty.h"

namespace muster::server {
namespace discovery_test {

namespace json = boost::json;

constexpr const char* kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v="
    "v2beta1;as=APIGroupDiscoveryList,application/json";

Result<os::HttpResponse> fetch(const std::string& target, const std::string& accept = "application/json",
                               const std::string& known = "", const std::string& method = "GET") {
    os::HttpRequest request;
    request.method = method;
    request.target = target;
    request.headers = {{"accept", accept}, {"if-none-match", known}};
    const Target parsed = *parse_target(target);
    EXPECT_TRUE(is_discovery(parsed)) << target;
    return answer_discovery(request, parsed, "10.0.0.1:6443", *KindRegistry::declared());
}

std::string header(const os::HttpResponse& response, std::string_view name) {
    for (const auto& each : response.headers)
        if (each.name == name) return each.value;
    return "";
}

std::string body(const os::HttpResponse& response) {
    if (const auto* shared = std::get_if<os::SharedBytes>(&response.body)) return **shared;
    return std::get<std::string>(response.body);
}

json::value fetch_json(const std::string& target, const std::string& accept = "application/json") {
    const auto response = fetch(target, accept);
    EXPECT_TRUE(response.ok()) << target;
    return json::parse(body(*response));
}

const json::object* find_named(const json::value& list, std::string_view key, std::string_view name) {
    for (const json::value& item : list.as_array())
        if (item.at(key).as_string() == name) return &item.as_object();
    return nullptr;
}

TEST(Discovery, LegacyDocumentsNameEverything) {
    EXPECT_EQ(
        body(*fetch("/api")),
        R"({"kind":"APIVersions","apiVersion":"v1","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":)"
        R"("0.0.0.0/0","serverAddress":"10.0.0.1:6443"}]})");
    const json::value groups = fetch_json("/apis");
    EXPECT_EQ(groups.at("kind").as_string(), "APIGroupList");
    EXPECT_EQ(groups.at("groups").at(0).at("name").as_string(), "apps");
    EXPECT_EQ(body(*fetch("/apis/batch")),
              R"({"kind":"APIGroup","apiVersion":"v1","name":"batch","versions":[{"groupVersion":"batch/v1","version":)"
              R"("v1"}],"preferredVersion":{"groupVersion":"batch/v1","version":"v1"}})");
    const json::value batch = fetch_json("/apis/batch/v1");
    EXPECT_EQ(batch.at("groupVersion").as_string(), "batch/v1");
    EXPECT_EQ(json::serialize(*find_named(batch.at("resources"), "name", "cronjobs")),
              R"({"name":"cronjobs","namespaced":true,"kind":"CronJob","verbs":["create","delete","deletecollection",)"
              R"("get","list","patch","update","watch"],"shortNames":["cj"],"singularName":"cronjob","categories":)"
              R"(["all"]})");
    const json::value core = fetch_json("/api/v1");
    EXPECT_EQ(json::serialize(*find_named(core.at("resources"), "name", "pods/eviction")),
              R"({"name":"pods/eviction","namespaced":true,"kind":"Eviction","verbs":["create"],"singularName":"",)"
              R"("group":"policy","version":"v1"})");
}

TEST(Discovery, AggregatedDocumentHasEveryGroupAtOnce) {
    const auto response = fetch("/apis", kAggregated);
    EXPECT_EQ(header(*response, "Content-Type"),
              "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    const json::value list = json::parse(body(*response));
    EXPECT_EQ(list.at("kind").as_string(), "APIGroupDiscoveryList");
    EXPECT_EQ(list.at("apiVersion").as_string(), "apidiscovery.k8s.io/v2");
    for (const json::value& group : list.at("items").as_array()) {
        if (group.at("metadata").at("name").as_string() != "batch") continue;
        const json::value& version = group.at("versions").at(0);
        EXPECT_EQ(version.at("freshness").as_string(), "Current");
        EXPECT_EQ(json::serialize(*find_named(version.at("resources"), "resource", "jobs")),
                  R"({"resource":"jobs","responseKind":{"group":"","version":"","kind":"Job"},"scope":"Namespaced",)"
                  R"("singularResource":"job","verbs":["create","delete","deletecollection","get","list","patch",)"
                  R"("update","watch"],"categories":["all"],"subresources":[{"subresource":"status","responseKind":)"
                  R"({"group":"","version":"","kind":"Job"},"verbs":["get","patch","update"]}]})");
    }
    const json::value core = fetch_json("/api", kAggregated);
    EXPECT_EQ(core.at("items").as_array().size(), 1u);
    const json::value beta =
        fetch_json("/apis", "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList");
    EXPECT_EQ(beta.at("apiVersion").as_string(), "apidiscovery.k8s.io/v2beta1");
}

TEST(Discovery, WhoHasItAlreadyIsNotSentItAgain) {
    const auto first = fetch("/apis", kAggregated);
    const std::string etag = header(*first, "ETag");
    ASSERT_FALSE(etag.empty());
    const auto second = fetch("/apis", kAggregated, etag);
    EXPECT_EQ(second->status, 304);
    EXPECT_TRUE(body(*second).empty());
    EXPECT_NE(header(*fetch("/api", kAggregated), "ETag"), etag);
}

TEST(Discovery, SpeaksProtobuf) {
    const auto response = fetch("/apis/batch/v1", "application/vnd.kubernetes.protobuf,application/json");
    EXPECT_EQ(header(*response, "Content-Type"), "application/vnd.kubernetes.protobuf");
    const std::string bytes = body(*response);
    const api::Envelope envelope = *api::open_envelope(bytes);
    EXPECT_EQ(envelope.kind, "APIResourceList");
    EXPECT_EQ(api::from_protobuf<api::meta::APIResourceList>(envelope.raw)->resources.size(), 4u);
}

TEST(Discovery, RefusesWhatIsNotThere) {
    for (const char* path :
         {"/apis/nope", "/apis/batch/v9", "/api/v2", "/openapi/v3/apis/nope/v1", "/openapi", "/openapi/v3/api/v1/x"})
        EXPECT_EQ(fetch(path).error().code, Code::kNotFound) << path;
    EXPECT_EQ(fetch("/apis", "application/json", "", "POST").error().code, Code::kMethodNotAllowed);
    EXPECT_EQ(fetch("/apis", "text/html").error().code, Code::kNotAcceptable);
    for (const char* path : {"/", "/api/v1/pods", "/apis/batch/v1/jobs", "/healthz", "/version/x"})
        EXPECT_FALSE(is_discovery(*parse_target(path))) << path;
}

TEST(Discovery, VersionIsOneThatClientsCanRead) {
    const json::value version = fetch_json("/version");
    EXPECT_EQ(version.at("major").as_string(), "1");
    EXPECT_EQ(version.at("minor").as_string(), "35");
    EXPECT_TRUE(version.at("gitVersion").as_string().starts_with("v1.36.0+muster."));
}

TEST(Openapi, IndexNamesDocumentsByHash) {
    const json::value index = fetch_json("/openapi/v3");
    EXPECT_EQ(index.at("paths").as_object().size(), KindRegistry::declared()->versions().size());
    const std::string url(index.at("paths").at("apis/batch/v1").at("serverRelativeURL").as_string());
    EXPECT_TRUE(url.starts_with("/openapi/v3/apis/batch/v1?hash=")) << url;
    const auto document = fetch(url);
    EXPECT_EQ(document->status, 200);
    EXPECT_EQ(header(*document, "Cache-Control"), "public, immutable, max-age=31536000");
    EXPECT_EQ(fetch(url, "*/*", header(*document, "ETag"))->status, 304);
    const auto stale = fetch("/openapi/v3/apis/batch/v1?hash=0");
    EXPECT_EQ(stale->status, 301);
    EXPECT_EQ(header(*stale, "Location"), url);
}

// Every "$ref" below a value.
void collect_references(const json::value& value, std::vector<std::string>& out) {
    if (const auto* object = value.if_object()) {
        for (const auto& [key, member] : *object) {
            if (key == "$ref") out.emplace_back(member.as_string());
            collect_references(member, out);
        }
    } else if (const auto* array = value.if_array()) {
        for (const json::value& item : *array) collect_references(item, out);
    }
}

TEST(Openapi, EveryReferenceIsThere) {
    for (const ServedVersion& version : KindRegistry::declared()->versions()) {
        const json::value document = json::parse(*openapi_document(*KindRegistry::declared(), version).body);
        const json::object& schemas = document.at("components").at("schemas").as_object();
        std::vector<std::string> references;
        collect_references(document, references);
        EXPECT_FALSE(references.empty()) << version.path();
        for (const std::string& reference : references) {
            const std::string_view prefix = "#/components/schemas/";
            ASSERT_TRUE(reference.starts_with(prefix)) << reference;
            EXPECT_TRUE(schemas.contains(reference.substr(prefix.size()))) << version.path() << " " << reference;
        }
    }
}

TEST(Openapi, OperationsHaveUniqueIdsAndTheParametersClientsLookFor) {
    std::set<std::string> ids;
    for (const ServedVersion& version : KindRegistry::declared()->versions()) {
        const json::value document = json::parse(*openapi_document(*KindRegistry::declared(), version).body);
        for (const auto& [path, operations] : document.at("paths").as_object())
            for (const auto& [method, operation] : operations.as_object()) {
                if (method == "parameters") continue;
                EXPECT_TRUE(ids.insert(std::string(operation.at("operationId").as_string())).second)
                    << path << " " << method;
            }
    }
    for (const char* id :
         {"createBatchV1NamespacedJob", "listBatchV1JobForAllNamespaces", "deleteBatchV1CollectionNamespacedJob",
          "createRbacAuthorizationV1ClusterRole", "replaceCoreV1NamespaceFinalize", "getCoreV1APIResources",
          "createCoreV1NamespacedServiceAccountToken", "listStorageV1StorageClass"})
        EXPECT_TRUE(ids.contains(id)) << id;

    const json::value batch = json::parse(
        *openapi_document(*KindRegistry::declared(), *KindRegistry::declared()->find_version("batch", "v1")).body);
    const json::value& patch = batch.at("paths").at("/apis/batch/v1/namespaces/{namespace}/jobs/{name}").at("patch");
    EXPECT_EQ(json::serialize(patch.at("x-kubernetes-group-version-kind")),
              R"({"group":"batch","kind":"Job","version":"v1"})");
    EXPECT_TRUE(find_named(patch.at("parameters"), "name", "fieldValidation"));
    EXPECT_TRUE(find_named(patch.at("parameters"), "name", "dryRun"));
}

// Every reference of a document, wherever it stands.
void collect_references(const json::value& value, std::set<std::string>& out) {
    if (const json::array* array = value.if_array())
        for (const json::value& each : *array) collect_references(each, out);
    if (const json::object* object = value.if_object())
        for (const auto& [key, each] : *object) {
            if (key == "$ref" && each.is_string()) out.insert(each.as_string().c_str());
            collect_references(each, out);
        }
}

TEST(Openapi, VersionTwoIsJsonForEveryoneElse) {
    for (const char* accept : {"", "*/*", "application/json"}) {
        const auto response = fetch("/openapi/v2", accept);
        ASSERT_TRUE(response.ok()) << accept;
        EXPECT_EQ(header(*response, "Content-Type"), "application/json");
    }
    EXPECT_EQ(fetch("/openapi/v2", "text/html").error().code, Code::kNotAcceptable);
    const json::value document = fetch_json("/openapi/v2");
    EXPECT_EQ(document.at("swagger").as_string(), "2.0");
    std::set<std::string> references;
    collect_references(document, references);
    EXPECT_GT(references.size(), 100u);
    for (const std::string& reference : references) {
        ASSERT_TRUE(reference.starts_with("#/definitions/")) << reference;
        EXPECT_TRUE(document.at("definitions").as_object().contains(reference.substr(14))) << reference;
    }
    const json::value& post = document.at("paths").at("/apis/batch/v1/namespaces/{namespace}/jobs").at("post");
    EXPECT_EQ(
        json::serialize(post.at("parameters").at(0)),
        R"({"in":"body","name":"body","required":true,"schema":{"$ref":"#/definitions/io.k8s.api.batch.v1.Job"}})");
    EXPECT_EQ(json::serialize(post.at("responses").at("200")),
              R"({"description":"OK","schema":{"$ref":"#/definitions/io.k8s.api.batch.v1.Job"}})");
    EXPECT_FALSE(post.as_object().contains("requestBody"));
    EXPECT_TRUE(document.at("paths").as_object().contains("/apis/apps/v1/deployments"));
}

TEST(Openapi, OldClientsGetVersionTwoInProtobuf) {
    const auto response = fetch("/openapi/v2", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf");
    ASSERT_TRUE(response.ok());
    EXPECT_EQ(header(*response, "Content-Type"), "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
    const std::string bytes = body(*response);
    for (const char* word : {"io.k8s.api.batch.v1.JobSpec", "patchBatchV1NamespacedJob", "fieldValidation",
                             "#/definitions/io.k8s.api.core.v1.PodTemplateSpec"})
        EXPECT_NE(bytes.find(word), std::string::npos) << word;
    EXPECT_EQ(bytes.find("#/components"), std::string::npos);
}

TEST(IndentJson, SpreadsJsonOverLines) {
    EXPECT_EQ(
        indent_json(R"({"a":{"b":[1,2],"c":{},"d":"x\"{,}:"},"e":[]})"),
        "{\n  \"a\": {\n    \"b\": [\n      1,\n      2\n    ],\n    \"c\": {},\n    \"d\": \"x\\\"{,}:\"\n  },\n  "
        "\"e\": []\n}");
}

}  // namespace discovery_test
}  // namespace muster::server
