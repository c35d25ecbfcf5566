#include "endpoints/health.h"

#include <gtest/gtest.h>

namespace muster::endpoints {
namespace health_test {

HealthAnswer ask(std::string_view target, bool mirrors_synced) {
    const Result<HealthQuestion> question = parse_health_target(target);
    if (!question.ok()) return {404, question.error().message};
    const Result<> mirrors = mirrors_synced ? Result<>() : Result<>(Error{Code::kUnavailable, "pods are not listed"});
    return answer_health(*question, {{"ping", {}}, {"mirrors", mirrors}});
}

TEST(Health, AnswersAreThoseOfKubernetes) {
    const struct {
        const char* sentence;
        const char* target;
        bool synced;
        HealthAnswer answer;
    } cases[] = {
        {"all is well", "/readyz", true, {200, "ok"}},
        {"verbose lists the checks",
         "/readyz?verbose",
         true,
         {200, "[+]ping ok\n[+]mirrors ok\nreadyz check passed\n"}},
        {"a value of verbose does not matter",
         "/livez?verbose=1",
         true,
         {200, "[+]ping ok\n[+]mirrors ok\nlivez check passed\n"}},
        {"a failure lists the checks and no reason",
         "/readyz",
         false,
         {500, "[+]ping ok\n[-]mirrors failed: reason withheld\nreadyz check failed\n"}},
        {"a failure that is excluded is none", "/readyz?exclude=mirrors", false, {200, "ok"}},
        {"what is excluded is listed",
         "/readyz?verbose&exclude=mirrors",
         false,
         {200, "[+]ping ok\n[+]mirrors excluded: ok\nreadyz check passed\n"}},
        {"one check is asked alone", "/readyz/ping", false, {200, "ok"}},
        {"one check fails alone",
         "/readyz/mirrors",
         false,
         {500, "internal server error: mirrors failed: reason withheld\n"}},
        {"a check that there is not", "/readyz/disk", true, {404, "404 page not found\n"}},
        {"another path", "/metrics", true, {404, "there is nothing here"}},
        {"a longer name", "/readyzz", true, {404, "there is nothing here"}},
    };
    for (const auto& one : cases) {
        SCOPED_TRACE(one.sentence);
        const HealthAnswer answer = ask(one.target, one.synced);
        EXPECT_EQ(answer.status, one.answer.status);
        EXPECT_EQ(answer.body, one.answer.body);
    }
}

}  // namespace health_test
}  // namespace muster::endpoints
