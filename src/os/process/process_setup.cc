#include "os/process/process_setup.h"

#include "os/errno_error.h"

namespace muster::os {
namespace setup {
namespace {

using Kind = SetupStep::Kind;

SetupStep step_at(Kind kind, std::string path) {
    SetupStep step;
    step.kind = kind;
    step.path = std::move(path);
    return step;
}
SetupStep step_from(Kind kind, std::string source, std::string path) {
    SetupStep step = step_at(kind, std::move(path));
    step.source = std::move(source);
    return step;
}
SetupStep step_of(Kind kind, std::int64_t id, std::uint64_t flags = 0) {
    SetupStep step;
    step.kind = kind;
    step.id = id;
    step.flags = flags;
    return step;
}

}  // namespace

SetupStep unshare(std::uint64_t namespaces) { return step_of(Kind::kUnshare, 0, namespaces); }
SetupStep join(std::string namespace_file) { return step_at(Kind::kJoin, std::move(namespace_file)); }
SetupStep join_process(int pid, std::uint64_t namespaces) { return step_of(Kind::kJoinProcess, pid, namespaces); }
SetupStep write_file(std::string path, std::string content) {
    return step_from(Kind::kWriteFile, std::move(content), std::move(path));
}
SetupStep private_mounts() { return step_at(Kind::kPrivateMounts, "/"); }
SetupStep bind_mount(std::string source, std::string path, std::uint64_t flags) {
    SetupStep step = step_from(Kind::kBind, std::move(source), std::move(path));
    step.flags = flags;
    return step;
}
SetupStep tmpfs(std::string path, std::string options, std::uint64_t flags) {
    SetupStep step = step_at(Kind::kTmpfs, std::move(path));
    step.detail = std::move(options);
    step.flags = flags;
    return step;
}
SetupStep overlay(std::string path, std::string options) {
    SetupStep step = step_at(Kind::kOverlay, std::move(path));
    step.detail = std::move(options);
    return step;
}
SetupStep move_mount(std::string source, std::string path) {
    return step_from(Kind::kMove, std::move(source), std::move(path));
}
SetupStep read_only(std::string path, bool recursive) {
    SetupStep step = step_at(Kind::kReadOnly, std::move(path));
    if (recursive) step.flags = SetupStep::kRecursive;
    return step;
}
SetupStep make_directory(std::string path) { return step_at(Kind::kMakeDirectory, std::move(path)); }
SetupStep make_file(std::string path) { return step_at(Kind::kMakeFile, std::move(path)); }
SetupStep make_link(std::string path, std::string target) {
    return step_from(Kind::kMakeLink, std::move(target), std::move(path));
}
SetupStep pivot_root(std::string path) { return step_at(Kind::kPivotRoot, std::move(path)); }
SetupStep change_root(std::string path) { return step_at(Kind::kChangeRoot, std::move(path)); }
SetupStep host_name(std::string name) { return step_from(Kind::kHostName, std::move(name), {}); }
SetupStep change_directory(std::string path) { return step_at(Kind::kChangeDirectory, std::move(path)); }
SetupStep groups(std::vector<std::uint32_t> ids) {
    SetupStep step;
    step.kind = Kind::kGroups;
    step.groups = std::move(ids);
    return step;
}
SetupStep group(std::int64_t id) { return step_of(Kind::kGroup, id); }
SetupStep user(std::int64_t id) { return step_of(Kind::kUser, id); }
SetupStep capabilities(std::uint64_t kept) { return step_of(Kind::kCapabilities, 0, kept); }
SetupStep no_new_privileges() { return step_of(Kind::kNoNewPrivileges, 0); }
SetupStep visible_process() { return step_of(Kind::kVisibleProcess, 0); }
SetupStep as_user(SetupStep step, std::int64_t user, std::int64_t group) {
    step.flags |= SetupStep::kAsUser;
    step.id = user;
    step.groups = {static_cast<std::uint32_t>(group)};
    return step;
}

SetupSteps own_user_namespace(std::uint64_t more_namespaces, std::int64_t user, std::int64_t group) {
    return own_user_namespace(more_namespaces, user, group, {user, group});
}
SetupSteps own_user_namespace(std::uint64_t more_namespaces, std::int64_t user, std::int64_t group, SeenAs seen) {
    const auto mapped = [](std::int64_t inside, std::int64_t id) {
        return std::to_string(inside) + ' ' + std::to_string(id) + " 1";
    };
    SetupSteps steps;
    steps.push_back(unshare(kUserNamespace | more_namespaces));
    // Without this an ordinary user may not map its group: it could leave a group that is denied something.
    steps.push_back(write_file("/proc/self/setgroups", "deny"));
    steps.push_back(write_file("/proc/self/uid_map", mapped(seen.user, user)));
    steps.push_back(write_file("/proc/self/gid_map", mapped(seen.group, group)));
    return steps;
}

}  // namespace setup

Error setup_error(const SetupStep& step, int error) {
    const auto say = [error](std::string_view doing, std::string_view what) { return errno_error(error, doing, what); };
    const std::string id = std::to_string(step.id);
    switch (step.kind) {
        case SetupStep::Kind::kUnshare: return say("make", "a namespace of its own");
        case SetupStep::Kind::kJoin: return say("enter", step.path);
        case SetupStep::Kind::kJoinProcess: return say("enter", "the namespaces of process " + id);
        case SetupStep::Kind::kWriteFile: return say("write", step.path);
        case SetupStep::Kind::kPrivateMounts: return say("keep mounts", "private");
        case SetupStep::Kind::kBind:
            return say("mount", step.source + (step.detail.empty() ? "" : '/' + step.detail) + " on " + step.path);
        case SetupStep::Kind::kTmpfs: return say("mount", "memory on " + step.path);
        case SetupStep::Kind::kOverlay: return say("mount", "an overlay on " + step.path);
        case SetupStep::Kind::kMove: return say("move", "the mount at " + step.source + " to " + step.path);
        case SetupStep::Kind::kReadOnly: return say("make read-only", step.path);
        case SetupStep::Kind::kMakeDirectory: return say("create directory", step.path);
        case SetupStep::Kind::kMakeFile: return say("create", step.path);
        case SetupStep::Kind::kMakeLink: return say("link", step.path + " to " + step.source);
        case SetupStep::Kind::kPivotRoot:
        case SetupStep::Kind::kChangeRoot: return say("change the root to", step.path);
        case SetupStep::Kind::kHostName: return say("set the host name", step.source);
        case SetupStep::Kind::kChangeDirectory: return say("change to directory", step.path);
        case SetupStep::Kind::kGroups: return say("set", "supplementary groups");
        case SetupStep::Kind::kGroup: return say("become group", id);
        case SetupStep::Kind::kUser: return say("become user", id);
        case SetupStep::Kind::kCapabilities: return say("drop", "capabilities");
        case SetupStep::Kind::kNoNewPrivileges: return say("give up", "new privileges");
        case SetupStep::Kind::kVisibleProcess: return say("show", "the process to its user");
    }
    return say("prepare", "the process");
}

}  // namespace muster::os
