#include "node/prepared_mounts.h"

#include <algorithm>

#include "os/payload.h"

namespace muster::node {
namespace {

using os::SetupStep;
using Kind = SetupStep::Kind;

constexpr std::size_t kEntriesMax = 64;

// Whether others that enter the same namespace would see what it does.
bool changes_mounts(const SetupStep& step) {
    switch (step.kind) {
        case Kind::kUnshare: return (step.flags & os::kMountNamespace) != 0;
        case Kind::kWriteFile:
        case Kind::kMakeDirectory:
        case Kind::kMakeFile:
        case Kind::kMakeLink:
        case Kind::kHostName:
        case Kind::kChangeDirectory:
        case Kind::kGroups:
        case Kind::kGroup:
        case Kind::kUser:
        case Kind::kCapabilities:
        case Kind::kNoNewPrivileges:
        case Kind::kVisibleProcess: return false;
        default: return true;
    }
}

// The place and the number of the file, not its content, which changes in place.
std::string stamp_of(const std::string& path) {
    const auto place = os::file_place(path);
    return place.ok() ? *place : std::string();
}

}  // namespace

std::size_t count_common_steps(const os::SetupSteps& setup) {
    if (setup.empty() || setup[0].kind != Kind::kUnshare || (setup[0].flags & os::kMountNamespace) == 0) return 0;
    if ((setup[0].flags & ~(os::kMountNamespace | os::kUserNamespace)) != 0) return 0;
    std::size_t at = 1;
    const auto maps_users = [](const SetupStep& step) {
        return step.kind == Kind::kWriteFile && step.path.starts_with("/proc/self/");
    };
    if ((setup[0].flags & os::kUserNamespace) != 0)
        while (at < setup.size() && maps_users(setup[at])) ++at;
    if (at + 1 >= setup.size() || setup[at].kind != Kind::kPrivateMounts) return 0;
    const SetupStep& mount = setup[++at];
    if (mount.kind != Kind::kBind || !mount.inside.empty() || !mount.detail.empty() ||
        (mount.flags & SetupStep::kAsUser) != 0 || mount.source.empty() || mount.source.front() != '/')
        return 0;
    ++at;
    const bool more = std::any_of(setup.begin() + static_cast<std::ptrdiff_t>(at), setup.end(), changes_mounts);
    return more ? 0 : at;
}

PreparedMounts::Namespaces PreparedMounts::take(os::SetupSteps& setup) {
    const std::size_t count = count_common_steps(setup);
    if (count == 0) return nullptr;
    const auto end = setup.begin() + static_cast<std::ptrdiff_t>(count);
    if (changes_.happened()) entries_.clear();
    const std::string& file = setup[count - 1].source;
    const std::string stamp = stamp_of(file);
    Entry& entry = entries_[file];
    const bool known = entry.namespaces && entry.file_stamp == stamp &&
                       std::equal(setup.begin(), end, entry.steps.begin(), entry.steps.end());
    if (!known) {
        os::SetupSteps steps(setup.begin(), end);
        Result<os::PreparedNamespaces> made = os::prepare_namespaces(steps);
        // Its own start says what is wrong.
        if (stamp.empty() || !made.ok()) {
            entries_.erase(file);
            return nullptr;
        }
        entry.steps = std::move(steps);
        entry.file_stamp = stamp;
        entry.namespaces = std::make_shared<const os::PreparedNamespaces>(std::move(*made));
    }
    Namespaces namespaces = entry.namespaces;
    setup.erase(setup.begin(), end);
    if (entries_.size() > kEntriesMax) drop_stale();
    return namespaces;
}

void PreparedMounts::drop_stale() {
    std::erase_if(entries_, [](const auto& each) { return stamp_of(each.first) != each.second.file_stamp; });
    if (entries_.size() > kEntriesMax) entries_.clear();
}

}  // namespace muster::node
