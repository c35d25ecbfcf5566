// Every recorded story against the real binary over HTTPS: the same codes, objects and error causes as a real
// kube-apiserver gave. A story that differs must be in a table below, with the reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <fstream>
#include <set>
#include <span>

#include "api/testing/story.h"
#include "test/e2e/running_server.h"

namespace muster::e2e {
namespace oracle_replay_test {

namespace json = boost::json;
using api::Story;
using api::StoryAnswer;
using api::StoryStep;

struct Exception {
    const char* story;
    const char* reason;
};

// What is not served yet.
const std::set<std::string> kFamiliesNotServed = {"apply", "custom", "custom-refused"};
constexpr const char* kServed = "lists what is served, which is less here, and the address that it is served at";
constexpr const char* kNoResize = "the subresource resize is not served: a process has no limits that can change";
constexpr const char* kNoEphemeral = "the subresource ephemeralcontainers is not served: a pod has no image to debug";
const Exception kDiffer[] = {
    {"paths: /", kServed},
    {"paths: /api", kServed},
    {"paths: /apis", kServed},
    {"pod-today: resize", kNoResize},
    {"pod-today: resize of something else", kNoResize},
    {"pod-today: ephemeral", kNoEphemeral},
    {"pod-today: ephemeral clash", kNoEphemeral},
};

// The words of a refusal that are others than Kubernetes', where its facts are the same: the story and the verb.
constexpr const char* kValues = "a value is shown with the names of its JSON, not with those of Go's structs";
constexpr const char* kTypes = "a type is named as in JSON, not as in Go";
constexpr const char* kParser = "another parser says in its own words what it met";
constexpr const char* kMediaType = "the media types are told in a sentence";
constexpr const char* kChange = "a change is told by its path, not as both sides in Go";
const Exception kWorded[] = {
    {"job-create: float for a number, POST", kTypes},
    {"job-create: number too large, POST", kTypes},
    {"job-update: nodeSelector may not while running, PATCH", kValues},
    {"job-update: policy may not be added, PATCH", kValues},
    {"job-today: success policy not indexed, POST", kValues},
    {"pod-create: quantity bad, POST", "the field is named"},
    {"pod-update: command may not, PATCH", kChange},
    {"pod-update: env may not, PATCH", kChange},
    {"pod-today: ephemeral clash, PATCH", kNoEphemeral},
    {"patch: merge not an object, PATCH", kTypes},
    {"patch: merge wrong type, PATCH", kTypes},
    {"patch: patch as plain json, PATCH", kMediaType},
    {"body: json string, POST", kTypes},
    {"body: yaml body, POST", kTypes},
    {"body: trailing garbage, POST", kParser},
    {"write: put uid mismatch, PUT", "nothing is said of a key in etcd"},
    {"forms: unacceptable, GET", kMediaType},
    {"list: query ?resourceVersion=abc, GET", kParser},
    {"list: query ?continue=abc, GET", kParser},
};

bool find_in(std::span<const Exception> exceptions, const std::string& story) {
    return std::ranges::any_of(exceptions, [&](const Exception& each) { return story == each.story; });
}

// What a column means is said in our own words.
void drop_descriptions(json::value& value) {
    if (auto* object = value.if_object()) {
        if (auto* columns = object->if_contains("columnDefinitions"))
            for (json::value& column : columns->as_array()) column.as_object().erase("description");
    }
}

StoryAnswer ask(cli::Connection& connection, const StoryStep& step) {
    cli::Request request;
    request.method = step.verb;
    request.accept = step.accept;
    request.content_type = step.content_type;
    request.body = step.body;
    for (const char c : step.path) request.target += c == ' ' ? std::string("%20") : std::string(1, c);
    const auto response = connection.send(request);
    if (!response.ok()) return {0, json::value(response.error().message)};
    boost::system::error_code failure;
    json::value body = json::parse(response->body, failure);
    if (failure) body = json::value(response->body);
    return {response->status, std::move(body)};
}

void make_namespace(cli::Connection& connection, const std::string& name) {
    StoryStep step;
    step.verb = "POST";
    step.path = "/api/v1/namespaces";
    step.accept = step.content_type = "application/json";
    step.body = R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + name + "\"}}";
    ask(connection, step);
}

TEST(OracleReplay, TheServerAnswersAsKubernetesDid) {
    const RunningServer server(fresh_directory("oracle"));
    ASSERT_NE(server.ready_line(), "");
    const auto connection = server.connect();
    std::ifstream stories(MUSTER_SOURCE_DIR "/test/oracle/kube-apiserver-1.38.jsonl");
    ASSERT_TRUE(stories.is_open());
    int count = 0;
    int steps = 0;
    std::set<std::string> worded;
    std::set<std::string> differed;
    for (std::string line; std::getline(stories, line);) {
        Story story = api::parse_story(line);
        if (kFamiliesNotServed.contains(story.family)) continue;
        ++count;
        const std::string title = story.family + ": " + story.name;
        make_namespace(*connection, story.namespace_);
        for (StoryStep& step : story.steps) {
            StoryAnswer got = ask(*connection, step);
            drop_descriptions(got.body);
            drop_descriptions(step.recorded.body);
            const auto difference = compare_answers(got, step.recorded);
            ++steps;
            if (!difference.message.empty()) {
                const std::string place = title + ", " + step.verb;
                worded.insert(place);
                EXPECT_TRUE(find_in(kWorded, place)) << place << " has other words:\n    " << difference.message;
            }
            if (!difference.matters()) continue;
            differed.insert(title);
            if (!find_in(kDiffer, title))
                ADD_FAILURE() << title << "\n    " << step.verb << " " << step.path
                              << "\n    code:   " << difference.code << "\n    object: " << difference.object
                              << "\n    cause:  " << difference.cause;
        }
    }
    std::printf("replayed %d stories, %d steps: %zu stories differ, each for a reason; %zu texts differ in wording\n",
                count, steps, differed.size(), worded.size());
    EXPECT_EQ(count, 290);
    for (const Exception& exception : kDiffer)
        EXPECT_TRUE(differed.contains(exception.story)) << exception.story << " no longer differs";
    for (const Exception& exception : kWorded)
        EXPECT_TRUE(worded.contains(exception.story)) << exception.story << " has the same words now";
}

}  // namespace oracle_replay_test
}  // namespace muster::e2e
