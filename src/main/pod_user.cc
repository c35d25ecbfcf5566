#include "main/pod_user.h"

#include "os/files/files.h"

namespace muster {

Result<PodUserChoice> choose_pod_user(const cli::UpOptions& options, NodeChoice::Kind node) {
    using Kind = PodUserChoice::Kind;
    const bool named = !options.pod_user.empty() && options.pod_user != "same";
    PodUserChoice choice;
    if (node != NodeChoice::Kind::kProcess) {
        if (named) return Error{Code::kBadRequest, "--pod-user " + options.pod_user + " needs --node process"};
        return choice;
    }
    choice.kind = options.pod_user == "same" ? Kind::kSame : Kind::kAdministrators;
    if (!named) return choice;
    choice.kind = Kind::kOther;
    TRY_ASSIGN(node::PodUser user, node::find_pod_user(options.pod_user));
    TRY_ASSIGN(user, node::settle_pod_user(std::move(user)));
    user.hidden_directories = {os::absolute_path(options.data_directory)};
    if (!options.token_file.empty()) user.hidden_files.push_back(os::absolute_path(options.token_file));
    choice.user = std::move(user);
    return choice;
}

std::string describe_pod_user(const PodUserChoice& choice, const std::string& server_user) {
    using Kind = PodUserChoice::Kind;
    const std::string as_server = "pods run as " + server_user + ", the server's own user: ";
    switch (choice.kind) {
        case Kind::kNoProcesses: return {};
        case Kind::kAdministrators: return as_server + "only administrators may create them (--pod-user changes that)";
        case Kind::kSame: return as_server + "every user who may create pods has this user's rights on this machine";
        case Kind::kOther: break;
    }
    const node::PodUser& user = *choice.user;
    if (!user.becomes)
        return "pods run in user namespaces as " + user.name + " and do not see the server's files; outside they are " +
               server_user + "'s processes";
    std::string line = "pods run as " + user.name;
    if (!user.apart)
        line += "; the kernel gives this user no user namespaces, so that pods can look into each other's processes";
    return line;
}

}  // namespace muster
