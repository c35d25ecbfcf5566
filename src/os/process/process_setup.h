// What a process does before its program runs: namespaces, mounts, names, users. The child itself carries out the steps
// in their order, between its start and its exec, while the starting thread waits. Steps are plain values, so they can
// be sent to another process that starts the child.
//
// Paths are the child's own at that moment, those that do not begin with a slash from its working directory. Where a
// step has `inside`, its path is looked up as if that directory were the root, so that no link in it leads out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace muster::os {

// Kinds of namespaces, in the kernel's numbers.
inline constexpr std::uint64_t kMountNamespace = 0x00020000;
inline constexpr std::uint64_t kUtsNamespace = 0x04000000;
inline constexpr std::uint64_t kIpcNamespace = 0x08000000;
inline constexpr std::uint64_t kUserNamespace = 0x10000000;
inline constexpr std::uint64_t kNetworkNamespace = 0x40000000;

struct SetupStep {
    enum class Kind {
        kUnshare,          // flags: namespaces of its own
        kJoin,             // path: a file under /proc/PID/ns
        kJoinProcess,      // id: a process whose namespaces (flags) it enters
        kWriteFile,        // path, source: the content, in one write
        kPrivateMounts,    // nothing that is mounted from here on is seen outside, nor the other way round
        kBind,             // source (and `detail` beneath it) appears at path; flags: see below
        kTmpfs,            // an empty file system in memory at path; detail: its options, as "size=1024,mode=755"
        kOverlay,          // at path; detail: its options, as "lowerdir=/a,upperdir=/b,workdir=/c"
        kMove,             // the mount at source, to path
        kReadOnly,         // the mount at path; flags: kRecursive
        kMakeDirectory,    // path, and those above it; there already is fine
        kMakeFile,         // path; there already is fine
        kMakeLink,         // path, source: where it points
        kPivotRoot,        // path, a mount, becomes the root; the old one is gone
        kChangeRoot,       // path
        kHostName,         // source
        kChangeDirectory,  // path
        kGroups,           // groups: the supplementary ones
        kGroup,            // id
        kUser,             // id
        kCapabilities,     // flags: what is kept, one bit each
        kNoNewPrivileges,  // no program it runs gains rights
        kVisibleProcess,   // its user may write its files in /proc, which a change of user takes away
    };
    enum : std::uint64_t {
        kReadOnlyMount = 1,  // the mount itself; what is mounted below it, with kReadOnlyTree only
        kRecursive = 2,      // with what is mounted below
        kMakePoint = 4,      // a mount point that is not there is made
        kNoSuid = 8,
        kNoDevices = 16,
        kReadOnlyTree = 32,
        kMakeBeneath = 64,  // directories that `detail` names and that are not there are made, as open as the source
        kAsUser = 128,      // files are looked up with the rights of user `id` and of the first of `groups`
    };

    Kind kind = Kind::kUnshare;
    std::string path{};
    std::string source{};
    std::string inside{};
    std::string detail{};
    std::uint64_t flags = 0;
    std::int64_t id = 0;
    std::vector<std::uint32_t> groups{};
    bool operator==(const SetupStep&) const = default;
};
inline constexpr int kLastSetupKind = static_cast<int>(SetupStep::Kind::kVisibleProcess);

using SetupSteps = std::vector<SetupStep>;

namespace setup {

SetupStep unshare(std::uint64_t namespaces);
SetupStep join(std::string namespace_file);
SetupStep join_process(int pid, std::uint64_t namespaces);
SetupStep write_file(std::string path, std::string content);
SetupStep private_mounts();
SetupStep bind_mount(std::string source, std::string path, std::uint64_t flags = 0);
SetupStep tmpfs(std::string path, std::string options, std::uint64_t flags = 0);
SetupStep overlay(std::string path, std::string options);
SetupStep move_mount(std::string source, std::string path);
SetupStep read_only(std::string path, bool recursive);
SetupStep make_directory(std::string path);
SetupStep make_file(std::string path);
SetupStep make_link(std::string path, std::string target);
SetupStep pivot_root(std::string path);
SetupStep change_root(std::string path);
SetupStep host_name(std::string name);
SetupStep change_directory(std::string path);
SetupStep groups(std::vector<std::uint32_t> ids);
SetupStep group(std::int64_t id);
SetupStep user(std::int64_t id);
SetupStep capabilities(std::uint64_t kept);
SetupStep no_new_privileges();
SetupStep visible_process();
// The step, with what it looks up looked up with that user's rights.
SetupStep as_user(SetupStep step, std::int64_t user, std::int64_t group);
// The three that make an ordinary user the owner of a user namespace in which it is still itself.
SetupSteps own_user_namespace(std::uint64_t more_namespaces, std::int64_t user, std::int64_t group);
// The same, in which it appears as another.
struct SeenAs {
    std::int64_t user = 0;
    std::int64_t group = 0;
};
SetupSteps own_user_namespace(std::uint64_t more_namespaces, std::int64_t user, std::int64_t group, SeenAs seen);

}  // namespace setup

// "cannot mount /srv/a on /data: No such file or directory".
Error setup_error(const SetupStep& step, int error);

// Carries a step out in the calling process. Gives 0 or an errno. Makes system calls only: it is called where memory
// must not be allocated and where glibc's own notions (threads, cached identities) do not hold.
int carry_out(const SetupStep& step);

}  // namespace muster::os
