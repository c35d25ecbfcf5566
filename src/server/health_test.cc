#include "server/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::server {
namespace health_test {

using testing::HasSubstr;

TEST(Health, SaysWhatItWasAsked) {
    struct Case {
        const char* target;
        bool ready;
        int code;
        const char* text;
    };
    for (const Case& one : std::initializer_list<Case>{
             {"/healthz", false, 200, "ok"},
             {"/livez", false, 200, "ok"},
             {"/readyz", true, 200, "ok"},
             {"/readyz", false, 500,
              "[+]ping ok\n[+]store ok\n[-]started failed: reason withheld\nreadyz check failed\n"},
             {"/readyz?verbose", true, 200, "[+]ping ok\n[+]store ok\n[+]started ok\nreadyz check passed\n"},
             {"/livez?verbose=true", false, 200, "[+]ping ok\n[+]store ok\nlivez check passed\n"},
             {"/readyz?exclude=started", false, 200, "ok"},
             {"/readyz?verbose&exclude=started&exclude=ping", false, 200,
              "[+]ping excluded: ok\n[+]store ok\n[+]started excluded: ok\nreadyz check passed\n"},
             {"/readyz/started", true, 200, "ok"},
             {"/readyz/started", false, 500, "[-]started failed: reason withheld\nreadyz check failed\n"},
             {"/readyz/ping", false, 200, "ok"},
             {"/healthz/ping", false, 200, "ok"},
             {"/livez/started", true, 404, "404 page not found\n"},
             {"/readyz/nothing", true, 404, "404 page not found\n"},
             {"/readyz/ping/more", true, 404, "404 page not found\n"},
         }) {
        SCOPED_TRACE(one.target);
        const auto answer = answer_health(parse_target(one.target).value(), one.ready);
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->code, one.code);
        EXPECT_EQ(std::get<std::string>(answer->body), one.text);
        EXPECT_EQ(answer->content_type, "text/plain; charset=utf-8");
    }
}

TEST(Health, LeavesOtherPathsToOthers) {
    for (const char* target : {"/", "/api", "/healthzz", "/api/v1/healthz"}) {
        SCOPED_TRACE(target);
        EXPECT_FALSE(answer_health(parse_target(target).value(), true));
    }
}

TEST(Paths, AreListedInOrder) {
    const Answer answer = answer_paths(*KindRegistry::declared());
    const std::string text = std::get<std::string>(answer.body);
    EXPECT_THAT(text,
                testing::StartsWith(R"({"paths":["/.well-known/openid-configuration","/api","/api/v1","/apis",)"));
    EXPECT_THAT(text, HasSubstr(R"("/apis/batch","/apis/batch/v1")"));
    EXPECT_THAT(text, HasSubstr(R"("/readyz")"));
}

}  // namespace health_test
}  // namespace muster::server
