// The meaning of --pod-user: the user that pods run as, and so who may create pods. docs/security.md explains the
// cases.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/up/up_options.h"
#include "main/node.h"
#include "node/identity/pod_user.h"

namespace muster {

struct PodUserChoice {
    enum class Kind {
        kNoProcesses,     // this server runs no pods on this machine
        kAdministrators,  // the server's user, so that only administrators may make pods
        kSame,            // the server's user, and RBAC says who may make pods
        kOther,           // `user`
    } kind = Kind::kNoProcesses;
    std::optional<node::PodUser> user{};
};

// Asks the machine about the user. kBadRequest, with a sentence, when pods cannot run as it.
Result<PodUserChoice> choose_pod_user(const cli::UpOptions& options, NodeChoice::Kind node);

// The line that is printed at start; empty when there is nothing to say. `server_user` is the server's user's name.
std::string describe_pod_user(const PodUserChoice& choice, const std::string& server_user);

}  // namespace muster
