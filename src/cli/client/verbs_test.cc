// The client verbs from their arguments to what they print, against a scripted server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <deque>
#include <map>
#include <sstream>

#include "api/value/time.h"
#include "cli/command_line.h"
#include "cli/connection/session.h"
#include "cli/connection/surroundings.h"
#include "server/discovery/answer.h"

namespace muster::cli {
namespace verbs_test {

namespace json = boost::json;
using testing::HasSubstr;

// Answers discovery as the server does, and everything else by script.
class ScriptedServer {
public:
    // The answers to a request, in turn; the last goes on for ever.
    void on(const std::string& request, Response response) { script_[request].push_back(std::move(response)); }
    void on(const std::string& request, const std::string& body, int status = 200) {
        on(request, Response{.status = status, .body = body});
    }

    Response answer(const Request& request) {
        const std::string key = request.method + " " + request.target;
        if (const auto target = server::parse_target(request.target); target.ok() && server::is_discovery(*target)) {
            os::HttpRequest http;
            http.method = request.method;
            http.headers = {{"accept", request.accept}};
            const auto response = server::answer_discovery(http, *target, "x", *server::KindRegistry::declared());
            return {.status = 200, .body = std::get<std::string>(response->body)};
        }
        requests.push_back(key);
        bodies.push_back(request.body);
        const auto found = script_.find(key);
        if (found == script_.end())
            return {.status = 404,
                    .body = R"({"kind":"Status","reason":"NotFound","code":404,"message":"not found in the script"})"};
        Response response = found->second.front();
        if (found->second.size() > 1) found->second.pop_front();
        return response;
    }

    std::vector<std::string> requests;
    std::vector<std::string> bodies;

private:
    std::map<std::string, std::deque<Response>> script_;
};

class ScriptedConnection final : public Connection {
public:
    explicit ScriptedConnection(ScriptedServer& server) : server_(server) {}
    Result<Response> send(const Request& request) override { return server_.answer(request); }
    Result<Response> stream(const Request& request, const std::function<bool(std::string_view)>& on_line) override {
        Response response = server_.answer(request);
        if (response.status != 200) return response;
        std::istringstream lines(response.body);
        for (std::string line; std::getline(lines, line);)
            if (!on_line(line)) break;
        response.body.clear();
        // A stream that ends with nothing to follow: the connection is gone.
        if (request.target.find("resourceVersion=gone") != std::string::npos)
            return Error{Code::kUnavailable, "the connection was closed"};
        return response;
    }

private:
    ScriptedServer& server_;
};

class Verbs : public testing::Test {
protected:
    struct Outcome {
        int exit_code;
        std::string out;
        std::string err;
    };

    Outcome run(std::vector<const char*> arguments) {
        arguments.insert(arguments.begin(), "muster");
        std::ostringstream out;
        std::ostringstream err;
        Surroundings surroundings;
        surroundings.environment = [](const char* name) { return std::string(name) == "HOME" ? "/home/me" : ""; };
        surroundings.read_file = [&](const std::string& path) -> Result<std::string> {
            kubeconfig_read = path;
            return std::string(
                "current-context: c\nclusters: [{name: c, cluster: {server: 'https://x'}}, {name: d, cluster: {server: "
                "'https://other'}}]\ncontexts: [{name: c, context: {cluster: c}}, {name: d, context: {cluster: d}}]");
        };
        surroundings.read_manifest = [&](const std::string& path) -> Result<std::string> { return files.at(path); };
        surroundings.connect = [&](const ServerAccess& access) -> Result<std::unique_ptr<Connection>> {
            connected_to = access.server;
            return std::unique_ptr<Connection>(std::make_unique<ScriptedConnection>(server));
        };
        surroundings.now = [&] { return now = now + 1s; };
        const int exit_code =
            run_command_line(static_cast<int>(arguments.size()), arguments.data(), {out, err}, &surroundings);
        return {exit_code, out.str(), err.str()};
    }

    ScriptedServer server;
    std::string kubeconfig_read;
    std::string connected_to;
    std::map<std::string, std::string> files;
    Instant now = api::Time::parse("2026-03-01T12:00:00Z")->instant();
};

constexpr const char* kJobs = "/apis/batch/v1/namespaces/default/jobs";

std::string table(const std::string& rows, const std::string& more = "") {
    return R"({"kind":"Table","metadata":{"resourceVersion":"5")" + more +
           R"(},"columnDefinitions":[{"name":"Name","type":"string","format":"name","priority":0},{"name":"Status",)"
           R"("type":"string","format":"","priority":0},{"name":"Images","type":"string","format":"","priority":1}],)"
           R"("rows":[)" +
           rows + "]}";
}
std::string row(const std::string& name, const std::string& status) {
    return R"({"cells":[")" + name + R"(",")" + status +
           R"(","perl"],"object":{"metadata":{"namespace":"default","name":")" + name + "\"}}}";
}
std::string failure(const std::string& reason, int code, const std::string& message) {
    return R"({"kind":"Status","status":"Failure","reason":")" + reason + R"(","code":)" + std::to_string(code) +
           R"(,"message":")" + message + "\"}";
}

// A Job of a list: whose it is, and how it ended.
std::string job_of(const std::string& name, const std::string& manager, const std::string& ended = "") {
    const std::string spec = manager.empty() ? "{}" : R"({"managedBy":")" + manager + "\"}";
    const std::string conditions = ended.empty() ? "" : R"({"type":")" + ended + R"(","status":"True"})";
    return R"({"metadata":{"namespace":"lab","name":")" + name + R"("},"spec":)" + spec +
           R"(,"status":{"conditions":[)" + conditions + "]}}";
}

TEST_F(Verbs, UninstallCheckListsUnfinishedJobsThatOnlyMusterRuns) {
    constexpr const char* kOurs = "muster.dev/job-controller";
    server.on("GET /apis/batch/v1/jobs?limit=500", R"({"metadata":{"continue":"a b"},"items":[)" +
                                                       job_of("one", kOurs) + "," + job_of("theirs", "") + "," +
                                                       job_of("done", kOurs, "Complete") + "]}");
    server.on("GET /apis/batch/v1/jobs?limit=500&continue=a%20b",
              R"({"metadata":{},"items":[)" + job_of("failed", kOurs, "Failed") + "," +
                  job_of("leaving", kOurs, "FailureTarget") + "," + job_of("other", "example.com/x") + "]}");
    const Outcome outcome = run({"uninstall-check"});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.out, HasSubstr("have not finished:\n  lab/one\n  lab/leaving\nLet them finish"));
}

TEST_F(Verbs, UninstallCheckSucceedsWhenThereAreNone) {
    server.on("GET /apis/batch/v1/jobs?limit=500", R"({"metadata":{},"items":[)" + job_of("theirs", "") + "]}");
    const Outcome outcome = run({"uninstall-check"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(run({"uninstall-check", "--job-managed-by", "example.com/x"}).exit_code, 0);
}

TEST_F(Verbs, UninstallCheckLooksIntoOneNamespaceOnRequest) {
    server.on("GET /apis/batch/v1/namespaces/lab/jobs?limit=500",
              R"({"metadata":{},"items":[)" + job_of("one", "muster.dev/job-controller") + "]}");
    server.on("GET /apis/batch/v1/namespaces/den/jobs?limit=500", R"({"metadata":{},"items":[]})");
    const Outcome found = run({"uninstall-check", "-n", "lab"});
    EXPECT_EQ(found.exit_code, 1);
    EXPECT_THAT(found.out, HasSubstr("have not finished:\n  lab/one\n"));
    const Outcome none = run({"uninstall-check", "--namespace", "den"});
    EXPECT_EQ(none.exit_code, 0);
    EXPECT_EQ(none.out, "There is no unfinished Job that only Muster runs in namespace den.\n");
}

TEST_F(Verbs, OfAWholeServerTakeNoNamespace) {
    for (const std::vector<const char*>& words : {std::vector<const char*>{"backup", "copy", "-n", "lab"},
                                                  {"queue", "check", "-n", "lab"},
                                                  {"queue", "handover", "-n", "lab"}}) {
        const Outcome refused = run(words);
        EXPECT_NE(refused.exit_code, 0) << words.front();
        EXPECT_THAT(refused.err, HasSubstr("-n")) << words.front();
    }
}

TEST_F(Verbs, GetPrintsTheServersTable) {
    server.on("GET " + std::string(kJobs) + "?limit=500", table(row("pi", "Running") + "," + row("e", "Complete")));
    const Outcome outcome = run({"get", "jobs"});
    EXPECT_EQ(outcome.out, "NAME   STATUS\npi     Running\ne      Complete\n");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(run({"get", "job", "-o", "wide"}).out,
              "NAME   STATUS     IMAGES\npi     Running    perl\ne      Complete   perl\n");
    EXPECT_EQ(run({"get", "jobs.batch", "--no-headers"}).out, "pi   Running\ne    Complete\n");
}

TEST_F(Verbs, GetFollowsTheListsParts) {
    server.on("GET /apis/batch/v1/jobs?limit=500&labelSelector=a%3Db",
              table(row("x", "Running"), R"(,"continue":"t")"));
    server.on("GET /apis/batch/v1/jobs?limit=500&continue=t&labelSelector=a%3Db", table(row("y", "Failed")));
    EXPECT_EQ(run({"get", "jobs", "-A", "-l", "a=b"}).out,
              "NAMESPACE   NAME   STATUS\ndefault     x      Running\ndefault     y      Failed\n");
}

TEST_F(Verbs, GetOfSeveralTypesSaysWhichIsWhich) {
    server.on("GET " + std::string(kJobs) + "?limit=500", table(row("j", "Running")));
    server.on("GET /api/v1/namespaces/default/pods?limit=500", table(row("p", "Running")));
    EXPECT_EQ(run({"get", "jobs,po"}).out,
              "NAME          STATUS\njob.batch/j   Running\n\nNAME    STATUS\npod/p   Running\n");
}

TEST_F(Verbs, GetTellsWhenThereIsNothing) {
    server.on("GET " + std::string(kJobs) + "?limit=500", table(""));
    const Outcome nothing = run({"get", "jobs"});
    EXPECT_EQ(nothing.exit_code, 0);
    EXPECT_EQ(nothing.out, "");
    EXPECT_EQ(nothing.err, "No resources found in default namespace.\n");

    server.on("GET " + std::string(kJobs) + "/x", failure("NotFound", 404, R"(jobs.batch \"x\" not found)"), 404);
    const Outcome missing = run({"get", "job/x"});
    EXPECT_EQ(missing.exit_code, 1);
    EXPECT_EQ(missing.err, "Error from server (NotFound): jobs.batch \"x\" not found\n");
    EXPECT_EQ(run({"get", "job", "x", "--ignore-not-found"}).exit_code, 0);
    EXPECT_EQ(run({"get", "widgets"}).err, "error: the server doesn't have a resource type \"widgets\"\n");
}

TEST_F(Verbs, GetPrintsWholeObjects) {
    server.on("GET " + std::string(kJobs) + "/pi",
              R"({"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"pi"},"status":{"succeeded":3}})");
    EXPECT_EQ(run({"get", "job", "pi", "-o", "yaml"}).out,
              "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: pi\nstatus:\n  succeeded: 3\n");
    EXPECT_EQ(run({"get", "job", "pi", "-o", "name"}).out, "job.batch/pi\n");
    EXPECT_EQ(run({"get", "job", "pi", "-o", "jsonpath={.status.succeeded}"}).out, "3");
    server.on("GET " + std::string(kJobs) + "?limit=500", R"({"kind":"JobList","items":[{"metadata":{"name":"pi"}}]})");
    const json::value list = json::parse(run({"get", "jobs", "-ojson"}).out);
    EXPECT_EQ(list.at("kind").as_string(), "List");
    EXPECT_EQ(list.at("items").at(0).at("kind").as_string(), "Job");
    EXPECT_EQ(run({"get", "jobs", "-o", "xml"}).exit_code, 1);
}

TEST_F(Verbs, GetReadsListsOfTheDeepestObjectsThatThereCanBe) {
    std::string deep = "1";
    for (int level = 0; level < 998; ++level) deep = "[" + deep + "]";
    const std::string object = R"({"metadata":{"name":"deep"},"x":)" + deep + "}";
    server.on("GET " + std::string(kJobs) + "?limit=500", R"({"kind":"JobList","items":[)" + object + "]}");
    const Outcome outcome = run({"get", "jobs", "-o", "name"});
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(outcome.out, "job.batch/deep\n");
}

TEST_F(Verbs, GetWatchesOn) {
    server.on("GET " + std::string(kJobs) + "?limit=500", table(row("pi", "Running")));
    server.on(
        "GET " + std::string(kJobs) + "?watch=true&allowWatchBookmarks=true&resourceVersion=5",
        R"({"type":"MODIFIED","object":{"metadata":{"resourceVersion":"gone"},"columnDefinitions":null,"rows":[)" +
            row("pi", "Complete") + "]}}\n");
    server.on("GET " + std::string(kJobs) + "?watch=true&allowWatchBookmarks=true&resourceVersion=gone", "");
    const Outcome outcome = run({"get", "jobs", "-w"});
    EXPECT_EQ(outcome.out, "NAME   STATUS\npi     Running\npi     Complete\n");
    EXPECT_EQ(outcome.err, "error: the connection was closed\n");
    EXPECT_EQ(run({"get", "jobs,pods", "-w"}).exit_code, 1);
}

// An object's own version may be older than what the server remembers; a list's is of now.
TEST_F(Verbs, GetWatchesOneObjectFromAListOfIt) {
    const std::string jobs = "GET " + std::string(kJobs);
    const std::string named = "fieldSelector=metadata.name%3Dpi";
    server.on(jobs + "/pi", R"({"kind":"Job","metadata":{"name":"pi","resourceVersion":"2"}})");
    server.on(jobs + "?limit=500&" + named, table(row("pi", "Running")));
    server.on(jobs + "?watch=true&allowWatchBookmarks=true&resourceVersion=5&" + named,
              R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"gone"}}})"
              "\n");
    server.on(jobs + "?watch=true&allowWatchBookmarks=true&resourceVersion=gone&" + named, "");
    const Outcome outcome = run({"get", "job", "pi", "-w"});
    EXPECT_EQ(outcome.out, "NAME   STATUS\npi     Running\n");
    EXPECT_EQ(outcome.err, "error: the connection was closed\n");

    server.on(jobs + "?" + named, R"({"metadata":{"resourceVersion":"gone"},"items":[{"metadata":{"name":"pi"}}]})");
    EXPECT_THAT(run({"get", "job", "pi", "-w", "-o", "yaml"}).out, HasSubstr("---\napiVersion: batch/v1\nkind: Job\n"));
    EXPECT_EQ(run({"get", "job", "none", "-w"}).err, "Error from server (NotFound): not found in the script\n");
}

TEST_F(Verbs, GetLooksAgainWhenWhatHappenedIsNoLongerKnown) {
    const std::string expired = failure("Expired", 410, "too old resource version");
    for (const bool in_stream : {false, true}) {
        SCOPED_TRACE(in_stream);
        server = ScriptedServer();
        server.on("GET " + std::string(kJobs) + "?limit=500", table(row("pi", "Running")));
        server.on("GET " + std::string(kJobs) + "?limit=500",
                  R"({"kind":"Table","metadata":{"resourceVersion":"gone"},"rows":[)" + row("pi", "Complete") + "]}");
        const std::string watch = "GET " + std::string(kJobs) + "?watch=true&allowWatchBookmarks=true&resourceVersion=";
        if (in_stream)
            server.on(watch + "5", R"({"type":"ERROR","object":)" + expired + "}\n");
        else
            server.on(watch + "5", expired, 410);
        server.on(watch + "gone", "");
        const Outcome outcome = run({"get", "jobs", "-w"});
        EXPECT_EQ(outcome.out, "NAME   STATUS\npi     Running\npi     Complete\n");
        EXPECT_EQ(outcome.err, "error: the connection was closed\n");
    }
}

TEST_F(Verbs, FlagsAreReadAsKubectlReadsThem) {
    server.on("GET /apis/batch/v1/namespaces/lab/jobs?limit=500", table(row("of-lab", "Running")));
    server.on("GET /apis/batch/v1/namespaces/lab/jobs?limit=500&labelSelector=a%3Db", table(row("chosen", "Running")));
    server.on("GET /apis/batch/v1/jobs?limit=500", R"({"kind":"JobList","items":[{"metadata":{"name":"any"}}]})");
    const struct {
        const char* name;
        std::vector<const char*> arguments;
        const char* shown;
    } cases[] = {
        {"a value apart", {"get", "jobs", "-n", "lab"}, "of-lab"},
        {"a value behind a sign", {"get", "jobs", "-n=lab"}, "of-lab"},
        {"a value in one word", {"get", "jobs", "-nlab"}, "of-lab"},
        {"a long flag", {"get", "jobs", "--namespace=lab"}, "of-lab"},
        {"a sign in the value", {"get", "jobs", "-n", "lab", "-l=a=b"}, "chosen"},
        {"a sign in the value, in one word", {"get", "jobs", "-n", "lab", "-la=b"}, "chosen"},
        {"short flags in one word", {"get", "jobs", "-Ao=name"}, "job.batch/any"},
        {"a short flag that is turned off", {"get", "jobs", "-w=false", "-n=lab"}, "of-lab"},
        {"before the verb", {"-n", "lab", "get", "jobs"}, "of-lab"},
        {"before the verb, in one word", {"--context=c", "-n=lab", "get", "jobs"}, "of-lab"},
        {"the last of two counts", {"get", "jobs", "-n", "den", "-n", "lab"}, "of-lab"},
    };
    for (const auto& one : cases) {
        SCOPED_TRACE(one.name);
        const Outcome outcome = run(one.arguments);
        EXPECT_THAT(outcome.out, HasSubstr(one.shown));
        EXPECT_EQ(outcome.err, "");
        EXPECT_EQ(outcome.exit_code, 0);
    }
    EXPECT_EQ(run({"-n", "lab", "api-resources"}).exit_code, 0);
}

TEST_F(Verbs, BadUsageOfAClientVerbIsToldInASentenceAndExitsWithOne) {
    const struct {
        std::vector<const char*> arguments;
        const char* told;
    } cases[] = {
        {{"get", "jobs", "--conjure"}, "unknown flag: --conjure"},
        {{"apply", "-f", "x", "y"}, "unexpected argument: y"},
        {{"get", "jobs", "-o"}, "flag needs an argument: --output"},
        {{"apply", "-f", "x", "--dry-run=foo"}, "--dry-run: \"foo\" is not one of none, client, server"},
        {{"apply", "-f", "x", "-o=xml"}, "--output: \"xml\" is not one of name, json, yaml"},
        {{"wait", "job/pi"}, "--for is required"},
    };
    for (const auto& one : cases) {
        SCOPED_TRACE(one.told);
        const Outcome outcome = run(one.arguments);
        EXPECT_EQ(outcome.exit_code, 1);
        EXPECT_EQ(outcome.err,
                  "error: " + std::string(one.told) + "\nSee 'muster " + one.arguments[0] + " --help' for usage.\n");
    }
    EXPECT_EQ(run({"-n", "lab", "conjure"}).exit_code, kExitBadUsage);
}

TEST_F(Verbs, ApplyCreatesWhatIsNotThere) {
    files["j.yaml"] = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: pi}\nspec: {parallelism: 2}\n";
    const std::string query = "?fieldManager=kubectl-client-side-apply&fieldValidation=Strict";
    server.on("POST " + std::string(kJobs) + query,
              Response{.status = 201, .body = "{}", .warnings = {"mind the gap"}});
    const Outcome outcome = run({"apply", "-f", "j.yaml"});
    EXPECT_EQ(outcome.out, "job.batch/pi created\n");
    EXPECT_EQ(outcome.err, "Warning: mind the gap\n");
    const json::value sent = json::parse(server.bodies.back());
    EXPECT_EQ(sent.at("metadata").at("namespace").as_string(), "default");
    EXPECT_EQ(
        sent.at("metadata").at("annotations").at("kubectl.kubernetes.io/last-applied-configuration").as_string(),
        "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"annotations\":{},\"name\":\"pi\",\"namespace\":"
        "\"default\"},\"spec\":{\"parallelism\":2}}\n");
    server.requests.clear();
    EXPECT_EQ(run({"apply", "-f", "j.yaml", "--dry-run=client"}).out, "job.batch/pi created (dry run)\n");
    EXPECT_EQ(server.requests.size(), 1u);
}

TEST_F(Verbs, ApplyPatchesWhatHasChanged) {
    files["-"] = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: pi}\nspec: {parallelism: 3}\n";
    const std::string last =
        R"({\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"annotations\":{},\"name\":\"pi\",\"namespace\":\"default\"},\"spec\":{\"parallelism\":2,\"backoffLimit\":1}}\n)";
    server.on(
        "GET " + std::string(kJobs) + "/pi",
        R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"pi","namespace":"default","resourceVersion":"7",)"
        R"("annotations":{"kubectl.kubernetes.io/last-applied-configuration":")" +
            last + R"("}},"spec":{"parallelism":2,"backoffLimit":1,"completions":5}})");
    const std::string patch_request =
        "PATCH " + std::string(kJobs) + "/pi?fieldManager=kubectl-client-side-apply&fieldValidation=Strict";
    server.on(patch_request, R"({"metadata":{"resourceVersion":"8"}})");
    EXPECT_EQ(run({"apply", "-f", "-"}).out, "job.batch/pi configured\n");
    const json::value patch = json::parse(server.bodies.back());
    EXPECT_EQ(json::serialize(patch.at("spec")), R"({"parallelism":3,"backoffLimit":null})");
}

TEST_F(Verbs, ApplyLeavesWhatIsAsItShouldBe) {
    files["j.yaml"] = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: pi}\n";
    server.on(
        "GET " + std::string(kJobs) + "/pi",
        R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"pi","namespace":"default","resourceVersion":"7",)"
        R"("annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"annotations\":{},\"name\":\"pi\",\"namespace\":\"default\"}}\n"}}})");
    EXPECT_EQ(run({"apply", "-f", "j.yaml"}).out, "job.batch/pi unchanged\n");
    EXPECT_EQ(server.requests.size(), 1u);
}

TEST_F(Verbs, ApplyNamesEveryErrorOfAnInvalidObject) {
    files["j.yaml"] =
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: pi}\n---\napiVersion: v9\nkind: Nope\nmetadata: {name: x}\n";
    server.on(
        "POST " + std::string(kJobs) + "?fieldManager=kubectl-client-side-apply&fieldValidation=Strict",
        R"({"kind":"Status","reason":"Invalid","code":422,"message":"m","details":{"name":"pi","kind":"Job","causes":)"
        R"([{"field":"spec.a","message":"Required value"},{"field":"spec.b","message":"Invalid value: 3"}]}})",
        422);
    const Outcome outcome = run({"apply", "-f", "j.yaml"});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(
        outcome.err,
        "The Job \"pi\" is invalid: \n* spec.a: Required value\n* spec.b: Invalid value: 3\nerror: no matches for kind "
        "\"Nope\" in version \"v9\"\n");
}

TEST_F(Verbs, EachTakesItsKubeconfigAndContext) {
    files["j.yaml"] = "";
    const std::vector<const char*> verbs[] = {
        {"get", "pods"},
        {"describe", "pods"},
        {"apply", "-f", "j.yaml"},
        {"delete", "pods", "p"},
        {"wait", "pods", "p", "--for=delete", "--timeout=0"},
        {"logs", "p"},
        {"api-resources"},
        {"backup", "/b"},
    };
    for (std::vector<const char*> arguments : verbs) {
        kubeconfig_read = connected_to = "";
        arguments.insert(arguments.end(), {"--kubeconfig", "/k", "--context", "d"});
        run(arguments);
        EXPECT_EQ(kubeconfig_read, "/k") << arguments.front();
        EXPECT_EQ(connected_to, "https://other") << arguments.front();
    }
}

TEST_F(Verbs, ApplySaysWhenThePatchMakesNoObject) {
    const Error error = status_error(
        422, R"({"kind":"Status","reason":"Invalid","code":422,"message":" \"\" is invalid: patch: no","details":)"
             R"({"causes":[{"field":"patch","message":"Invalid value: no"}]}})");
    EXPECT_EQ(error.message, "The request is invalid: patch: Invalid value: no");
}

TEST_F(Verbs, DeleteWaitsUntilItIsGone) {
    server.on("DELETE " + std::string(kJobs) + "/pi", R"({"kind":"Job","metadata":{"name":"pi","uid":"u1"}})");
    const std::string list = "GET " + std::string(kJobs) + "?fieldSelector=metadata.name%3Dpi";
    server.on(list, R"({"metadata":{"resourceVersion":"9"},"items":[{"metadata":{"uid":"u1"}}]})");
    server.on(
        list + "&watch=true&allowWatchBookmarks=true&resourceVersion=9&timeoutSeconds=300",
        "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"uid\":\"u1\"}}}\n{\"type\":\"DELETED\",\"object\":{}}\n");
    const Outcome outcome = run({"delete", "job", "pi", "--cascade=foreground"});
    EXPECT_EQ(outcome.out, "job.batch \"pi\" deleted\n");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(server.bodies[0], R"({"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":"Foreground"})");
    EXPECT_EQ(server.requests.size(), 3u);
    server.requests.clear();
    EXPECT_EQ(run({"delete", "job/pi", "--wait=false", "--grace-period=0", "--force"}).out,
              "job.batch \"pi\" force deleted\n");
    EXPECT_EQ(server.requests.size(), 1u);
    EXPECT_THAT(server.bodies.back(), HasSubstr("\"gracePeriodSeconds\":0"));
}

TEST_F(Verbs, DeleteOfAnotherObjectWithTheNameEndsTheWait) {
    server.on("DELETE " + std::string(kJobs) + "/pi", R"({"kind":"Status","details":{"uid":"u1"}})");
    server.on("GET " + std::string(kJobs) + "?fieldSelector=metadata.name%3Dpi",
              R"({"metadata":{"resourceVersion":"9"},"items":[{"metadata":{"uid":"u2"}}]})");
    EXPECT_EQ(run({"delete", "job", "pi"}).exit_code, 0);
}

TEST_F(Verbs, DeleteDoesNotGuess) {
    EXPECT_EQ(run({"delete", "jobs"}).err, "error: resource(s) were provided, but no name was specified\n");
    EXPECT_EQ(run({"delete", "job", "x"}).exit_code, 1);
    EXPECT_EQ(run({"delete", "job", "x", "--ignore-not-found"}).exit_code, 0);
    EXPECT_EQ(run({"delete", "job", "x", "--cascade=sideways"}).exit_code, 1);
    server.on(
        "GET " + std::string(kJobs) + "?limit=500",
        R"({"items":[{"metadata":{"name":"a","namespace":"default"}},{"metadata":{"name":"b","namespace":"default"}}]})");
    server.on("DELETE " + std::string(kJobs) + "/a", "{}");
    server.on("DELETE " + std::string(kJobs) + "/b", "{}");
    EXPECT_EQ(run({"delete", "jobs", "--all", "--wait=false", "-o", "name"}).out, "job.batch/a\njob.batch/b\n");
}

TEST_F(Verbs, WaitEndsWhenTheConditionIsMet) {
    const std::string job = R"({"metadata":{"name":"pi","namespace":"default"},"status":{"succeeded":1,"conditions":[)";
    server.on("GET " + std::string(kJobs) + "/pi", job + "]}}");
    const std::string list = "GET " + std::string(kJobs) + "?fieldSelector=metadata.name%3Dpi";
    server.on(list, R"({"metadata":{"resourceVersion":"9"},"items":[)" + job + "]}}]}");
    server.on(list + "&watch=true&allowWatchBookmarks=true&resourceVersion=9&timeoutSeconds=58",
              "{\"type\":\"BOOKMARK\",\"object\":{}}\n{\"type\":\"MODIFIED\",\"object\":" + job +
                  "{\"type\":\"Complete\",\"status\":\"True\"}]}}}\n");
    const Outcome outcome = run({"wait", "--for=condition=complete", "job/pi", "--timeout=60s"});
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(outcome.out, "job.batch/pi condition met\n");
    EXPECT_EQ(run({"wait", "--for=jsonpath={.status.succeeded}=1", "job/pi"}).out, "job.batch/pi condition met\n");
    EXPECT_EQ(run({"wait", "--for=create", "job/pi"}).exit_code, 0);
}

TEST_F(Verbs, WaitTimesOut) {
    server.on("GET " + std::string(kJobs) + "/pi", R"({"metadata":{"name":"pi"}})");
    server.on("GET " + std::string(kJobs) + "?fieldSelector=metadata.name%3Dpi",
              R"({"metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"pi"}}]})");
    const Outcome outcome = run({"wait", "--for=condition=Complete", "job/pi", "--timeout=0"});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.err, "error: timed out waiting for the condition on jobs/pi\n");
    EXPECT_EQ(run({"wait", "--for=nonsense", "job/pi"}).err, "error: unrecognized condition: \"nonsense\"\n");
}

TEST_F(Verbs, ApiResourcesAreListedByGroup) {
    const Outcome outcome = run({"api-resources", "--api-group=batch"});
    EXPECT_EQ(
        outcome.out,
        "NAME       SHORTNAMES   APIVERSION   NAMESPACED   KIND\ncronjobs   cj           batch/v1     true         "
        "CronJob\njobs                    batch/v1     true         Job\n");
    EXPECT_THAT(run({"api-resources", "-o", "name", "--namespaced=false"}).out, HasSubstr("nodes\n"));
    EXPECT_THAT(run({"api-resources", "-o", "wide"}).out, HasSubstr("create,delete,deletecollection,get"));
}

TEST_F(Verbs, DescribeTellsAJobAndWhatHappenedToIt) {
    server.on(
        "GET " + std::string(kJobs) + "/pi",
        R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"pi","namespace":"default","uid":"u","labels":)"
        R"({"a":"b"}},"spec":{"parallelism":1,"completions":3,"template":{"spec":{"containers":[{"name":"c","image":)"
        R"("perl","command":["perl","-e"]}]}}},"status":{"startTime":"2026-03-01T11:59:00Z","active":1,"succeeded":2}})");
    server.on(
        "GET /api/v1/namespaces/default/events?limit=500&fieldSelector=involvedObject.name%3Dpi%2C"
        "involvedObject.namespace%3Ddefault%2CinvolvedObject.kind%3DJob%2CinvolvedObject.uid%3Du",
        R"({"items":[{"type":"Normal","reason":"SuccessfulCreate","message":"Created pod: pi-x","source":{"component":)"
        R"("job-controller"},"lastTimestamp":"2026-03-01T11:59:00Z","count":1}]})");
    const Outcome outcome = run({"describe", "job", "pi"});
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(outcome.out, R"(Name:           pi
Namespace:      default
Selector:       <none>
Labels:         a=b
Annotations:    <none>
Parallelism:    1
Completions:    3
Start Time:     Sun, 01 Mar 2026 11:59:00 +0000
Pods Statuses:  1 Active (0 Ready) / 2 Succeeded / 0 Failed
Pod Template:
  Labels:  <none>
  Containers:
    c:
      Image:  perl
      Port:   <none>
      Command:
        perl
        -e
      Environment:  <none>
      Mounts:       <none>
  Volumes:          <none>
  Node-Selectors:   <none>
  Tolerations:      <none>
Events:
  Type    Reason            Age   From            Message
  ----    ------            ----  ----            -------
  Normal  SuccessfulCreate  61s   job-controller  Created pod: pi-x
)");
}

TEST_F(Verbs, DescribeFindsObjectsByTheStartOfTheirName) {
    server.on("GET /api/v1/namespaces/default/secrets?limit=500",
              R"({"items":[{"metadata":{"name":"web-1","namespace":"default"},"data":{"password":"c2VjcmV0c2VjcmV0"}},)"
              R"({"metadata":{"name":"other","namespace":"default"}}]})");
    const Outcome outcome = run({"describe", "secret", "web", "--no-events"});
    EXPECT_THAT(outcome.out, HasSubstr("web-1"));
    EXPECT_THAT(outcome.out, testing::Not(HasSubstr("other")));
    EXPECT_THAT(outcome.out, testing::Not(HasSubstr("c2VjcmV0")));
    EXPECT_THAT(outcome.out, HasSubstr("  password:  12 bytes"));
    EXPECT_EQ(run({"describe", "secret", "nope"}).exit_code, 1);
}

TEST_F(Verbs, DescribeLeavesTheNamesOfUsersAlone) {
    const std::string space = "GET /api/v1/namespaces/default/";
    server.on(space + "secrets/s",
              R"({"kind":"Secret","metadata":{"name":"s"},"data":{"a":"","pin":"c2VjcmV0IQ==","two":"YWI="}})");
    EXPECT_THAT(run({"describe", "secret", "s", "--no-events"}).out,
                HasSubstr("Data:\n  a:    0 bytes\n  pin:  7 bytes\n  two:  2 bytes\n"));
    server.on(space + "configmaps/c",
              R"({"kind":"ConfigMap","metadata":{"name":"c"},"data":{"app.conf":"one\n\ntwo\n","logLevel":"3"}})");
    EXPECT_THAT(run({"describe", "configmap", "c", "--no-events"}).out,
                HasSubstr("Data:\n  app.conf:\n    one\n\n    two\n  logLevel:  3\n"));
}

TEST_F(Verbs, BackupSaysWhereEverythingIs) {
    server.on("POST /muster/backup?directory=%2Fsafe%2Fmonday%20night", R"({"kind":"Status","status":"Success"})");
    EXPECT_EQ(run({"backup", "/safe/monday night"}).out, "everything is in /safe/monday night\n");
    server.on("POST /muster/backup?directory=%2Fsafe%2Fold",
              failure("AlreadyExists", 409, "cannot make /safe/old: it exists"), 409);
    const Outcome refused = run({"backup", "/safe/old"});
    EXPECT_EQ(refused.err, "Error from server (AlreadyExists): cannot make /safe/old: it exists\n");
    EXPECT_EQ(refused.exit_code, 1);
    (void)run({"backup", "here"});
    ASSERT_FALSE(server.requests.empty());
    EXPECT_THAT(server.requests.back(), testing::MatchesRegex("POST /muster/backup.directory=%2F.*%2Fhere"));
}

TEST_F(Verbs, HelpAndCompletionKnowThem) {
    EXPECT_THAT(run({"help"}).out, HasSubstr("api-resources"));
    EXPECT_THAT(run({"delete", "--help"}).out, HasSubstr("--cascade"));
    for (const char* shell : {"bash", "zsh", "fish"})
        EXPECT_THAT(run({"completion", shell}).out, HasSubstr("muster __complete")) << shell;
    EXPECT_EQ(run({"completion", "cmd"}).exit_code, kExitBadUsage);
}

TEST_F(Verbs, CompletionOffersWhatMayComeNext) {
    server.on("GET /api/v1/namespaces?limit=500",
              R"({"items":[{"metadata":{"name":"default"}},{"metadata":{"name":"lab"}},{"metadata":{"name":"lax"}}]})");
    server.on("GET /apis/batch/v1/namespaces/lab/jobs?limit=500",
              R"({"items":[{"metadata":{"name":"pi"}},{"metadata":{"name":"primes"}}]})");
    server.on("GET /api/v1/namespaces/default/pods?limit=500", R"({"items":[{"metadata":{"name":"web-1"}}]})");
    server.on("GET /api/v1/namespaces/default/pods/web-1",
              R"({"metadata":{"name":"web-1"},"spec":{"containers":[{"name":"main"},{"name":"side"}]}})");
    const struct {
        const char* name;
        std::vector<const char*> words;  // the last is being typed
        const char* offered;
    } cases[] = {
        {"a verb", {"ge"}, "get\tShow objects, as a table or in full\n"},
        {"a verb behind a flag", {"-n", "lab", "ge"}, "get\tShow objects, as a table or in full\n"},
        {"the value of a flag before the verb", {"-n", "la"}, "lab\nlax\n"},
        {"a flag", {"get", "jobs", "--show"}, "--show-labels\n"},
        {"a type", {"get", "job"}, "jobs.batch\n"},
        {"a type behind a flag", {"get", "-o", "json", "job"}, "jobs.batch\n"},
        {"a second type", {"get", "pods,cronj"}, "pods,cronjobs.batch\n"},
        {"an object", {"get", "job", "-n", "lab", "p"}, "pi\nprimes\n"},
        {"an object besides", {"delete", "-nlab", "job", "pi", "p"}, "primes\n"},
        {"an object with its type", {"describe", "--namespace=lab", "job/pr"}, "job/primes\n"},
        {"a namespace", {"get", "jobs", "-n", "l"}, "lab\nlax\n"},
        {"a namespace behind a sign", {"get", "jobs", "--namespace=lab"}, "--namespace=lab\n"},
        {"a namespace behind a sign, by bash", {"get", "jobs", "--namespace", "=", "lab"}, "lab\n"},
        {"a form", {"get", "jobs", "-o", ""}, "json\nyaml\nwide\nname\njsonpath=\n"},
        {"a form, by bash", {"get", "jobs", "--output", "="}, "json\nyaml\nwide\nname\njsonpath=\n"},
        {"another verb's form", {"delete", "job", "x", "-o", ""}, "name\n"},
        {"a fixed value", {"apply", "--dry-run", "s"}, "server\n"},
        {"a manifest", {"apply", "-f", ""}, ":files\n"},
        {"a manifest to run", {"run", ""}, ":files\n"},
        {"a pod", {"logs", "w"}, "web-1\n"},
        {"a container", {"logs", "web-1", "m"}, "main\n"},
        {"a container by flag", {"logs", "web-1", "-c", ""}, "main\nside\n"},
        {"a shell", {"completion", ""}, "bash\nzsh\nfish\n"},
        {"a verb to explain", {"help", "desc"}, "describe\tTell an object at length, and what happened to it\n"},
        {"nothing that is known", {"get", "widgets", ""}, ""},
        {"nothing behind an unknown verb", {"conjure", ""}, ""},
    };
    for (const auto& one : cases) {
        SCOPED_TRACE(one.name);
        std::vector<const char*> arguments = one.words;
        arguments.insert(arguments.begin(), "__complete");
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.out, one.offered);
        EXPECT_EQ(outcome.err, "");
        EXPECT_EQ(outcome.exit_code, 0);
    }
}

constexpr const char* kPodsPath = "GET /api/v1/namespaces/default/pods";

std::string pod_document(const std::string& name) {
    return R"({"metadata":{"name":")" + name + R"(","namespace":"default"},"spec":{"containers":[{"name":"c"}]},)" +
           R"("status":{"containerStatuses":[{"name":"c","containerID":"m/1","state":{"running":{}}}]}})";
}

TEST_F(Verbs, LogsOfAPod) {
    const std::string path = std::string(kPodsPath) + "/p";
    server.on(path, pod_document("p"));
    server.on(path + "/log?container=c", "one\ntwo\n");
    server.on(path + "/log?container=c&follow=true&timestamps=true&sinceSeconds=90&tailLines=1", "two\n");
    EXPECT_EQ(run({"logs", "p"}).out, "one\ntwo\n");
    EXPECT_EQ(run({"logs", "p", "--prefix"}).out, "[pod/p/c] one\n[pod/p/c] two\n");
    EXPECT_EQ(run({"logs", "-f", "p", "c", "--timestamps", "--since=90s", "--tail", "1"}).out, "two\n");
    EXPECT_EQ(run({"logs", "pod/p", "-c", "d"}).err, "error: container d is not valid for pod p\n");
    EXPECT_EQ(run({"logs", "p", "--previous"}).exit_code, 1);
    EXPECT_EQ(run({"logs", "p", "--since=x"}).exit_code, 1);
    EXPECT_EQ(run({"logs", "p", "-l", "a=b"}).err, "error: only a selector (-l) or a POD name is allowed\n");
}

TEST_F(Verbs, LogsOfPodsWithLabelsAreTheLastTenLinesOfEach) {
    server.on(std::string(kPodsPath) + "?labelSelector=a%3Db",
              R"({"items":[)" + pod_document("x") + "," + pod_document("y") + "]}");
    server.on(std::string(kPodsPath) + "/x/log?container=c&tailLines=10", "of x\n");
    server.on(std::string(kPodsPath) + "/y/log?container=c&tailLines=10", "of y\n");
    EXPECT_EQ(run({"logs", "-l", "a=b"}).out, "of x\nof y\n");
    EXPECT_THAT(run({"logs", "-l", "a=b", "-f", "--max-log-requests=1"}).err, HasSubstr("follow 2 log streams"));
    server.on(std::string(kPodsPath) + "?labelSelector=no", R"({"items":[]})");
    EXPECT_EQ(run({"logs", "-l", "no"}).err, "No resources found in default namespace.\n");
}

TEST_F(Verbs, LogsOfAJobAreThoseOfAllItsPods) {
    server.on("GET " + std::string(kJobs) + "/j", R"({"kind":"Job","spec":{"selector":{"matchLabels":{"u":"1"}}}})");
    const std::string list = std::string(kPodsPath) + "?labelSelector=u%3D1";
    server.on(list, R"({"metadata":{"resourceVersion":"5"},"items":[)" + pod_document("x") + "]}");
    server.on(list, R"({"items":[)" + pod_document("x") + "," + pod_document("y") + "]}");
    server.on(std::string(kPodsPath) + "/x/log?container=c", "of x\n");
    server.on(std::string(kPodsPath) + "/y/log?container=c", "of y\n");
    EXPECT_EQ(run({"logs", "job/j"}).out, "of x\n");
    EXPECT_EQ(run({"logs", "job/j"}).out, "of x\nof y\n");
}

}  // namespace verbs_test
}  // namespace muster::cli
