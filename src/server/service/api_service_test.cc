#include "server/service/api_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "api/kinds/core/config.h"
#include "api/kinds/rbac.h"
#include "server/testing/api_server.h"
#include "server/testing/config_maps.h"

namespace muster::server {
namespace api_service_test {

using api::core::ConfigMap;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(ApiService, AnswersForHealthAndVersionToAnybodyAndAtOnce) {
    ApiServer server;
    for (const char* target : {"/healthz", "/livez", "/version"}) {
        SCOPED_TRACE(target);
        auto talk = std::make_shared<HttpTalk>();
        server.service->serve(std::make_unique<TalkExchange>(make_request("GET", target), talk));
        EXPECT_EQ(talk->status, 200) << "without the loop";
    }
    EXPECT_EQ(server.send("", "GET", "/readyz")->status, 500);
    server.service->set_ready(true);
    EXPECT_EQ(server.send("", "GET", "/readyz")->status, 200);
    EXPECT_EQ(server.send("wrong", "GET", "/readyz")->status, 200);
    EXPECT_THAT(server.audit, IsEmpty());
}

TEST(ApiService, RefusesWhoCannotBeKnown) {
    ApiServer server;
    const auto wrong = server.send("wrong", "GET", kMaps);
    EXPECT_EQ(wrong->status, 401);
    EXPECT_THAT(wrong->body, HasSubstr(R"("message":"Unauthorized","reason":"Unauthorized","code":401)"));
    EXPECT_EQ(wrong->header("Content-Type"), "application/json");
    EXPECT_THAT(server.audit, ElementsAre(AllOf(HasSubstr(R"("verb":"list","sourceIPs")"), HasSubstr(R"("code":401)"),
                                                HasSubstr(kMaps), Not(HasSubstr("username")))));
    const auto anonymous = server.send("", "GET", kMaps);
    EXPECT_EQ(anonymous->status, 403);
    EXPECT_THAT(anonymous->body, HasSubstr("system:anonymous"));
    EXPECT_EQ(server.send("root", "GET", "/api/%zz")->status, 400);
    EXPECT_EQ(server.send("root", "GET", "/api/v1/../../etc")->status, 400);
}

TEST(ApiService, KnowsAClientByItsCertificate) {
    ApiServer server;
    auto talk = std::make_shared<HttpTalk>();
    os::HttpRequest request = make_request("GET", kMaps);
    request.certificate = os::PeerCertificate{"chief", {"system:masters"}};
    server.service->serve(std::make_unique<TalkExchange>(std::move(request), talk));
    server.api.settle();
    EXPECT_EQ(talk->status, 200);
    EXPECT_THAT(server.audit, ElementsAre(HasSubstr(R"("username":"chief")")));
}

TEST(ApiService, LetsUsersDoWhatTheirRolesAllow) {
    ApiServer server;
    allow(server.api, "ann", kMayListMaps);
    EXPECT_EQ(server.ask("ann", "GET", kMaps)->status, 200);
    EXPECT_THAT(server.audit.back(),
                HasSubstr(R"("authorization.k8s.io/reason":"RBAC: allowed by RoleBinding \"ann/ns\")"))
        << "what allowed it is in the log";
    struct Case {
        const char* method;
        const char* target;
        const char* message;
    };
    for (const Case& one : std::initializer_list<Case>{
             {"GET", "/api/v1/namespaces/ns/configmaps/a", "cannot get resource \\\"configmaps\\\""},
             {"GET", "/api/v1/configmaps", "at the cluster scope"},
             {"GET", "/api/v1/namespaces/other/configmaps", "in the namespace \\\"other\\\""},
             {"POST", kMaps, "cannot create resource"},
             {"DELETE", kMaps, "cannot deletecollection resource"},
             {"GET", "/api/v1/widgets", "cannot list resource \\\"widgets\\\""},
             {"PUT", "/api/v1/namespaces/ns/pods/p/status", "cannot update resource \\\"pods/status\\\""},
             {"GET", "/metrics", "cannot get path \\\"/metrics\\\""},
         }) {
        SCOPED_TRACE(std::string(one.method) + " " + one.target);
        const auto refused = server.ask("ann", one.method, one.target, "{not JSON");
        EXPECT_EQ(refused->status, 403) << "before anything else is said of the request";
        EXPECT_THAT(refused->body, HasSubstr(one.message));
        EXPECT_THAT(refused->body, HasSubstr(R"("reason":"Forbidden")"));
    }
    EXPECT_EQ(server.ask("bob", "GET", kMaps)->status, 403);
    EXPECT_THAT(server.audit.back(), HasSubstr(R"("authorization.k8s.io/decision":"forbid")"));
}

TEST(ApiService, TellsHowManyObjectsOfEachResourceThereAre) {
    ApiServer server;
    const auto told = [&](const std::string& line) {
        return server.ask("root", "GET", "/metrics")->body.find('\n' + line + '\n') != std::string::npos;
    };
    EXPECT_TRUE(told(R"(apiserver_storage_objects{resource="configmaps"} 0)"));
    for (const char* name : {"a", "b", "c"}) server.ask("root", "POST", kMaps, map_json(name));
    EXPECT_TRUE(told(R"(apiserver_storage_objects{resource="configmaps"} 3)"));
    server.ask("root", "DELETE", kMaps);
    EXPECT_TRUE(told(R"(apiserver_storage_objects{resource="configmaps"} 0)"));
    EXPECT_TRUE(told(R"(apiserver_storage_objects{resource="jobs.batch"} 0)"));
}

TEST(ApiService, SaysThatANodeWithoutProcessesHasNoSessions) {
    ApiServer server;
    const std::string pods = "/api/v1/namespaces/ns/pods";
    const auto made = server.ask(
        "root", "POST", pods,
        R"({"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"busybox"}]}})");
    ASSERT_EQ(made->status, 201);
    for (const char* part : {"/p/exec?command=true&stdout=true", "/p/portforward?ports=80"}) {
        const auto refused = server.ask("root", "GET", pods + part);
        EXPECT_EQ(refused->status, 503);
        EXPECT_THAT(refused->body, HasSubstr("node \\\"n\\\" has no processes on this server"));
    }
}

TEST(ApiService, AWriteWaitsWhileTooMuchIsOnItsWayToTheDiskAndAReadDoesNot) {
    ApiServer server({}, 5ms, {.waiting_bytes_max = 10'000});
    const auto map = [](const std::string& name) {
        return R"({"metadata":{"name":")" + name + R"("},"data":{"a":")" + std::string(20'000, 'x') + "\"}}";
    };
    const auto stored = [&](const std::string& name) {
        return server.api.store->get("/core/configmaps/ns/" + name).has_value();
    };
    const auto first = server.send("root", "POST", kMaps, map("first"));
    EXPECT_TRUE(stored("first"));
    const auto second = server.send("root", "POST", kMaps, map("second"));
    const auto third = server.send("root", "DELETE", std::string(kMaps) + "/first");
    EXPECT_FALSE(stored("second")) << "it has not been applied";
    EXPECT_TRUE(stored("first")) << "and what came after it neither";
    EXPECT_EQ(server.send("root", "GET", "/api/v1/namespaces/ns")->status, 200) << "what it shows is on disk";
    ASSERT_TRUE(server.api.loop.run_until([&] { return third->status != 0; }));
    EXPECT_EQ(first->status, 201);
    EXPECT_EQ(second->status, 201);
    EXPECT_EQ(third->status, 200);
    EXPECT_TRUE(stored("second"));
    EXPECT_FALSE(stored("first"));
}

TEST(ApiService, RightsToOneObjectReachListsOfItAlone) {
    ApiServer server;
    server.ask("root", "POST", kMaps, map_json("mine"));
    allow(server.api, "ann",
          "{verbs: [list, watch, deletecollection], apiGroups: [''], resources: [configmaps], resourceNames: [mine]}");
    const std::string maps = kMaps;
    EXPECT_EQ(server.ask("ann", "GET", maps + "?fieldSelector=metadata.name%3Dmine")->status, 200);
    EXPECT_EQ(server.ask("ann", "GET", maps + "?watch=1&fieldSelector=metadata.name%3Dmine")->status, 200);
    EXPECT_EQ(server.ask("ann", "GET", maps)->status, 403);
    EXPECT_EQ(server.ask("ann", "GET", maps + "?fieldSelector=metadata.name!%3Dmine")->status, 403);
    EXPECT_EQ(server.ask("ann", "DELETE", maps + "?fieldSelector=metadata.name%3Dmine")->status, 403);
    const auto other = server.ask("ann", "GET", maps + "?fieldSelector=metadata.name%3Dother");
    EXPECT_EQ(other->status, 403);
    EXPECT_THAT(other->body, HasSubstr(R"(configmaps \"other\" is forbidden)"));
}

TEST(ApiService, MakesACopyOfEverythingForWhoMayDoEverything) {
    std::vector<std::string> asked;
    std::function<void(Result<>)> done;
    ApiServiceOptions options;
    options.backup = [&](std::string directory, std::function<void(Result<>)> then) {
        asked.push_back(std::move(directory));
        done = std::move(then);
    };
    ApiServer server(std::move(options));
    const std::string path = "/muster/backup?directory=";
    EXPECT_EQ(server.ask("ann", "POST", path + "/copy")->status, 403);
    EXPECT_EQ(server.ask("root", "POST", path + "copy")->status, 400) << "relative to what?";
    EXPECT_EQ(server.ask("root", "POST", "/muster/backup")->status, 400);
    EXPECT_EQ(server.ask("root", "GET", path + "/copy")->status, 404);
    EXPECT_THAT(asked, IsEmpty());
    const auto first = server.ask("root", "POST", path + "/copy%20of/it");
    EXPECT_THAT(asked, ElementsAre("/copy of/it"));
    EXPECT_FALSE(first->answered()) << "before it is made";
    done({});
    server.api.settle();
    EXPECT_EQ(first->status, 200);
    EXPECT_THAT(first->body, HasSubstr(R"("status":"Success")"));
    const auto second = server.ask("root", "POST", path + "/copy");
    done(Error{Code::kAlreadyExists, "cannot make /copy: it exists"});
    server.api.settle();
    EXPECT_EQ(second->status, 409);
    EXPECT_THAT(second->body, HasSubstr("cannot make /copy: it exists"));
}

TEST(ApiService, HasNoLogOfAPodThatRunsNowhereYet) {
    ApiServer server;
    const std::string pods = "/api/v1/namespaces/ns/pods";
    server.ask("root", "POST", pods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
    server.ask("root", "POST", pods,
               R"({"metadata":{"name":"two"},"spec":{"initContainers":[{"name":"i","image":"i"}],)"
               R"("containers":[{"name":"c","image":"i"},{"name":"d","image":"i"}]}})");
    const auto empty = server.ask("root", "GET", pods + "/p/log");
    EXPECT_EQ(empty->status, 200);
    EXPECT_EQ(empty->body, "");
    EXPECT_EQ(empty->header("Content-Type"), "text/plain");
    EXPECT_EQ(server.ask("root", "GET", pods + "/two/log?container=i")->status, 200);
    const auto unnamed = server.ask("root", "GET", pods + "/two/log");
    EXPECT_EQ(unnamed->status, 400);
    EXPECT_THAT(unnamed->body, HasSubstr("a container name must be specified for pod two, choose one of: [i c d]"));
    const auto wrong = server.ask("root", "GET", pods + "/p/log?container=x");
    EXPECT_EQ(wrong->status, 400);
    EXPECT_THAT(wrong->body, HasSubstr("container x is not valid for pod p"));
    EXPECT_EQ(server.ask("root", "GET", pods + "/missing/log")->status, 404);
}

TEST(ApiService, TellsWhoMayAskWhatIsWrong) {
    ApiServer server;
    struct Case {
        const char* method;
        const char* target;
        const char* body;
        int status;
    };
    for (const Case& one : std::initializer_list<Case>{
             {"GET", "/api/v1/widgets", "", 404},
             {"GET", "/nowhere", "", 404},
             {"POST", "/api/v1/configmaps", "{}", 405},
             {"POST", kMaps, "{not JSON", 400},
             {"POST", kMaps, R"({"metadata":{"name":"UPPER"}})", 422},
             {"POST", "/api/v1/namespaces/nowhere/configmaps", R"({"metadata":{"name":"a"}})", 404},
             {"GET", "/api/v1/namespaces/ns/configmaps/a", "", 404},
             {"GET", "/api/v1/namespaces/ns/configmaps?continue=forged", "", 400},
             {"GET", "/api/v1/namespaces/ns/configmaps?watch=true&resourceVersionMatch=Exact", "", 422},
             {"DELETE", "/api/v1/namespaces/ns/configmaps/a?propagationPolicy=Later", "", 422},
             {"DELETE", "/api/v1/namespaces/ns/configmaps?propagationPolicy=Later", "", 422},
             {"GET", "/", "", 200},
         }) {
        SCOPED_TRACE(std::string(one.method) + " " + one.target);
        const auto talk = server.ask("root", one.method, one.target, one.body);
        EXPECT_EQ(talk->status, one.status) << talk->body;
        EXPECT_EQ(talk->answers, 1);
    }
    const auto accept = server.ask("root", "GET", kMaps, "", {{"accept", "image/png"}});
    EXPECT_EQ(accept->status, 406);
    const auto apply = server.ask("root", "PATCH", "/api/v1/namespaces/ns/configmaps/a", "{}",
                                  {{"content-type", "application/apply-patch+yaml"}});
    EXPECT_EQ(apply->status, 415);
}

TEST(ApiService, ImpersonationNeedsTheRight) {
    ApiServer server;
    allow(server.api, "ann", kMayListMaps);
    const std::vector<os::HttpHeader> as_ann = {{"impersonate-user", "ann"}};
    EXPECT_EQ(server.ask("root", "GET", kMaps, "", as_ann)->status, 200);
    EXPECT_THAT(server.audit.back(), HasSubstr(R"("impersonatedUser":{"username":"ann")"));
    EXPECT_EQ(server.ask("root", "POST", kMaps, map_json("a"), as_ann)->status, 403) << "with her rights alone";
    const auto refused = server.ask("bob", "GET", kMaps, "", as_ann);
    EXPECT_EQ(refused->status, 403);
    EXPECT_THAT(refused->body, HasSubstr("cannot impersonate resource \\\"users\\\""));
    const auto raised =
        server.ask("ann", "GET", kMaps, "", {{"impersonate-user", "ann"}, {"impersonate-group", "system:masters"}});
    EXPECT_EQ(raised->status, 403);
    EXPECT_EQ(server.ask("root", "GET", kMaps, "", {{"impersonate-group", "dev"}})->status, 400);
}

TEST(ApiService, AnswersAWriteWhenItIsOnDisk) {
    ApiServer server;
    const auto created = server.send("root", "POST", kMaps, map_json("a"));
    EXPECT_TRUE(server.api.find<ConfigMap>("a")) << "visible inside at once";
    EXPECT_FALSE(created->answered());
    const auto read = server.send("root", "GET", std::string(kMaps) + "/a");
    const auto listed = server.send("root", "GET", kMaps);
    EXPECT_FALSE(read->answered()) << "clients see no write that a crash could lose";
    EXPECT_FALSE(listed->answered());
    const auto dry = server.send("root", "POST", std::string(kMaps) + "?dryRun=All", map_json("b"));
    EXPECT_EQ(dry->status, 201) << "there is nothing to wait for";
    server.api.loop.run_for(9ms);
    EXPECT_FALSE(created->answered());
    server.api.loop.run_for(1ms);
    EXPECT_EQ(created->status, 201);
    EXPECT_THAT(created->body, HasSubstr(R"("kind":"ConfigMap","apiVersion":"v1")"));
    EXPECT_EQ(read->status, 200);
    EXPECT_EQ(listed->status, 200);
    EXPECT_THAT(listed->body, HasSubstr(R"("name":"a")"));
    EXPECT_EQ(server.send("root", "GET", std::string(kMaps) + "/a")->status, 200) << "now at once";
    for (const auto& talk : {created, read, listed, dry}) EXPECT_EQ(talk->answers, 1);
}

TEST(ApiService, AWriteThatChangedNothingWaitsForNothingNew) {
    ApiServer server;
    server.ask("root", "POST", kMaps, map_json("a"));
    EXPECT_EQ(
        server
            .send("root", "PATCH", std::string(kMaps) + "/a", "{}", {{"content-type", "application/merge-patch+json"}})
            ->status,
        200);
}

TEST(ApiService, ASecretIsNotRepeatedInWhatIsWrongWithIt) {
    ApiServer server;
    const std::string secrets = "/api/v1/namespaces/ns/secrets";
    server.ask("root", "POST", secrets, R"({"metadata":{"name":"s"},"data":{"a":"bw=="}})");
    const std::string one = secrets + "/s";
    constexpr const char* kStrategic = "application/strategic-merge-patch+json";
    constexpr const char* kMerge = "application/merge-patch+json";
    constexpr const char* kOperations = "application/json-patch+json";
    struct Case {
        const char* what;
        const char* method;
        std::string target;
        const char* type;
        std::string body;
    };
    for (const Case& bad : std::initializer_list<Case>{
             {"a number", "POST", secrets, "application/json", R"({"stringData":{"pin":48151623}})"},
             {"a number in YAML", "POST", secrets, "application/yaml", "{stringData: {pin: 48151623}}"},
             {"another tag in YAML", "POST", secrets, "application/yaml", "{stringData: {pin: !!bool 48151623}}"},
             {"a number as data", "POST", secrets, "application/json", R"({"data":{"pin":48151623}})"},
             {"not base64", "POST", secrets, "application/json", R"({"data":{"pin":"48151623!"}})"},
             {"half", "POST", secrets, "application/json", R"({"data":{"pin":"48151623)"},
             {"no JSON", "POST", secrets, "application/json", "48151623 48151623"},
             {"half of a token", "POST", "/apis/authentication.k8s.io/v1/tokenreviews", "application/json",
              R"({"spec":{"token":"48151623)"},
             {"a key that is none", "POST", secrets, "application/json",
              R"({"metadata":{"name":"t"},"stringData":{"a b":"48151623"}})"},
             {"a number in a merge", "PATCH", one, kMerge, R"({"stringData":{"pin":48151623}})"},
             {"half of a merge", "PATCH", one, kMerge, R"({"stringData":{"pin":"48151623)"},
             {"an unknown directive", "PATCH", one, kStrategic, R"({"data":{"$patch":"bogus","a":"48151623"}})"},
             {"one at the top", "PATCH", one, kStrategic, R"({"$patch":"bogus","data":{"a":"48151623"}})"},
             {"a value that is tested", "PATCH", one, kOperations,
              R"([{"op":"test","path":"/data/a","value":"48151623"}])"},
             {"a path that is not there", "PATCH", one, kOperations,
              R"([{"op":"add","path":"/nowhere/a","value":"48151623"}])"},
         }) {
        const auto refused = server.ask("root", bad.method, bad.target, bad.body, {{"content-type", bad.type}});
        EXPECT_GE(refused->status, 400) << bad.what;
        EXPECT_THAT(refused->body, Not(HasSubstr("48151623"))) << bad.what;
        EXPECT_THAT(refused->body, Not(HasSubstr("34383135"))) << bad.what << ", in hex";
    }
}

TEST(ApiService, WarnsOfWhatIsAllowedButWillSurprise) {
    ApiServer server;
    const std::string jobs = "/apis/batch/v1/namespaces/ns/jobs";
    const std::string pods = R"("template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}})";
    const auto job = [&](const std::string& name, const std::string& spec) {
        return R"({"metadata":{"name":")" + name + R"("},"spec":{)" + spec + pods + "}}";
    };
    const auto dotted = server.ask("root", "POST", jobs, job("a.b", ""));
    EXPECT_EQ(dotted->status, 201);
    EXPECT_THAT(dotted->all("Warning"), ElementsAre(HasSubstr("better a DNS label")));
    EXPECT_THAT(server.ask("root", "POST", jobs, job("ab", ""))->all("Warning"), IsEmpty());
    const std::string many = R"("completionMode":"Indexed","completions":200000,"parallelism":)";
    EXPECT_THAT(server.ask("root", "POST", jobs, job("many", many + "10,"))->all("Warning"), IsEmpty());
    const auto raised = server.ask("root", "PATCH", jobs + "/many", R"({"spec":{"parallelism":20000}})",
                                   {{"content-type", "application/merge-patch+json"}});
    EXPECT_EQ(raised->status, 200);
    EXPECT_THAT(raised->all("Warning"), ElementsAre(HasSubstr("completedIndexes may grow too long")));
    const auto labelled = server.ask("root", "PATCH", jobs + "/many", R"({"metadata":{"labels":{"a":"b"}}})",
                                     {{"content-type", "application/merge-patch+json"}});
    EXPECT_THAT(labelled->all("Warning"), IsEmpty()) << "the spec is as it was";
    const auto cron = server.ask(
        "root", "POST", "/apis/batch/v1/namespaces/ns/cronjobs",
        R"({"metadata":{"name":"a.b"},"spec":{"schedule":"* * * * *","jobTemplate":{"spec":{)" + pods + "}}}}");
    EXPECT_EQ(cron->status, 201);
    EXPECT_THAT(cron->all("Warning"), ElementsAre(HasSubstr("better a DNS label")));
}

TEST(ApiService, ReadsPatchesAsStrictlyAsOtherBodies) {
    ApiServer server;
    server.ask("root", "POST", kMaps, map_json("a"));
    const std::string map = std::string(kMaps) + "/a";
    struct Case {
        const char* type;
        const char* body;
        const char* complaint;
    };
    for (const Case& twice : std::initializer_list<Case>{
             {"application/merge-patch+json", R"({"data":{"k":"1","k":"2"}})", R"(duplicate field \"data.k\")"},
             {"application/strategic-merge-patch+json", R"({"data":{"k":"1","k":"3"}})",
              R"(duplicate field \"data.k\")"},
             {"application/json-patch+json", R"([{"op":"add","path":"/data","value":{"k":"1","k":"4"}}])",
              R"(json patch duplicate field \"[0].value.k\")"},
         }) {
        SCOPED_TRACE(twice.type);
        const std::vector<os::HttpHeader> type = {{"content-type", twice.type}};
        const auto refused = server.ask("root", "PATCH", map + "?fieldValidation=Strict", twice.body, type);
        EXPECT_EQ(refused->status, 422);
        EXPECT_THAT(refused->body, HasSubstr(std::string("strict decoding error: ") + twice.complaint));
        const auto warned = server.ask("root", "PATCH", map, twice.body, type);
        EXPECT_EQ(warned->status, 200);
        EXPECT_THAT(warned->all("Warning"), ElementsAre(HasSubstr(twice.complaint)));
        const auto ignored = server.ask("root", "PATCH", map + "?fieldValidation=Ignore", twice.body, type);
        EXPECT_EQ(ignored->status, 200);
        EXPECT_THAT(ignored->all("Warning"), IsEmpty());
    }
    const std::vector<os::HttpHeader> merge = {{"content-type", "application/merge-patch+json"}};
    const auto other = server.ask("root", "PATCH", map, R"({"kind":"Nonsense"})", merge);
    EXPECT_EQ(other->status, 422);
    EXPECT_THAT(other->body, HasSubstr(R"(no kind \"Nonsense\" is registered for version \"v1\")"));
    EXPECT_EQ(server.ask("root", "PATCH", map, R"({"apiVersion":"v9"})", merge)->status, 422);
    EXPECT_EQ(server.ask("root", "PATCH", map, R"({"kind":"ConfigMap","apiVersion":"v1"})", merge)->status, 200);
    EXPECT_EQ(server.ask("root", "PATCH", map, R"({"kind":null})", merge)->status, 200) << "it may be left out";
}

TEST(ApiService, ALeaseIsMadeByAPutAndReplacedByOneThatNamesItsVersion) {
    ApiServer server;
    const std::string lease = "/apis/coordination.k8s.io/v1/namespaces/ns/leases/l";
    const auto with = [](const std::string& more) {
        return R"({"metadata":{"name":"l")" + more + R"(},"spec":{"holderIdentity":"me"}})";
    };
    EXPECT_EQ(server.ask("root", "PUT", lease, with(""))->status, 201);
    const auto blind = server.ask("root", "PUT", lease, with(""));
    EXPECT_EQ(blind->status, 422);
    EXPECT_THAT(blind->body, HasSubstr("metadata.resourceVersion: Invalid value: 0: must be specified for an update"));
    const auto version = std::to_string(server.api.store->revision());
    EXPECT_EQ(server.ask("root", "PUT", lease, with(R"(,"resourceVersion":")" + version + "\""))->status, 200);
    EXPECT_EQ(server
                  .ask("root", "PATCH", lease, R"({"spec":{"holderIdentity":"you"}})",
                       {{"content-type", "application/merge-patch+json"}})
                  ->status,
              200);
}

// A crash may lose a write that is not on disk. So a refusal that depends on such a write (not found, already exists)
// waits until the write is durable.
TEST(ApiService, ARefusalLeavesWhenWhatItDependsOnIsOnDisk) {
    ApiServer server;
    const std::string maps = kMaps;
    server.ask("root", "POST", maps, map_json("old"));
    server.ask("root", "POST", maps, R"({"metadata":{"name":"held","finalizers":["a.b/c"]}})");
    allow(server.api, "ann", kMayListMaps);
    server.send("root", "DELETE", maps + "/old");
    server.send("root", "POST", maps, map_json("new"));
    server.send("root", "DELETE", maps + "/held");
    const std::string stale = R"({"metadata":{"name":"new","resourceVersion":"1"}})";
    const std::vector<std::pair<ApiServer::Talk, int>> waiting = {
        {server.send("root", "GET", maps + "/old"), 404},
        {server.send("root", "DELETE", maps + "/old"), 404},
        {server.send("root", "PUT", maps + "/old", map_json("old")), 404},
        {server.send("root", "POST", maps, map_json("new")), 409},
        {server.send("root", "PUT", maps + "/new", stale), 409},
        {server.send("root", "POST", maps + "?dryRun=All", map_json("new")), 409},
        {server.send("root", "PUT", maps + "/new?dryRun=All", map_json("new")), 200},
        {server.send("root", "DELETE", maps + "/held"), 200},
        {server.send("root", "GET", "/api/v1/namespaces/ns/pods/p/log"), 404},
    };
    for (std::size_t i = 0; i + 1 < waiting.size(); ++i) EXPECT_FALSE(waiting[i].first->answered()) << i;
    EXPECT_EQ(waiting.back().first->status, 404) << "there has never been one";
    EXPECT_EQ(server.send("root", "GET", maps + "/never")->status, 404) << "does not wait for unrelated writes";
    EXPECT_EQ(server.send("root", "POST", maps, "{")->status, 400);
    EXPECT_EQ(server.send("bob", "GET", maps)->status, 403);
    server.api.settle();
    for (const auto& [talk, status] : waiting) EXPECT_EQ(talk->status, status);
    server.send("root", "DELETE", "/apis/rbac.authorization.k8s.io/v1/namespaces/ns/rolebindings/ann");
    const auto no_more = server.send("ann", "GET", maps);
    EXPECT_FALSE(no_more->answered()) << "the right may come back";
    server.api.settle();
    EXPECT_EQ(no_more->status, 403);
}

TEST(ApiService, WaitsALittleForAVersionThatIsToCome) {
    ApiServer server;
    const std::string next = std::to_string(server.api.store->revision() + 1);
    const auto early = server.send("root", "GET", kMaps + ("?resourceVersion=" + next));
    server.api.loop.run_for(2900ms);
    EXPECT_FALSE(early->answered());
    server.api.loop.run_for(200ms);
    EXPECT_EQ(early->status, 504);
    EXPECT_EQ(early->header("Retry-After"), "1");
    EXPECT_THAT(early->body, HasSubstr(R"("reason":"ResourceVersionTooLarge")"));
    const auto in_time = server.send("root", "GET", kMaps + ("?resourceVersion=" + next));
    server.ask("root", "POST", kMaps, map_json("a"));
    server.api.loop.run_for(3s);
    EXPECT_EQ(in_time->status, 200);
    // One object's version is waited for in the same way, and no longer than it takes to come.
    const std::string after = std::to_string(server.api.store->revision() + 1);
    const auto one = server.send("root", "GET", kMaps + ("/a?resourceVersion=" + after));
    server.api.loop.run_for(1s);
    EXPECT_FALSE(one->answered());
    server.ask("root", "POST", kMaps, map_json("b"));
    server.api.loop.run_for(100ms);
    EXPECT_EQ(one->status, 200);
    const auto never = server.send("root", "GET", std::string(kMaps) + "/a?resourceVersion=99999");
    server.api.loop.run_for(4s);
    EXPECT_EQ(never->status, 504);
    EXPECT_THAT(never->body, HasSubstr("Too large resource version: 99999"));
    EXPECT_EQ(server.ask("root", "GET", std::string(kMaps) + "/a?resourceVersion=x")->status, 400);
}

TEST(ApiService, WarnsInHeadersAndLeavesATrace) {
    ApiServer server;
    const auto typo = server.ask("root", "POST", kMaps, R"({"metadata":{"name":"a"},"dta":{"x":"y"}})");
    EXPECT_EQ(typo->status, 201);
    EXPECT_THAT(typo->all("Warning"), ElementsAre("299 - \"unknown field \\\"dta\\\"\""));
    EXPECT_EQ(typo->header("Cache-Control"), "no-cache, private");
    ASSERT_EQ(server.audit.size(), 1u);
    EXPECT_THAT(server.audit[0], HasSubstr(R"("verb":"create")"));
    EXPECT_THAT(server.audit[0], HasSubstr(R"("code":201)"));
    EXPECT_THAT(server.audit[0], HasSubstr("\"apiserver.latency.k8s.io/total\":\"10ms\"")) << "until it was on disk";
}

TEST(ApiService, KeepsWarningsToWhatClientsCanTake) {
    ApiServer server;
    std::string body = R"({"metadata":{"name":"a"})";
    for (int i = 0; i < 60; ++i) body += ",\"" + std::to_string(i) + std::string(1000, 'x') + "\":1";
    const auto talk = server.ask("root", "POST", kMaps, body + "}");
    EXPECT_EQ(talk->status, 201);
    const auto warnings = talk->all("Warning");
    EXPECT_EQ(warnings.size(), 16u);
    for (const std::string& warning : warnings) EXPECT_LE(warning.size(), 280u);
}

TEST(ApiService, AnswersADeleteAsItsKindDoes) {
    ApiServer server;
    server.ask("root", "POST", kMaps, map_json("a"));
    const std::string uid = server.api.get<ConfigMap>("a").metadata.uid.str();
    const auto gone = server.ask("root", "DELETE", std::string(kMaps) + "/a");
    EXPECT_EQ(gone->status, 200);
    EXPECT_EQ(gone->body, R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success",)"
                          R"("details":{"name":"a","kind":"configmaps","uid":")" +
                              uid + "\"}}\n");
    const auto pod = server.ask("root", "POST", "/api/v1/namespaces/ns/pods",
                                R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
    EXPECT_EQ(pod->status, 201);
    const auto pod_gone = server.ask("root", "DELETE", "/api/v1/namespaces/ns/pods/p");
    EXPECT_THAT(pod_gone->body, HasSubstr(R"("kind":"Pod")"));
    EXPECT_THAT(pod_gone->body, HasSubstr("deletionTimestamp"));
    const auto space = server.ask("root", "DELETE", "/api/v1/namespaces/ns");
    EXPECT_THAT(space->body, HasSubstr(R"("phase":"Terminating")"));
}

TEST(ApiService, MakesSomeKindsByPut) {
    ApiServer server;
    const std::string role = "/apis/rbac.authorization.k8s.io/v1/namespaces/ns/roles/r";
    const auto made = server.ask("root", "PUT", role, R"({"metadata":{"name":"r"}})");
    EXPECT_EQ(made->status, 201) << made->body;
    EXPECT_EQ(server.ask("root", "PUT", role, R"({"metadata":{"name":"r","labels":{"a":"b"}}})")->status, 200);
    EXPECT_EQ(server.ask("root", "PUT", std::string(kMaps) + "/a", map_json("a"))->status, 404);
}

TEST(ApiService, PatchesInThreeWays) {
    ApiServer server;
    server.ask("root", "POST", kMaps, R"({"metadata":{"name":"a"},"data":{"k":"v"}})");
    struct Case {
        const char* type;
        const char* body;
        int status;
        const char* data;
    };
    for (const Case& one : std::initializer_list<Case>{
             {"application/merge-patch+json", R"({"data":{"k":null,"m":"1"}})", 200, R"("data":{"m":"1"})"},
             {"application/json-patch+json", R"([{"op":"add","path":"/data/j","value":"2"}])", 200,
              R"("data":{"j":"2","m":"1"})"},
             {"application/strategic-merge-patch+json", R"({"data":{"$patch":"replace","s":"3"}})", 200,
              R"("data":{"s":"3"})"},
             {"application/merge-patch+json", R"({"metadata":{"resourceVersion":"1"}})", 409, "Conflict"},
             {"application/merge-patch+json", R"({"metadata":{"uid":"other"}})", 422, "metadata.uid"},
             {"application/merge-patch+json", R"({"data":[]})", 422,
              R"("message":" \"\" is invalid: patch: Invalid value: )"},
             {"application/merge-patch+json", R"({"data":[]})", 422, R"("details":{"causes":[)"},
             {"application/merge-patch+json", "{", 400, ""},
             {"application/json-patch+json", R"([{"op":"test","path":"/data/s","value":"4"}])", 422, ""},
         }) {
        SCOPED_TRACE(std::string(one.type) + " " + one.body);
        const auto talk =
            server.ask("root", "PATCH", std::string(kMaps) + "/a", one.body, {{"content-type", one.type}});
        EXPECT_EQ(talk->status, one.status) << talk->body;
        EXPECT_THAT(talk->body, HasSubstr(one.data));
    }
}

TEST(ApiService, AnswersInTheFormThatWasAskedFor) {
    ApiServer server;
    server.ask("root", "POST", kMaps, map_json("a"));
    struct Case {
        const char* accept;
        const char* content_type;
        const char* body;
    };
    for (const Case& one : std::initializer_list<Case>{
             {"application/json", "application/json", R"({"kind":"ConfigMap")"},
             {"application/yaml", "application/yaml", "kind: ConfigMap"},
             {"application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf", "k8s"},
             {"application/json;as=Table;v=v1;g=meta.k8s.io", "application/json", R"("kind":"Table")"},
             {"application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", "application/json",
              R"("kind":"PartialObjectMetadata")"},
         }) {
        SCOPED_TRACE(one.accept);
        const auto talk = server.ask("root", "GET", std::string(kMaps) + "/a", "", {{"accept", one.accept}});
        EXPECT_EQ(talk->header("Content-Type"), one.content_type);
        EXPECT_THAT(talk->body, HasSubstr(one.body));
    }
}

TEST(ApiService, DropsWhatItCannotAnswerAnyMoreWhenItEnds) {
    ApiServer server;
    auto talk = std::make_shared<HttpTalk>();
    os::HttpRequest request = make_request("GET", kMaps, "", {{"authorization", "Bearer root"}});
    server.service->serve(std::make_unique<TalkExchange>(std::move(request), talk));
    server.service.reset();
    server.api.loop.run_until_idle();
    EXPECT_TRUE(talk->dropped);
}

}  // namespace api_service_test
}  // namespace muster::server
