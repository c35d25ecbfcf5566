#include "server/rest/deadline.h"

#include <gtest/gtest.h>

namespace muster::server {
namespace deadline_test {

Target target_of(const std::string& text) { return parse_target(text).value(); }

TEST(Deadline, TheTimeoutOfARequestIsAGoDurationOfAtMostAMinute) {
    const struct {
        const char* query;
        Duration want;
    } cases[] = {
        {"", 60s},
        {"?timeout=", 60s},
        {"?timeout=5s", 5s},
        {"?timeout=1m", 60s},
        {"?timeout=59s", 59s},
        {"?timeout=1h", 60s},
        {"?timeout=0", 60s},
        {"?timeout=0s", 60s},
        {"?timeout=-3s", 60s},
        {"?timeout=1.5s", 1500ms},
        {"?timeout=200ms", 200ms},
    };
    for (const auto& c : cases) {
        const Result<Duration> timeout = parse_timeout(target_of(std::string("/api/v1/pods") + c.query).query, 60s);
        ASSERT_TRUE(timeout.ok()) << c.query;
        EXPECT_EQ(*timeout, c.want) << c.query;
    }
}

TEST(Deadline, WhatIsNoDurationIsABadRequestInKubernetesWords) {
    const struct {
        const char* timeout;
        const char* want;
    } cases[] = {
        {"invalid", "time: invalid duration \"invalid\""},
        {"10", "time: missing unit in duration \"10\""},
        {"10x", "time: unknown unit \"x\" in duration \"10x\""},
    };
    for (const auto& c : cases) {
        const Result<Duration> timeout =
            parse_timeout(target_of(std::string("/api/v1/pods?timeout=") + c.timeout).query, 60s);
        ASSERT_FALSE(timeout.ok()) << c.timeout;
        EXPECT_EQ(timeout.error().code, Code::kBadRequest);
        EXPECT_EQ(timeout.error().message, std::string("invalid timeout specified in the request URL - ") + c.want);
    }
}

TEST(Deadline, WatchesAndSessionsRunLong) {
    const struct {
        const char* method;
        const char* target;
        bool want;
    } cases[] = {
        {"GET", "/api/v1/pods", false},
        {"GET", "/api/v1/pods?watch=true", true},
        {"GET", "/api/v1/namespaces/n/pods/p", false},
        {"GET", "/api/v1/namespaces/n/pods/p/log", true},
        {"GET", "/api/v1/namespaces/n/pods/p/exec", true},
        {"POST", "/api/v1/namespaces/n/pods/p/attach", true},
        {"POST", "/api/v1/namespaces/n/pods/p/portforward", true},
        {"POST", "/api/v1/namespaces/n/pods/p/eviction", false},
        {"POST", "/api/v1/namespaces/n/pods", false},
        {"GET", "/healthz", false},
        {"POST", "/muster/backup", true},
    };
    for (const auto& c : cases)
        EXPECT_EQ(is_long_running(parse_route(c.method, target_of(c.target))), c.want) << c.target;
}

}  // namespace deadline_test
}  // namespace muster::server
