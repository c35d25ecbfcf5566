#include "client/remote/status_error.h"

#include <gtest/gtest.h>

namespace muster::client {
namespace status_error_test {

TEST(StatusError, HasTheCodeThatTheCallerActsOn) {
    const struct {
        const char* sentence;
        int status;
        const char* body;
        Code code;
    } cases[] = {
        {"a name that is taken", 409, R"({"kind":"Status","reason":"AlreadyExists"})", Code::kAlreadyExists},
        {"a version that is another", 409, R"({"kind":"Status","reason":"Conflict"})", Code::kConflict},
        {"a UID that is another is a conflict, too", 422,
         R"({"kind":"Status","reason":"Invalid","details":{"causes":[{"reason":"FieldValueInvalid","message":"Invalid )"
         R"(value: \"u\": field is immutable","field":"metadata.uid"}]}})",
         Code::kConflict},
        {"an object that breaks another rule beside that is invalid", 422,
         R"({"kind":"Status","reason":"Invalid","details":{"causes":[{"field":"metadata.uid"},{"field":"spec"}]}})",
         Code::kInvalid},
        {"a history that has expired", 410, R"({"kind":"Status","reason":"Expired"})", Code::kExpired},
        {"a proxy without a server", 502, "<html>bad gateway</html>", Code::kUnavailable},
        {"no Status at all", 404, "404 page not found", Code::kNotFound},
    };
    for (const auto& each : cases) EXPECT_EQ(status_error(each.status, each.body).code, each.code) << each.sentence;
}

TEST(StatusError, KeepsCausesSubjectAndHowLongToWait) {
    const Error error = status_error(
        403, R"({"kind":"Status","reason":"Forbidden","message":"no","details":{"name":"p","group":"","kind":"pods",)"
             R"("causes":[{"reason":"NamespaceTerminating","message":"it ends","field":"metadata.namespace"}],)"
             R"("retryAfterSeconds":7}})");
    EXPECT_EQ(error.message, "no");
    ASSERT_EQ(error.causes.size(), 1u);
    EXPECT_EQ(error.causes[0], (Cause{"NamespaceTerminating", "metadata.namespace", "it ends"}));
    EXPECT_EQ(error.about, (Subject{"p", "", "pods"}));
    EXPECT_EQ(error.retry_after_seconds, 7);
}

}  // namespace status_error_test
}  // namespace muster::client
