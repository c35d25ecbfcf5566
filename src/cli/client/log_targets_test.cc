#include "cli/client/log_targets.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace muster::cli {
namespace log_targets_test {

namespace json = boost::json;

struct TargetCase {
    const char* sentence;
    const char* container;
    bool all;
    const char* told;
};

constexpr const char* kPod = R"({"metadata":{"name":"p","namespace":"n"},
    "spec":{"initContainers":[{"name":"i"}],"containers":[{"name":"a"},{"name":"b"}]},
    "status":{"containerStatuses":[{"name":"a","containerID":"x/1","state":{"running":{}}},
                                   {"name":"b","state":{"waiting":{}}}],
              "initContainerStatuses":[{"name":"i","state":{"terminated":{"containerID":"x/0"}}}]}})";

TEST(LogTargets, AreTheContainersThatAreMeant) {
    const TargetCase cases[] = {
        {"the first when none is named, with a note", "", false,
         "a@x/1 (Defaulted container \"a\" out of: a, b, i (init))"},
        {"the one that is named", "b", false, "b@"},
        {"an init container", "i", false, "i@x/0"},
        {"all of them", "", true, "i@x/0 a@x/1 b@"},
        {"one that there is not", "c", false, "container c is not valid for pod p"},
    };
    for (const TargetCase& each : cases) {
        std::string note;
        const auto targets = log_targets(json::parse(kPod), each.container, each.all, note);
        std::string told;
        if (!targets.ok()) told = targets.error().message;
        if (targets.ok())
            for (const LogTarget& target : *targets)
                told += (told.empty() ? "" : " ") + target.container + '@' + target.run;
        if (!note.empty()) told += " (" + note + ')';
        EXPECT_EQ(told, each.told) << each.sentence;
    }
}

TEST(LogTargets, APodsAnnotationSaysWhichContainerIsMeant) {
    std::string note;
    const auto targets = log_targets(
        json::parse(R"({"metadata":{"name":"p","annotations":{"kubectl.kubernetes.io/default-container":"b"}},
                        "spec":{"containers":[{"name":"a"},{"name":"b"}]}})"),
        "", false, note);
    EXPECT_EQ(targets.value().at(0).container, "b");
    EXPECT_EQ(note, "");
}

TEST(PodSelector, IsWhatAnOwnerSelects) {
    EXPECT_EQ(pod_selector(json::parse(R"({"spec":{"selector":{"matchLabels":{"a":"b"},"matchExpressions":[
                  {"key":"c","operator":"In","values":["d","e"]},{"key":"f","operator":"Exists"},
                  {"key":"g","operator":"DoesNotExist"},{"key":"h","operator":"NotIn","values":["i"]}]}}})"))
                  .value(),
              "a=b,c in (d,e),f,!g,h notin (i)");
    EXPECT_EQ(pod_selector(json::parse(R"({"spec":{"selector":{"a":"b"}}})")).value(), "a=b");
    EXPECT_EQ(pod_selector(json::parse(R"({"kind":"ConfigMap"})")).error().code, Code::kBadRequest);
}

TEST(HasFinished, IsTrueAtTheEnd) {
    EXPECT_TRUE(has_finished(json::parse(R"({"status":{"phase":"Failed"}})")));
    EXPECT_TRUE(has_finished(json::parse(R"({"status":{"conditions":[{"type":"Complete","status":"True"}]}})")));
    EXPECT_FALSE(has_finished(json::parse(R"({"status":{"conditions":[{"type":"Suspended","status":"True"}]}})")));
    EXPECT_FALSE(has_finished(json::parse("{}")));
}

}  // namespace log_targets_test
}  // namespace muster::cli
