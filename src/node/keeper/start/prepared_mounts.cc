#include "node/keeper/start/prepared_mounts.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "os/files/payload.h"

namespace muster::node {
namespace {

using os::SetupStep;
using Kind = SetupStep::Kind;

constexpr std::size_t kEntriesMax = 64;
constexpr Duration kStampKnown = 50ms;

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

// One that every container of the node can have in the same way.
bool is_common_mount(const SetupStep& step, std::string_view pod_uid) {
    return step.kind == Kind::kBind && step.inside.empty() && step.detail.empty() &&
           (step.flags & ~(SetupStep::kMakePoint | SetupStep::kReadOnlyMount)) == 0 && step.source.starts_with('/') &&
           (pod_uid.empty() || step.source.find(pod_uid) == std::string::npos);
}

std::string name_mounts(const os::SetupSteps& steps) {
    std::string name;
    for (const SetupStep& step : steps)
        if (step.kind == Kind::kBind) name += step.source + '\n';
    return name;
}

// The places and the numbers of the files, not their contents, which change in place. Of the points as well: when the
// machine's file is replaced by another, the kernel takes off what namespaces have mounted on it. Empty when one of
// them is not there.
std::string stamp_of(const os::SetupSteps& steps) {
    std::string stamp;
    for (const SetupStep& step : steps) {
        if (step.kind != Kind::kBind) continue;
        for (const std::string* path : {&step.source, &step.path}) {
            const auto place = os::file_place(*path);
            if (!place.ok()) return {};
            stamp += *place + ' ';
        }
    }
    return stamp;
}

}  // namespace

std::size_t count_common_steps(const os::SetupSteps& setup, std::string_view pod_uid) {
    if (setup.empty() || setup[0].kind != Kind::kUnshare || (setup[0].flags & os::kMountNamespace) == 0) return 0;
    if ((setup[0].flags & ~(os::kMountNamespace | os::kUserNamespace)) != 0) return 0;
    std::size_t at = 1;
    const auto maps_users = [](const SetupStep& step) {
        return step.kind == Kind::kWriteFile && step.path.starts_with("/proc/self/");
    };
    if ((setup[0].flags & os::kUserNamespace) != 0)
        while (at < setup.size() && maps_users(setup[at])) ++at;
    if (at >= setup.size() || setup[at].kind != Kind::kPrivateMounts) return 0;
    const std::size_t first_mount = ++at;
    while (at < setup.size() && is_common_mount(setup[at], pod_uid)) ++at;
    if (at == first_mount) return 0;
    const bool more = std::any_of(setup.begin() + static_cast<std::ptrdiff_t>(at), setup.end(), changes_mounts);
    return more ? 0 : at;
}

PreparedMounts::Namespaces PreparedMounts::take(os::SetupSteps& setup, std::string_view pod_uid, Duration now) {
    const std::size_t count = count_common_steps(setup, pod_uid);
    if (count == 0) return nullptr;
    CHECK(count <= setup.size());
    const auto end = setup.begin() + static_cast<std::ptrdiff_t>(count);
    os::SetupSteps steps(std::make_move_iterator(setup.begin()), std::make_move_iterator(end));
    // Those that are taken together are taken from one view.
    if (now != looked_at_ && changes_.happened()) entries_.clear();
    looked_at_ = now;
    const std::string name = name_mounts(steps);
    Entry& entry = entries_[name];
    const bool same = entry.namespaces && entry.steps == steps;
    if (!same || now - entry.looked_at >= kStampKnown) {
        const std::string stamp = stamp_of(steps);
        if ((!same || entry.stamp != stamp) && !renew(entry, steps, stamp)) {
            entries_.erase(name);
            std::move(steps.begin(), steps.end(), setup.begin());
            return nullptr;
        }
        entry.looked_at = now;
    }
    Namespaces namespaces = entry.namespaces;
    setup.erase(setup.begin(), end);
    if (entries_.size() > kEntriesMax) drop_stale();
    return namespaces;
}

// False when it cannot be had: its own start says what is wrong.
bool PreparedMounts::renew(Entry& entry, const os::SetupSteps& steps, const std::string& stamp) {
    Result<os::PreparedNamespaces> made = os::prepare_namespaces(steps);
    if (stamp.empty() || !made.ok()) return false;
    entry.steps = steps;
    entry.stamp = stamp;
    entry.namespaces = std::make_shared<const os::PreparedNamespaces>(std::move(*made));
    return true;
}

void PreparedMounts::drop_stale() {
    std::erase_if(entries_, [](const auto& each) { return stamp_of(each.second.steps) != each.second.stamp; });
    if (entries_.size() > kEntriesMax) entries_.clear();
}

}  // namespace muster::node
