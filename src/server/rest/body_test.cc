#include "server/rest/body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "api/codec/encode.h"
#include "api/codec/envelope.h"
#include "api/kinds/all.h"
#include "api/kinds/core/config.h"

namespace muster::server {
namespace body_test {

using api::core::ConfigMap;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const api::KindInfo& kMaps = api::kind_info<ConfigMap>();

std::string protobuf_of(const char* yaml, const char* api_version = "v1", const char* kind = "ConfigMap") {
    std::string out;
    api::append_envelope(api_version, kind, api::to_protobuf(api::from_yaml<ConfigMap>(yaml).value()), out);
    return out;
}

TEST(Body, IsTheSameInEveryEncoding) {
    const std::pair<Encoding, std::string> cases[] = {
        {Encoding::kJson, R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"v"}})"},
        {Encoding::kJson, R"({"metadata":{"name":"a"},"data":{"k":"v"}})"},
        {Encoding::kJson, R"({"kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v"}})"},
        {Encoding::kYaml, "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata: {k: v}\n"},
        {Encoding::kProtobuf, protobuf_of("{metadata: {name: a}, data: {k: v}}")},
    };
    for (const auto& [encoding, bytes] : cases) {
        SCOPED_TRACE(bytes);
        const auto body = decode_body(kMaps, encoding, bytes, FieldValidation::kStrict);
        ASSERT_TRUE(body.ok()) << format_error(body.error());
        EXPECT_EQ(api::to_json(as<ConfigMap>(*body->object)),
                  R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"v"}})");
        EXPECT_THAT(body->warnings, IsEmpty());
    }
}

TEST(Body, IsRefusedWhenItIsNotWhatThePathTakes) {
    struct Case {
        const char* name;
        Encoding encoding;
        std::string bytes;
        const char* message;
    };
    const Case cases[] = {
        {"another kind", Encoding::kJson, R"({"kind":"Secret","apiVersion":"v1"})",
         "Secret in version \"v1\" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): "
         "unknown conversion"},
        {"another kind in YAML", Encoding::kYaml, "{kind: Secret, apiVersion: v1}", "cannot be handled as a ConfigMap"},
        {"another kind in protobuf", Encoding::kProtobuf, protobuf_of("{}", "v1", "Secret"),
         "cannot be handled as a ConfigMap"},
        {"a kind of another group", Encoding::kJson, R"({"kind":"Job","apiVersion":"batch/v1"})",
         "Job in version \"v1\" cannot be handled as a ConfigMap"},
        {"an unknown kind", Encoding::kJson, R"({"kind":"Widget","apiVersion":"example.com/v1"})",
         "no kind \"Widget\" is registered for version \"example.com/v1\""},
        {"an unknown version", Encoding::kJson, R"({"kind":"ConfigMap","apiVersion":"v2"})",
         "no kind \"ConfigMap\" is registered for version \"v2\""},
        {"protobuf without its envelope", Encoding::kProtobuf, "\x0a\x03\x0a\x01\x61", ""},
        {"half an envelope", Encoding::kProtobuf, protobuf_of("{metadata: {name: abcdef}}").substr(0, 20), ""},
        {"nothing", Encoding::kJson, "",
         "couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)"},
        {"a text", Encoding::kJson, "\"x\"", "(227822)"},
        {"garbage behind the object", Encoding::kJson, R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{}} x)",
         "({\"apiVersion\":\"v1\",\"kind\":\"Con ...)"},
        {"no JSON", Encoding::kJson, "hello", "json parse error"},
        {"half an object", Encoding::kJson, R"({"metadata":{)", "json parse error"},
        {"an array", Encoding::kJson, "[]", "the object provided is unrecognized (must be of type ConfigMap)"},
        {"two documents", Encoding::kYaml, "{metadata: {name: a}}\n---\n{metadata: {name: b}}\n", ""},
        {"a field of another type", Encoding::kJson, R"({"data":{"k":7}})",
         "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: "},
        {"bytes that are no base64", Encoding::kJson, R"({"binaryData":{"k":"?"}})",
         "cannot be handled as a ConfigMap"},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.name);
        const auto body = decode_body(kMaps, one.encoding, one.bytes, FieldValidation::kIgnore);
        ASSERT_FALSE(body.ok());
        EXPECT_EQ(body.error().code, Code::kBadRequest);
        EXPECT_THAT(body.error().message, HasSubstr(one.message));
    }
}

TEST(Body, SaysOfTheNewFormOfAKindThatItIsExpectedElsewhere) {
    const auto body = decode_body(*api::find_kind("", "v1", "Event"), Encoding::kJson,
                                  R"({"kind":"Event","apiVersion":"events.k8s.io/v1"})", FieldValidation::kWarn);
    ASSERT_FALSE(body.ok());
    EXPECT_EQ(body.error().message,
              "the API version in the data (events.k8s.io/v1) does not match the expected API version (v1)");
}

TEST(Body, CompliesWithHowStrictlyItIsRead) {
    const char* bytes = R"({"metadata":{"name":"a","nmae":"b"},"data":{"k":"v"},"dta":{},"data":{"k":"w"}})";
    const auto ignored = decode_body(kMaps, Encoding::kJson, bytes, FieldValidation::kIgnore);
    ASSERT_TRUE(ignored.ok());
    EXPECT_THAT(ignored->warnings, IsEmpty());
    const auto warned = decode_body(kMaps, Encoding::kJson, bytes, FieldValidation::kWarn);
    ASSERT_TRUE(warned.ok());
    EXPECT_THAT(warned->warnings,
                ElementsAre(HasSubstr("unknown field \"metadata.nmae\""), HasSubstr("unknown field \"dta\""),
                            HasSubstr("duplicate field \"data\"")));
    const auto strict = decode_body(kMaps, Encoding::kJson, bytes, FieldValidation::kStrict);
    ASSERT_FALSE(strict.ok());
    EXPECT_EQ(strict.error().code, Code::kBadRequest);
    EXPECT_THAT(strict.error().message,
                HasSubstr("ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: "));
    EXPECT_THAT(strict.error().message, HasSubstr("unknown field \"metadata.nmae\""));
    EXPECT_THAT(strict.error().message, HasSubstr("duplicate field \"data\""));
}

TEST(Body, ThatIsTooDeepOrTooLargeIsRefused) {
    std::string deep = R"({"x":)";
    deep += std::string(10'000, '[') + std::string(10'000, ']') + "}";
    EXPECT_FALSE(decode_body(kMaps, Encoding::kJson, deep, FieldValidation::kIgnore).ok());
    const std::string large = R"({"data":{"k":")" + std::string(4u << 20, 'x') + "\"}}";
    const auto refused = decode_body(kMaps, Encoding::kJson, large, FieldValidation::kIgnore);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::kTooLarge);
}

std::string delete_envelope(const char* yaml) {
    std::string out;
    const auto options = api::from_yaml<api::meta::DeleteOptions>(yaml).value();
    api::append_envelope("batch/v1", "DeleteOptions", api::to_protobuf(options), out);
    return out;
}

TEST(DeleteOptions, ComeFromTheBodyOrElseFromTheQuery) {
    struct Case {
        const char* name;
        const char* content_type;
        std::string body;
        const char* query;
        const char* want;  // as JSON without kind and version
    };
    const std::string full =
        R"({"gracePeriodSeconds":5,"preconditions":{"uid":"u"},"propagationPolicy":"Orphan","dryRun":["All"]})";
    const Case cases[] = {
        {"nothing at all", "", "", "", "{}"},
        {"JSON", "application/json", R"({"kind":"DeleteOptions","apiVersion":"v1",)" + full.substr(1), "",
         full.c_str()},
        {"JSON of the kind's own group", "application/json",
         R"({"kind":"DeleteOptions","apiVersion":"batch/v1",)" + full.substr(1), "", full.c_str()},
        {"YAML", "application/yaml", "{gracePeriodSeconds: 0}", "", R"({"gracePeriodSeconds":0})"},
        {"protobuf", "application/vnd.kubernetes.protobuf",
         delete_envelope("{gracePeriodSeconds: 5, preconditions: {uid: u}, propagationPolicy: Orphan, dryRun: [All]}"),
         "", full.c_str()},
        {"the query", "", "", "gracePeriodSeconds=7&propagationPolicy=Foreground&dryRun=All",
         R"({"gracePeriodSeconds":7,"propagationPolicy":"Foreground","dryRun":["All"]})"},
        {"of what cannot be read", "", "", "ignoreStoreReadErrorWithClusterBreakingPotential=true",
         R"({"ignoreStoreReadErrorWithClusterBreakingPotential":true})"},
        {"the old form in the query", "", "", "orphanDependents=false", R"({"orphanDependents":false})"},
        {"the body goes before the query", "application/json", R"({"gracePeriodSeconds":1})",
         "gracePeriodSeconds=7&propagationPolicy=Foreground", R"({"gracePeriodSeconds":1})"},
        {"a dry run counts wherever it stands", "application/json", R"({"gracePeriodSeconds":1})", "dryRun=All",
         R"({"gracePeriodSeconds":1,"dryRun":["All"]})"},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.name);
        const auto options = decode_delete_options(one.content_type, one.body, parse_query(one.query).value());
        ASSERT_TRUE(options.ok()) << format_error(options.error());
        std::string json;
        api::append_json(api::meta::DeleteOptions::info(), &*options, json);
        EXPECT_EQ(json, one.want);
    }
}

TEST(DeleteOptions, ThatCannotBeReadAreRefused) {
    EXPECT_EQ(decode_delete_options("text/plain", "x", {}).error().code, Code::kUnsupportedMediaType);
    EXPECT_EQ(decode_delete_options("application/json", "{", {}).error().code, Code::kBadRequest);
    EXPECT_EQ(decode_delete_options("application/vnd.kubernetes.protobuf", "xxxx", {}).error().code, Code::kBadRequest);
    EXPECT_EQ(decode_delete_options("", "", parse_query("gracePeriodSeconds=x").value()).error().code,
              Code::kBadRequest);
}

}  // namespace body_test
}  // namespace muster::server
