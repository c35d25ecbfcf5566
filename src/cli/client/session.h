// What every client verb is given: a server to talk to, a place to write, and where it stands.
#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <string>

#include "base/instant.h"
#include "cli/client/connection.h"
#include "cli/command_line.h"

namespace muster::cli {

inline constexpr int kExitFailed = 1;

struct Session {
    Connection& connection;
    Terminal terminal;
    std::string namespace_ = "default";  // of -n, else of the kubeconfig's context
    std::function<Instant()> now{};
    // The content of a file, of all manifests in a directory, or of standard input for "-".
    std::function<Result<std::string>(const std::string&)> read_file{};
};

// The answer as JSON. An answer that says no is an error with kubectl's sentence ("Error from server (NotFound): …")
// and a code to act on. Warnings go to the terminal.
Result<boost::json::value> call(Session& session, const Request& request);

// The error that a Status document stands for.
Error status_error(int http_status, std::string_view body);

// Tells the error on the terminal and gives the exit code.
int tell(Session& session, const Error& error);

// "a b" → "a%20b", for what stands in a path or a query.
std::string escape_url(std::string_view text);

}  // namespace muster::cli
