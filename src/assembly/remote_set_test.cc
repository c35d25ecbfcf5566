// The shipped set of controllers beside a cluster: what it sends over HTTP.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assembly/controller_set.h"
#include "client/remote/remote_client.h"
#include "client/testing/scripted_server.h"

namespace muster {
namespace remote_set_test {

using client::ScriptedServer;
using testing::HasSubstr;

// Of a cluster that is newer than this binary: the pod template, a container and the Job have fields that no type here
// declares.
constexpr const char* kJob =
    R"({"metadata":{"name":"j","namespace":"n","uid":"job-uid","resourceVersion":"3","generation":1},)"
    R"("spec":{"parallelism":1,"completions":1,"backoffLimit":6,"futurePolicy":{"a":1},)"
    R"("selector":{"matchLabels":{"batch.kubernetes.io/controller-uid":"job-uid"}},)"
    R"("template":{"metadata":{"labels":{"batch.kubernetes.io/controller-uid":"job-uid"}},)"
    R"("spec":{"restartPolicy":"Never","schedulingGroup":{"podGroupName":"g","rank":[1,2]},)"
    R"("containers":[{"name":"c","image":"i","futureLimits":{"watts":5}}]}}},"status":{}})";

std::string frame(const char* type, const std::string& object) {
    return std::string(R"({"type":")") + type + R"(","object":)" + object + "}\n";
}
const std::string kEndOfState =
    frame("BOOKMARK", R"({"metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}})");

TEST(RemoteControllerSet, MakesPodsWithTheFieldsOfATemplateThatItDoesNotKnow) {
    ScriptedServer server;
    os::RealLoop loop;
    os::Completion<std::string> made(loop);
    bool seen = false;
    server.answer_all = [&](const os::HttpRequest& request) -> ScriptedServer::Answer {
        const bool jobs = request.target.find("/jobs") != std::string::npos;
        if (request.method == "GET" && request.target.find("sendInitialEvents") != std::string::npos)
            return {.body = (jobs ? frame("ADDED", kJob) : std::string()) + kEndOfState, .stays_open = true};
        if (request.method == "GET") return {.body = "", .stays_open = true};
        if (request.method != "POST" || request.target.find("/pods") == std::string::npos) return {.status = 500};
        loop.post([&, body = request.body] {
            if (!std::exchange(seen, true)) made.resolve(body);
        });
        return {.status = 201, .body = request.body};
    };
    client::Metrics metrics;
    const MakeClient make_client = [&](std::string_view) -> std::unique_ptr<client::Client> {
        return client::RemoteClient::make(loop, server.access()).value();
    };
    ControllerSet set(loop, metrics, make_client);
    set.start({"job"});
    const std::string body =
        loop.run([](os::Completion<std::string> what) -> os::Task<std::string> { co_return co_await what; }(made));
    EXPECT_THAT(body, HasSubstr(R"("schedulingGroup":{"podGroupName":"g","rank":[1,2]})"));
    EXPECT_THAT(body, HasSubstr(R"("futureLimits":{"watts":5})"));
    EXPECT_THAT(body, HasSubstr(R"("uid":"job-uid")"));
}

}  // namespace remote_set_test
}  // namespace muster
