#include "node/keeper/start/program.h"

#include <algorithm>

namespace muster::node {
namespace {

constexpr std::string_view kPath = "PATH=";
constexpr std::string_view kPathDefault = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

std::string_view search_path(const RunRequest& request) {
    for (const std::string& variable : request.environment)
        if (variable.starts_with(kPath)) return std::string_view(variable).substr(kPath.size());
    return kPathDefault;
}

// Cuts the first directory off a PATH. An empty one is the working directory, as for every shell.
std::string_view take_entry(std::string_view& rest) {
    const std::size_t colon = rest.find(':');
    const std::string_view entry = rest.substr(0, colon);
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
    return entry.empty() ? "." : entry;
}

}  // namespace

std::vector<std::string> program_candidates(const RunRequest& request) {
    CHECK(!request.command.empty());
    const std::string& name = request.command.front();
    if (name.empty() || name.find('/') != std::string::npos) return {name};
    std::vector<std::string> candidates;
    std::string_view rest = search_path(request);
    // Relative ones are tried from the working directory.
    while (!rest.empty()) candidates.push_back(std::string(take_entry(rest)) + '/' + name);
    if (candidates.empty()) candidates.push_back(name);
    return candidates;
}

bool sees_other_files(const os::SetupSteps& setup) {
    return std::any_of(setup.begin(), setup.end(), [](const os::SetupStep& step) {
        return step.kind == os::SetupStep::Kind::kBind || step.kind == os::SetupStep::Kind::kPivotRoot ||
               step.kind == os::SetupStep::Kind::kChangeRoot;
    });
}

Result<std::string> find_program(const RunRequest& request) {
    CHECK(!request.command.empty());
    const std::string& name = request.command.front();
    if (name.find('/') != std::string::npos) return name;
    std::string_view rest = search_path(request);
    while (!rest.empty() && !name.empty()) {
        std::string path = std::string(take_entry(rest)) + '/' + name;
        if (!path.starts_with('/')) path = request.directory + '/' + path;
        if (os::may_execute(path)) return path;
    }
    return Error{Code::kNotFound, "exec: \"" + name + "\": executable file not found in $PATH"};
}

std::string start_failure(const RunRequest& request, const Error& error) {
    const std::string& name = request.command.front();
    const bool searched = name.find('/') == std::string::npos && error.message.starts_with("cannot start ");
    if (searched && error.code == Code::kNotFound) return "exec: \"" + name + "\": executable file not found in $PATH";
    return "exec: \"" + name + "\" in " + (request.directory.empty() ? std::string("/") : request.directory) + ": " +
           error.message;
}

}  // namespace muster::node
