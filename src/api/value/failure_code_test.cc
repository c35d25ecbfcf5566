#include "api/value/failure_code.h"

#include <gtest/gtest.h>

namespace muster::api {
namespace failure_code_test {

TEST(FailureCode, OfEveryCodeIsReadAsTheSameCodeUnlessOnlyTheProcessCanTell) {
    for (int i = 0; i <= static_cast<int>(Code::kCancelled); ++i) {
        const Code code = static_cast<Code>(i);
        const FailureCode as = failure_code(code);
        Code meant = code;
        if (code == Code::kCorrupt || code == Code::kIo) meant = Code::kInternal;
        if (code == Code::kCancelled) meant = Code::kUnavailable;
        EXPECT_EQ(code_of_failure(as.http, as.reason), meant) << name_of(code);
    }
}

TEST(FailureCode, IsReadFromTheStatusCodeWhenTheReasonIsUnknown) {
    const struct {
        const char* sentence;
        int http;
        const char* reason;
        Code code;
    } cases[] = {
        {"no reason", 404, "", Code::kNotFound},
        {"a reason of another status code", 404, "Conflict", Code::kNotFound},
        {"two failures have the status code", 409, "", Code::kConflict},
        {"a newer server's reason", 409, "SomethingNew", Code::kConflict},
        {"an error of the server, by whatever name", 500, "ServerTimeout", Code::kInternal},
        {"a status code that no failure has", 418, "Teapot", Code::kInternal},
    };
    for (const auto& each : cases) EXPECT_EQ(code_of_failure(each.http, each.reason), each.code) << each.sentence;
}

}  // namespace failure_code_test
}  // namespace muster::api
