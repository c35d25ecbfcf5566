#include "node/keeper/protocol.h"

#include <algorithm>

#include "base/check.h"

namespace muster::node {

int needed_version(const RunRequest& request) {
    using os::SetupStep;
    constexpr std::uint64_t kSince2 = SetupStep::kMakeBeneath | SetupStep::kAsUser;
    const auto is_relative = [](const std::string& path) { return !path.empty() && path.front() != '/'; };
    const auto is_new = [&](const SetupStep& step) {
        if (step.kind == SetupStep::Kind::kVisibleProcess) return true;
        return step.kind == SetupStep::Kind::kBind &&
               ((step.flags & kSince2) != 0 || is_relative(step.source) || is_relative(step.inside));
    };
    return std::any_of(request.setup.begin(), request.setup.end(), is_new) ? 2 : 1;
}

bool starts_all(const KeeperTerms& keeper, int own) { return keeper.version >= own && keeper.oldest_server <= own; }

bool can_start(const KeeperTerms& keeper, const RunRequest& request, int own) {
    return keeper.oldest_server <= own && needed_version(request) <= keeper.version;
}

std::string explain_wait(const KeeperTerms& keeper, std::size_t running, int own) {
    CHECK(!starts_all(keeper, own), "nothing waits for a keeper that starts everything");
    const bool later = keeper.oldest_server > own;
    std::string text = "the node helper is of ";
    text += later ? "a later" : "an earlier";
    text += " version (protocol " + std::to_string(keeper.version) + ", this server has " + std::to_string(own) +
            "): it continues with its " + std::to_string(running) + " containers, and ";
    text += later ? "no" : "not every";
    text +=
        " new container can start. New containers start when these have ended; to start them now, delete the pods "
        "of these containers";
    if (later) text += ", or run the later version of muster again";
    return text;
}

}  // namespace muster::node
