// What every client verb is given: a server to talk to, a place to write, and where it stands.
#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <string>

#include "base/instant.h"
#include "cli/connection/connection.h"
#include "cli/connection/surroundings.h"
#include "cli/text/terminal.h"
#include "client/remote/requests.h"

namespace muster::cli {

inline constexpr int kExitFailed = 1;

struct Session {
    Connection& connection;
    Terminal terminal;
    std::string namespace_ = "default";  // of -n, else of the kubeconfig's context
    std::function<Instant()> now{};
    // The content of a file, or of standard input for "-".
    std::function<Result<std::string>(const std::string&)> read_file{};
    ManifestsIn manifests_in{};  // without it a path stands for itself
};

// The answer as JSON. An answer that says no is an error with kubectl's sentence ("Error from server (NotFound): …")
// and a code to act on. Warnings go to the terminal.
Result<boost::json::value> call(Session& session, const Request& request);

// The error that a Status document stands for, with kubectl's sentence.
Error status_error(int http_status, std::string_view body);

// The objects of the manifests that the paths stand for, file by file: `found` is given each file's, or why there are
// none, and says whether to go on with the next.
using OnManifest = std::function<bool(const Result<std::vector<boost::json::object>>& objects)>;
void each_manifest(Session& session, const std::vector<std::string>& paths, bool recursive, const OnManifest& found);

// A document that the server sent. It may be a little deeper than the deepest object: it may hold some.
Result<boost::json::value> parse_answer(std::string_view text);

// Tells the error on the terminal and gives the exit code.
int tell(Session& session, const Error& error);

}  // namespace muster::cli
