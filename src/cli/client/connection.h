// How the client verbs reach a server: one request at a time, whole or as lines. The seam between what a verb does and
// what carries it; tests put a scripted server behind it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::cli {

struct Request {
    std::string method = "GET";
    std::string target;  // path and query
    std::string accept = "application/json";
    std::string content_type{};
    std::string body{};
};

struct Response {
    int status = 0;
    std::string content_type{};
    std::string body{};
    std::vector<std::string> warnings{};  // the texts of Warning headers
};

class Connection {
public:
    virtual ~Connection() = default;
    // The answer, whatever its status. Fails when there is none: kUnavailable, kIo, …
    virtual Result<Response> send(const Request& request) = 0;
    // An answer of 200 goes to `on_line` line by line as it arrives, until that gives false or the answer ends; the
    // response then has no body. Any other answer is given whole.
    virtual Result<Response> stream(const Request& request, const std::function<bool(std::string_view)>& on_line) = 0;
};

}  // namespace muster::cli
