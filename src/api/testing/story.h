// A recorded story: requests sent to a real kube-apiserver one after the other, and what it answered. For tests that
// replay them (test/oracle).
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace muster::api {

// What a server answers: an HTTP code and a JSON document.
struct StoryAnswer {
    int code = 0;
    boost::json::value body;
};

struct StoryStep {
    std::string verb;          // POST
    std::string path;          // /api/v1/namespaces/s0/pods?dryRun=All
    std::string content_type;  // application/json
    std::string body;          // as it was sent; empty when there was none
    std::string accept;        // application/json
    StoryAnswer recorded;
};

struct Story {
    std::string family;
    std::string name;
    std::string namespace_;
    std::vector<StoryStep> steps;
};

// One line of the recording. CHECKs that it is one.
Story parse_story(std::string_view line);

// Where two answers differ, each empty when they agree. What must differ (uids, versions, times) and what Kubernetes
// changed after the recording is taken out first, as the recording's own replay does.
struct StoryDifference {
    std::string code;
    std::string object;
    std::string cause;    // reason, and each cause's field and reason
    std::string message;  // the words: a different wording is not a fault by itself

    bool matters() const { return !code.empty() || !object.empty() || !cause.empty(); }
};
StoryDifference compare_answers(const StoryAnswer& got, const StoryAnswer& recorded);

}  // namespace muster::api
