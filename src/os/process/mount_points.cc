#include "os/process/mount_points.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "os/errno_error.h"
#include "os/process/clone_child.h"
#include "os/process/process_setup.h"

namespace muster::os {
namespace {

constexpr std::size_t kProbeStack = 64u << 10;

int try_steps(void* steps) {
    for (const SetupStep& step : *static_cast<const SetupSteps*>(steps))
        if (carry_out(step) != 0) ::_exit(1);
    ::_exit(0);
}

DirectoryEntry::Kind kind_of_mode(mode_t mode) {
    if (S_ISDIR(mode)) return DirectoryEntry::Kind::kDirectory;
    return S_ISLNK(mode) ? DirectoryEntry::Kind::kLink : DirectoryEntry::Kind::kOther;
}

Result<std::vector<DirectoryEntry>> entries_of(const std::string& directory) {
    const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(directory.c_str()), &::closedir);
    if (!open) return errno_error(errno, "list", directory);
    std::vector<DirectoryEntry> entries;
    struct stat own;
    if (::fstat(::dirfd(open.get()), &own) != 0) return errno_error(errno, "look at", directory);
    while (const dirent* next = ::readdir(open.get())) {
        DirectoryEntry entry;
        entry.name = next->d_name;
        if (entry.name == "." || entry.name == "..") continue;
        struct stat figures;
        // One that has gone meanwhile is not missed.
        if (::fstatat(::dirfd(open.get()), next->d_name, &figures, AT_SYMLINK_NOFOLLOW) != 0) continue;
        entry.kind = kind_of_mode(figures.st_mode);
        entry.mounted = figures.st_dev != own.st_dev;
        if (entry.kind == DirectoryEntry::Kind::kLink) {
            char target[PATH_MAX];
            const ssize_t size = ::readlink((directory + '/' + entry.name).c_str(), target, sizeof(target));
            if (size < 0) continue;
            entry.target.assign(target, static_cast<std::size_t>(size));
        }
        entries.push_back(std::move(entry));
    }
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return entries;
}

}  // namespace

bool are_possible(SetupSteps steps) {
    const auto stack = std::make_unique<std::byte[]>(kProbeStack);
    const pid_t pid = clone_child(&try_steps, stack.get() + kProbeStack, CLONE_VM | CLONE_VFORK | SIGCHLD, &steps);
    int status = 0;
    return pid > 0 && ::waitpid(pid, &status, 0) == pid && status == 0;
}

NamespaceAccess probe_namespaces() {
    constexpr std::uint64_t kWanted = kMountNamespace | kUtsNamespace;
    if (are_possible({setup::unshare(kWanted), setup::private_mounts()})) return NamespaceAccess::kFree;
    SetupSteps steps = setup::own_user_namespace(kWanted, ::geteuid(), ::getegid());
    steps.push_back(setup::private_mounts());
    return are_possible(std::move(steps)) ? NamespaceAccess::kByUser : NamespaceAccess::kNone;
}

Result<MountPoint> look_at_mount_point(const std::string& path) {
    if (!path.starts_with('/')) return Error{Code::kBadRequest, "the path \"" + path + "\" is not absolute"};
    MountPoint point;
    std::string there = path;
    for (;;) {
        char resolved[PATH_MAX];
        if (::realpath(there.c_str(), resolved)) {
            point.existing = resolved;
            break;
        }
        if (errno != ENOENT || there == "/") return errno_error(errno, "look at", there);
        const std::size_t slash = there.find_last_not_of('/');
        const std::size_t cut = there.rfind('/', slash);
        const std::string name = there.substr(cut + 1, slash - cut);
        if (!name.empty()) point.rest = point.rest.empty() ? name : name + '/' + point.rest;
        there.resize(std::max<std::size_t>(cut, 1));
    }
    if (point.rest.empty() && point.existing != "/") return point;
    struct stat figures;
    if (::stat(point.existing.c_str(), &figures) != 0) return errno_error(errno, "look at", point.existing);
    if (!S_ISDIR(figures.st_mode)) return errno_error(ENOTDIR, "look at", path);
    point.mode = figures.st_mode & 07777;
    TRY_ASSIGN(point.entries, entries_of(point.existing));
    return point;
}

std::int64_t group_id() { return static_cast<std::int64_t>(::getegid()); }

std::int64_t primary_group(std::int64_t user) {
    char room[4096];
    passwd entry{};
    passwd* found = nullptr;
    if (::getpwuid_r(static_cast<uid_t>(user), &entry, room, sizeof(room), &found) != 0 || !found) return 0;
    return found->pw_gid;
}

}  // namespace muster::os
