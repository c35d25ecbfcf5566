// How the client verbs reach a server: one request at a time, whole or as lines. The seam between what a verb does and
// what carries it; tests put a scripted server behind it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "base/result.h"

namespace muster::cli {

struct Request {
    std::string method = "GET";
    std::string target;  // path and query
    std::string accept = "application/json";
    std::string content_type{};
    std::string body{};
    std::optional<Duration> answer_timeout{};  // in place of the connection's own
};

struct Response {
    int status = 0;
    std::string content_type{};
    std::string body{};
    std::vector<std::string> warnings{};  // the texts of Warning headers
};

// Answers that are read side by side, each line by line. Streams may be added, and all be stopped, while they run,
// from within the calls.
class LineStreams {
public:
    using OnLine = std::function<bool(std::string_view line)>;            // false: no more of this one
    using OnEnd = std::function<void(const Result<Response>& response)>;  // as of Connection::stream
    struct Each {
        Request request;
        OnLine on_line;
        OnEnd on_end;
    };
    void add(Request request, OnLine on_line, OnEnd on_end);
    // Nothing more is read of any, and nothing more is called.
    void stop();
    bool stopped() const { return stopped_; }
    // Takes the streams that were added and not started yet. Called by Connection::run_streams.
    std::vector<Each> take() { return std::exchange(added_, {}); }
    std::function<void()> on_change{};

private:
    std::vector<Each> added_;
    bool stopped_ = false;
};

class Connection {
public:
    virtual ~Connection() = default;
    // The answer, whatever its status. Fails when there is none: kUnavailable, kIo, …
    virtual Result<Response> send(const Request& request) = 0;
    // An answer of 200 goes to `on_line` line by line as it arrives, until that gives false or the answer ends; the
    // response then has no body. Any other answer is given whole.
    virtual Result<Response> stream(const Request& request, const std::function<bool(std::string_view)>& on_line) = 0;
    // Runs until all have ended, or they are stopped. One after the other unless this can do better.
    virtual void run_streams(LineStreams& streams);
};

}  // namespace muster::cli
