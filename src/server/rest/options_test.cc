#include "server/rest/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/base64.h"
#include "api/kinds/core/config.h"
#include "api/kinds/core/pod.h"

namespace muster::server {
namespace options_test {

using testing::HasSubstr;

Query query_of(std::string_view text) { return parse_query(text).value(); }

const api::KindInfo& kPods = api::kind_info<api::core::Pod>();

struct RefusedCase {
    const char* name;
    const char* query;
    Code code;
    const char* message;
};

template <class Parse>
void check_refused(std::initializer_list<RefusedCase> cases, Parse parse) {
    for (const RefusedCase& one : cases) {
        SCOPED_TRACE(std::string(one.name) + ": " + one.query);
        const auto parsed = parse(query_of(one.query));
        ASSERT_FALSE(parsed.ok());
        EXPECT_EQ(parsed.error().code, one.code);
        EXPECT_THAT(parsed.error().message, HasSubstr(one.message));
    }
}

TEST(WriteQuery, ReadsDryRunAndValidation) {
    struct Case {
        const char* query;
        bool dry_run;
        FieldValidation validation;
    };
    for (const Case& one : std::initializer_list<Case>{
             {"", false, FieldValidation::kWarn},
             {"dryRun=All", true, FieldValidation::kWarn},
             {"dryRun=All&dryRun=All", true, FieldValidation::kWarn},
             {"dryRun=", false, FieldValidation::kWarn},
             {"fieldValidation=Strict", false, FieldValidation::kStrict},
             {"fieldValidation=Ignore", false, FieldValidation::kIgnore},
             {"fieldValidation=Warn&fieldManager=kubectl-create&pretty=true", false, FieldValidation::kWarn},
         }) {
        SCOPED_TRACE(one.query);
        for (const char* kind : {"CreateOptions", "UpdateOptions", "PatchOptions"}) {
            const auto write = parse_write_query(query_of(one.query), kind);
            ASSERT_TRUE(write.ok());
            EXPECT_EQ(write->dry_run, one.dry_run);
            EXPECT_EQ(write->validation, one.validation);
        }
    }
}

TEST(WriteQuery, RefusesWhatTheOptionsDoNotKnow) {
    const std::string long_manager = "fieldManager=" + std::string(129, 'm');
    check_refused(
        {
            {"a dry run that is none", "dryRun=Some", Code::kInvalid,
             "CreateOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: \"Some\""},
            {"a validation that is none", "fieldValidation=strict", Code::kInvalid,
             "fieldValidation: Unsupported value: \"strict\""},
            {"a manager with a long name", long_manager.c_str(), Code::kInvalid, "fieldManager: Too long"},
            {"a manager with a name that cannot be printed", "fieldManager=a%07b", Code::kInvalid,
             "fieldManager: Invalid value"},
            {"two things at once: the first", "dryRun=x&fieldValidation=y", Code::kInvalid, "dryRun"},
            {"two things at once: the second", "dryRun=x&fieldValidation=y", Code::kInvalid, "fieldValidation"},
        },
        [](const Query& query) { return parse_write_query(query, "CreateOptions"); });
    check_refused({{"force without apply", "force=true", Code::kInvalid,
                    "PatchOptions.meta.k8s.io \"\" is invalid: force: Forbidden: may not be specified for non-apply"}},
                  [](const Query& query) { return parse_write_query(query, "PatchOptions"); });
}

TEST(ListQuery, ReadsWhatAListAsksFor) {
    const ListQuery list =
        parse_list_query(query_of("labelSelector=a%3Db&fieldSelector=status.phase%3DRunning&limit=7&"
                                  "resourceVersion=12&resourceVersionMatch=NotOlderThan&timeoutSeconds=9"),
                         kPods, false)
            .value();
    EXPECT_FALSE(list.labels.is_everything());
    EXPECT_FALSE(list.fields.is_everything());
    EXPECT_FALSE(list.selects_all());
    EXPECT_EQ(list.limit, 7);
    EXPECT_EQ(list.version, 12u);
    EXPECT_EQ(list.match, VersionMatch::kNotOlderThan);
    EXPECT_EQ(list.timeout_seconds, 9);
    const ListQuery plain = parse_list_query(query_of(""), kPods, false).value();
    EXPECT_TRUE(plain.selects_all());
    EXPECT_EQ(plain.limit, 0);
    EXPECT_TRUE(plain.version_unset);
    EXPECT_FALSE(plain.timeout_seconds);
}

TEST(ListQuery, SaysWhenExactlyOneVersionIsMeant) {
    struct Case {
        const char* query;
        bool exact;
    };
    for (const Case& one : std::initializer_list<Case>{
             {"", false},
             {"limit=5", false},
             {"resourceVersion=0", false},
             {"resourceVersion=0&limit=5", false},
             {"resourceVersion=12", false},
             {"resourceVersion=12&limit=5", true},
             {"resourceVersion=12&limit=-5", false},
             {"resourceVersion=12&resourceVersionMatch=Exact", true},
             {"resourceVersion=12&resourceVersionMatch=NotOlderThan&limit=5", false},
         }) {
        SCOPED_TRACE(one.query);
        EXPECT_EQ(parse_list_query(query_of(one.query), kPods, false).value().is_exact(), one.exact);
    }
}

TEST(ListQuery, RefusesWhatAListCannotMean) {
    check_refused(
        {
            {"match without a version", "resourceVersionMatch=Exact", Code::kInvalid,
             "resourceVersionMatch is forbidden unless resourceVersion is provided"},
            {"match with a token", "resourceVersion=1&resourceVersionMatch=Exact&continue=x", Code::kInvalid,
             "resourceVersionMatch is forbidden when continue is provided"},
            {"a match that is none", "resourceVersion=1&resourceVersionMatch=About", Code::kInvalid,
             "Unsupported value: \"About\""},
            {"exactly any", "resourceVersion=0&resourceVersionMatch=Exact", Code::kInvalid,
             "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""},
            {"what only watches have", "sendInitialEvents=true", Code::kInvalid,
             "sendInitialEvents is forbidden for list"},
            {"also when it is false", "sendInitialEvents=false", Code::kInvalid,
             "sendInitialEvents is forbidden for list"},
            {"a version that is no number", "resourceVersion=x", Code::kBadRequest, "\"x\""},
            {"one with something behind it", "resourceVersion=12a", Code::kBadRequest, "\"12a\""},
            {"one below zero", "resourceVersion=-1", Code::kBadRequest, "\"-1\""},
            {"one too large to be one", "resourceVersion=99999999999999999999999", Code::kBadRequest, "9999"},
            {"rules come before numbers", "resourceVersion=x&sendInitialEvents=true", Code::kInvalid,
             "sendInitialEvents"},
            {"a limit that is no number", "limit=many", Code::kBadRequest, "limit"},
            {"a time that is no number", "timeoutSeconds=long", Code::kBadRequest, "timeoutSeconds"},
            {"labels that cannot be read", "labelSelector=a%3D%3D%3Db", Code::kBadRequest, ""},
            {"fields that cannot be read", "fieldSelector=abc", Code::kBadRequest, ""},
            {"a field that the kind has not", "fieldSelector=spec.x%3Dy", Code::kBadRequest,
             "field label not supported: spec.x"},
        },
        [](const Query& query) { return parse_list_query(query, kPods, false); });
}

TEST(ListQuery, HasItsOwnRulesForWatches) {
    struct Case {
        const char* query;
        bool bookmarks;
        bool initial;
    };
    for (const Case& one : std::initializer_list<Case>{
             {"watch=true", false, false},
             {"watch=true&allowWatchBookmarks=true&resourceVersion=5", true, false},
             {"watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", true,
              true},
             {"watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=0", false, true},
             {"watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan", false, false},
         }) {
        SCOPED_TRACE(one.query);
        const auto list = parse_list_query(query_of(one.query), kPods, true);
        ASSERT_TRUE(list.ok()) << format_error(list.error());
        EXPECT_EQ(list->bookmarks, one.bookmarks);
        EXPECT_EQ(list->send_initial_events, one.initial);
    }
    check_refused(
        {
            {"initial events of any age", "sendInitialEvents=true", Code::kInvalid,
             "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"},
            {"initial events of one age", "sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=5",
             Code::kInvalid, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"},
            {"a match for nothing", "resourceVersionMatch=NotOlderThan&resourceVersion=5", Code::kInvalid,
             "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"},
            {"a token", "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x", Code::kInvalid,
             "resourceVersionMatch is forbidden when continue is provided"},
            {"a version that is no number", "resourceVersion=x", Code::kBadRequest, "\"x\""},
        },
        [](const Query& query) { return parse_list_query(query, kPods, true); });
}

TEST(ContinueToken, ComesBackAsItWas) {
    const std::string starts[] = {std::string("a\0", 2),
                                  std::string("n/job-1\0", 8),
                                  "system:node",
                                  "a..b",
                                  "x.y",
                                  std::string("quote\"back\\slash\0", 17),
                                  std::string(300, 'x'),
                                  "\xc3\xa4"};
    for (const std::string& start : starts) {
        for (const std::int64_t version : {std::int64_t{1}, std::int64_t{-1}, std::int64_t{123456789012}}) {
            SCOPED_TRACE(start);
            const std::string text = format_continue({version, start});
            EXPECT_EQ(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
                      std::string::npos)
                << "fit for a URL: " << text;
            const auto token = parse_continue(text);
            ASSERT_TRUE(token.ok()) << format_error(token.error());
            EXPECT_EQ(token->version, version);
            EXPECT_EQ(token->start, start);
        }
    }
}

TEST(ContinueToken, ThatIsForgedIsABadRequest) {
    const auto encoded = [](std::string_view json) {
        std::string text;
        api::append_base64(json, text);
        return text;
    };
    const std::pair<const char*, std::string> cases[] = {
        {"no base64", "***"},
        {"half a character of base64", "A"},
        {"no JSON", encoded("hello")},
        {"no object", encoded("[1]")},
        {"nothing in it", encoded("{}")},
        {"no version of its form", encoded(R"({"rv":5,"start":"a"})")},
        {"another version of its form", encoded(R"({"v":"v2","rv":5,"start":"a"})")},
        {"a form that is no text", encoded(R"({"v":1,"rv":5,"start":"a"})")},
        {"no version", encoded(R"({"v":"meta.k8s.io/v1","start":"a"})")},
        {"version zero", encoded(R"({"v":"meta.k8s.io/v1","rv":0,"start":"a"})")},
        {"a version below all", encoded(R"({"v":"meta.k8s.io/v1","rv":-2,"start":"a"})")},
        {"a version that is text", encoded(R"({"v":"meta.k8s.io/v1","rv":"5","start":"a"})")},
        {"a version that is a fraction", encoded(R"({"v":"meta.k8s.io/v1","rv":5.5,"start":"a"})")},
        {"a version beyond all", encoded(R"({"v":"meta.k8s.io/v1","rv":18446744073709551615,"start":"a"})")},
        {"no start", encoded(R"({"v":"meta.k8s.io/v1","rv":5})")},
        {"an empty start", encoded(R"({"v":"meta.k8s.io/v1","rv":5,"start":""})")},
        {"a start that is a number", encoded(R"({"v":"meta.k8s.io/v1","rv":5,"start":7})")},
        {"a start outside", encoded(R"({"v":"meta.k8s.io/v1","rv":5,"start":"../secrets/a"})")},
        {"a start that leaves", encoded(R"({"v":"meta.k8s.io/v1","rv":5,"start":"a/../../secrets"})")},
        {"a start that ends outside", encoded(R"({"v":"meta.k8s.io/v1","rv":5,"start":"a/.."})")},
        {"a start from the root", encoded(R"({"v":"meta.k8s.io/v1","rv":5,"start":"/secrets"})")},
        {"something behind it", encoded(R"({"v":"meta.k8s.io/v1","rv":5,"start":"a"} x)")},
    };
    for (const auto& [name, text] : cases) {
        SCOPED_TRACE(name);
        const auto token = parse_continue(text);
        ASSERT_FALSE(token.ok());
        EXPECT_EQ(token.error().code, Code::kBadRequest);
        EXPECT_THAT(token.error().message, HasSubstr("continue key is not valid"));
    }
}

}  // namespace options_test
}  // namespace muster::server
