// What clients send and accept, and how it is read.
#include <gtest/gtest.h>

#include "server/negotiation/accept.h"
#include "server/negotiation/body_type.h"
#include "server/negotiation/target.h"

namespace muster::server {
namespace negotiation_test {

struct AcceptCase {
    const char* sentence;
    const char* accept;
    const char* expected;  // what describe() gives
};

std::string describe(const Result<AnswerForm>& result) {
    if (!result.ok()) return format_error(result.error());
    static constexpr const char* kForms[] = {"object", "table", "metadata", "metadata list"};
    std::string text = kForms[static_cast<std::size_t>(result->form)];
    if (result->form != Form::kObject) text += std::string(" of ") + std::string(result->meta_api_version());
    return text + " as " + result->content_type();
}

constexpr const char* kRefused =
    "not acceptable: only the following media types are accepted: application/json, application/yaml, "
    "application/vnd.kubernetes.protobuf";

const AcceptCase kAcceptCases[] = {
    {"nothing said means JSON", "", "object as application/json"},
    {"anything means JSON", "*/*", "object as application/json"},
    {"a lone star is anything", "*", "object as application/json"},
    {"any application type means JSON", "application/*", "object as application/json"},
    {"kubectl get asks for a table first",
     "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
     "table of meta.k8s.io/v1 as application/json"},
    {"an older kubectl gets the beta table", "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
     "table of meta.k8s.io/v1beta1 as application/json"},
    {"client-go's typed clients get protobuf", "application/vnd.kubernetes.protobuf,application/json",
     "object as application/vnd.kubernetes.protobuf"},
    {"a table has no protobuf form, so the next choice counts",
     "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json", "object as application/json"},
    {"metadata has a protobuf form", "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
     "metadata of meta.k8s.io/v1 as application/vnd.kubernetes.protobuf"},
    {"metadata of a list", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
     "metadata list of meta.k8s.io/v1 as application/json"},
    {"the higher quality wins", "application/json;q=0.5, application/yaml", "object as application/yaml"},
    {"a concrete type goes before a wildcard", "*/*, application/yaml", "object as application/yaml"},
    {"spaces do no harm", " application/json ; as=Table ; g=meta.k8s.io ; v=v1 ",
     "table of meta.k8s.io/v1 as application/json"},
    {"a table of an unknown version is passed over", "application/json;as=Table;v=v2;g=meta.k8s.io,application/yaml",
     "object as application/yaml"},
    {"a form of another group is passed over", "application/json;as=Table;v=v1;g=example.com", kRefused},
    {"a version without a form is no form", "application/json;v=v1", kRefused},
    {"unknown parameters are ignored", "application/json;charset=utf-8", "object as application/json"},
    {"a stream that is not a watch cannot be had", "application/json;stream=tail", kRefused},
    {"an unknown type", "text/html", kRefused},
    {"nonsense", "application, //, ;;;, application/json/x", kRefused},
};

TEST(Accept, WithoutATableTheNextChoiceCounts) {
    constexpr const char* kTable = "application/json;as=Table;v=v1;g=meta.k8s.io";
    EXPECT_EQ(describe(negotiate_answer(kTable, {}, {}, false)), kRefused);
    EXPECT_EQ(describe(negotiate_answer(std::string(kTable) + ",application/yaml", {}, {}, false)),
              "object as application/yaml");
}

TEST(NegotiateAnswer, GivesWhatTheClientPrefers) {
    for (const AcceptCase& test : kAcceptCases)
        EXPECT_EQ(describe(negotiate_answer(test.accept)), test.expected) << test.sentence;
}

TEST(NegotiateAnswer, IndentsForPeople) {
    EXPECT_FALSE(negotiate_answer("")->pretty);
    EXPECT_TRUE(negotiate_answer("", *parse_query("pretty=true"))->pretty);
    EXPECT_FALSE(negotiate_answer("", *parse_query("pretty=yes"))->pretty);
    EXPECT_TRUE(negotiate_answer("*/*", {}, "curl/7.88")->pretty);
    EXPECT_FALSE(negotiate_answer("*/*", *parse_query("pretty=false"), "curl/7.88")->pretty);
    EXPECT_TRUE(negotiate_answer("application/json;pretty=1")->pretty);
    EXPECT_FALSE(negotiate_answer("application/yaml", {}, "curl/7.88")->pretty);
}

TEST(NegotiateStream, IsJsonOrFramedProtobuf) {
    EXPECT_EQ(negotiate_stream("application/json")->stream_content_type(), "application/json");
    EXPECT_EQ(negotiate_stream("application/vnd.kubernetes.protobuf;stream=watch")->stream_content_type(),
              "application/vnd.kubernetes.protobuf;stream=watch");
    const auto yaml = negotiate_stream("application/yaml");
    ASSERT_FALSE(yaml.ok());
    EXPECT_EQ(yaml.error().message,
              "only the following media types are accepted: application/json;stream=watch, "
              "application/vnd.kubernetes.protobuf;stream=watch");
}

TEST(NegotiateDiscovery, AnswersEveryGenerationOfClients) {
    const auto type = [](std::string_view accept) {
        const auto answer = negotiate_discovery(accept);
        return answer.ok() ? answer->content_type() : format_error(answer.error());
    };
    EXPECT_EQ(type("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
                   "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"),
              "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    EXPECT_EQ(type("application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"),
              "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList");
    EXPECT_EQ(type("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;profile=nopeer"),
              "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    EXPECT_EQ(type("application/json"), "application/json");
    EXPECT_EQ(type("application/vnd.kubernetes.protobuf"), "application/vnd.kubernetes.protobuf");
    EXPECT_EQ(type(""), "application/json");
    EXPECT_EQ(type("text/html"), kRefused);
}

TEST(BodyType, IsReadFromTheContentType) {
    EXPECT_EQ(*body_encoding(""), Encoding::kJson);
    EXPECT_EQ(*body_encoding("application/json; charset=utf-8"), Encoding::kJson);
    EXPECT_EQ(*body_encoding("Application/YAML"), Encoding::kYaml);
    EXPECT_EQ(*body_encoding("application/vnd.kubernetes.protobuf"), Encoding::kProtobuf);
    const auto text = body_encoding("text/plain");
    ASSERT_FALSE(text.ok());
    EXPECT_EQ(text.error().code, Code::kUnsupportedMediaType);
    EXPECT_EQ(text.error().message,
              "the body of the request was in an unknown format - accepted media types include: application/json, "
              "application/yaml, application/vnd.kubernetes.protobuf");
}

TEST(BodyType, OfAPatchSaysHowToPatch) {
    EXPECT_EQ(*patch_type("application/json-patch+json"), PatchType::kJson);
    EXPECT_EQ(*patch_type("application/merge-patch+json;charset=utf-8"), PatchType::kMerge);
    EXPECT_EQ(*patch_type("application/strategic-merge-patch+json"), PatchType::kStrategicMerge);
    EXPECT_EQ(patch_type("application/json").error().code, Code::kUnsupportedMediaType);
    EXPECT_EQ(patch_type("application/apply-patch+yaml").error().message.substr(0, 37),
              "server-side apply is not served yet -");
}

TEST(Query, BooleansFollowKubernetesRule) {
    const Query query = *parse_query("a=True&b=0&c=FALSE&d&e=&f=no&f=0");
    for (const char* key : {"a", "d", "e", "f"}) EXPECT_TRUE(query.is_set(key)) << key;
    for (const char* key : {"b", "c", "absent"}) EXPECT_FALSE(query.is_set(key)) << key;
    EXPECT_EQ(query.flag("absent"), std::nullopt);
    EXPECT_EQ(query.all("f"), (std::vector<std::string>{"no", "0"}));
}

TEST(Query, IntegersAreDecimal) {
    const Query query = *parse_query("a=5&b=-3&c=x&d=99999999999999999999&e=");
    EXPECT_EQ(*query.integer("a"), 5);
    EXPECT_EQ(*query.integer("b"), -3);
    EXPECT_EQ(query.integer("c").error().message, "c: parsing \"x\": invalid syntax");
    EXPECT_EQ(query.integer("d").error().message, "d: parsing \"99999999999999999999\": value out of range");
    EXPECT_EQ(*query.integer("e"), std::nullopt);
    EXPECT_EQ(*query.integer("absent"), std::nullopt);
}

TEST(Query, EscapesAreDecoded) {
    const Query query = *parse_query("labelSelector=a%3Db%2Cc+in+%28d%29&&x=1=2");
    EXPECT_EQ(query.get("labelSelector"), "a=b,c in (d)");
    EXPECT_EQ(query.get("x"), "1=2");
    for (const char* bad : {"a=%", "a=%4", "a=%zz", "a=%00", "a=%ff", "%00=1"})
        EXPECT_EQ(parse_query(bad).error().code, Code::kBadRequest) << bad;
    EXPECT_TRUE(parse_query(std::string(2 * kQueryPairsMax + 2, '&')).ok());
    std::string many;
    for (std::size_t i = 0; i <= kQueryPairsMax; ++i) many += "a&";
    EXPECT_FALSE(parse_query(many).ok());
}

TEST(Target, IsSplitIntoSegmentsAndQuery) {
    const Target target = *parse_target("/api/v1/namespaces/a%62c/pods/?watch=1");
    EXPECT_EQ(target.path(), "/api/v1/namespaces/abc/pods");
    EXPECT_TRUE(target.query.is_set("watch"));
    EXPECT_TRUE(parse_target("/")->segments.empty());
    EXPECT_EQ(parse_target("/")->path(), "/");
}

TEST(Target, RefusesWhatNoClientMeans) {
    for (const char* bad : {"", "api", "/api/../secret", "/api/%2e%2E/x", "/api/.", "/api//v1", "///", "/a/b%2fc",
                            "/a%00b", "/a%", "/a%zz", "/\xff", "/a//"})
        EXPECT_EQ(parse_target(bad).ok() ? Code::kInternal : parse_target(bad).error().code, Code::kBadRequest) << bad;
}

}  // namespace negotiation_test
}  // namespace muster::server
