// carry_out() of process_setup.h: raw system calls, nothing allocated.
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "os/process/process_setup.h"

namespace muster::os {
namespace {

static_assert(kMountNamespace == CLONE_NEWNS && kUtsNamespace == CLONE_NEWUTS && kIpcNamespace == CLONE_NEWIPC &&
              kUserNamespace == CLONE_NEWUSER && kNetworkNamespace == CLONE_NEWNET);

constexpr mode_t kDirectoryMode = 0755;
constexpr mode_t kFileMode = 0644;

int outcome(long result) { return result < 0 ? errno : 0; }

// Closes itself; the child's descriptors are its own.
struct Opened {
    explicit Opened(long opened) : number(static_cast<int>(opened)), error(opened < 0 ? errno : 0) {}
    ~Opened() {
        if (number >= 0) ::close(number);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    const int number;
    const int error;
};

// The way to a descriptor's file for calls that take paths only.
struct DescriptorPath {
    explicit DescriptorPath(int number) {
        char digits[12];
        int count = 0;
        do digits[count++] = static_cast<char>('0' + number % 10);
        while ((number /= 10) > 0);
        std::memcpy(text, "/proc/self/fd/", 14);
        char* end = text + 14;
        while (count > 0) *end++ = digits[--count];
        *end = '\0';
    }
    char text[32];
};

long open_within(int root, const char* path, std::uint64_t resolve) {
    open_how how{};
    how.flags = O_PATH | O_CLOEXEC;
    how.resolve = resolve | RESOLVE_NO_MAGICLINKS;
    while (*path == '/') ++path;
    return ::syscall(SYS_openat2, root, *path ? path : ".", &how, sizeof(how));
}

enum class Missing { kFails, kBecomesDirectory, kBecomesFile };

// How a path is followed, and with which mode directories are made that it lacks.
struct Way {
    std::uint64_t resolve = RESOLVE_IN_ROOT;
    Missing missing = Missing::kFails;
    mode_t directory_mode = kDirectoryMode;
};

long make_within(int parent, const char* name, bool file, mode_t directory_mode) {
    if (!file) {
        // The mode as it is: a change of it afterwards could be led elsewhere by a link.
        const mode_t mask = ::umask(0);
        const long made = ::mkdirat(parent, name, directory_mode);
        const int error = errno;
        ::umask(mask);
        errno = error;
        return made;
    }
    const int made = ::openat(parent, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, kFileMode);
    if (made >= 0) ::close(made);
    return made;
}

// Opens path as seen from root, part by part when parts may have to be made. Gives what open_within() gives.
long open_point(int root, const std::string& path, const Way& way) {
    const long there = open_within(root, path.c_str(), way.resolve);
    if (there >= 0 || errno != ENOENT || way.missing == Missing::kFails) return there;
    char part[PATH_MAX];
    if (path.size() >= sizeof(part)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    long above = open_within(root, "", way.resolve);
    for (std::size_t from = 0; above >= 0 && from < path.size();) {
        while (from < path.size() && path[from] == '/') ++from;
        std::size_t to = path.find('/', from);
        if (to == std::string::npos) to = path.size();
        if (to == from) break;
        std::memcpy(part, path.data(), to);
        part[to] = '\0';
        const bool last = path.find_first_not_of('/', to) == std::string::npos;
        const bool file = last && way.missing == Missing::kBecomesFile;
        long next = open_within(root, part, way.resolve);
        if (next < 0 && errno == ENOENT &&
            (make_within(static_cast<int>(above), part + from, file, way.directory_mode) >= 0 || errno == EEXIST))
            next = open_within(root, part, way.resolve);
        const int error = errno;
        ::close(static_cast<int>(above));
        errno = error;
        above = next;
        from = to;
    }
    return above;
}

int write_file(const SetupStep& step) {
    const Opened file(::open(step.path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.error) return file.error;
    return outcome(::write(file.number, step.source.data(), step.source.size()));
}

int join(const SetupStep& step) {
    const Opened file(::open(step.path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.error) return file.error;
    return outcome(::setns(file.number, 0));
}

int join_process(const SetupStep& step) {
    const Opened process(::syscall(SYS_pidfd_open, step.id, 0));
    if (process.error) return process.error;
    return outcome(::setns(process.number, static_cast<int>(step.flags)));
}

int make_read_only(int at, const char* path, bool recursive) {
    mount_attr attributes{};
    attributes.attr_set = MOUNT_ATTR_RDONLY;
    return outcome(::syscall(SYS_mount_setattr, at, path, (recursive ? AT_RECURSIVE : 0) | (*path ? 0 : AT_EMPTY_PATH),
                             &attributes, sizeof(attributes)));
}

Way way_to_point(const SetupStep& step, bool file) {
    Way way;
    if (step.flags & SetupStep::kMakePoint) way.missing = file ? Missing::kBecomesFile : Missing::kBecomesDirectory;
    return way;
}

// What is beneath a volume is its writer's; a link that leads out of it is refused.
long open_beneath(int volume, const SetupStep& step) {
    if (step.detail.empty()) return ::fcntl(volume, F_DUPFD_CLOEXEC, 0);
    Way way;
    way.resolve = RESOLVE_BENEATH;
    if (step.flags & SetupStep::kMakeBeneath) {
        struct stat figures;
        if (::fstat(volume, &figures) != 0) return -1;
        way.missing = Missing::kBecomesDirectory;
        way.directory_mode = figures.st_mode & 01777;
    }
    return open_point(volume, step.detail, way);
}

const char* inside_of(const SetupStep& step) {
    if (!step.inside.empty()) return step.inside.c_str();
    return step.path.empty() || step.path.front() == '/' ? "/" : ".";
}

// While it lives, files are looked up with the rights of the step's user. When the file system user is not root, the
// kernel drops root's capabilities over files; it restores them when that user is root again.
class ActingAs {
public:
    explicit ActingAs(const SetupStep& step) : acts_((step.flags & SetupStep::kAsUser) != 0) {
        if (!acts_) return;
        ::syscall(SYS_setfsgid, step.groups[0]);
        ::syscall(SYS_setfsuid, step.id);
    }
    ~ActingAs() {
        if (!acts_) return;
        ::syscall(SYS_setfsuid, ::geteuid());
        ::syscall(SYS_setfsgid, ::getegid());
    }
    ActingAs(const ActingAs&) = delete;
    ActingAs& operator=(const ActingAs&) = delete;

private:
    const bool acts_;
};

int change_directory(const SetupStep& step) {
    const ActingAs acting(step);
    return outcome(::chdir(step.path.c_str()));
}

// A descriptor, or -1 and errno.
long open_source(const SetupStep& step) {
    const ActingAs acting(step);
    const Opened volume(::open(step.source.c_str(), O_PATH | O_CLOEXEC));
    return volume.error ? -1 : open_beneath(volume.number, step);
}

int bind_mount(const SetupStep& step) {
    const Opened source(open_source(step));
    if (source.error) return source.error;
    struct stat figures;
    if (::fstat(source.number, &figures) != 0) return errno;
    const Opened root(::open(inside_of(step), O_PATH | O_CLOEXEC | O_DIRECTORY));
    if (root.error) return root.error;
    const Opened point(open_point(root.number, step.path, way_to_point(step, !S_ISDIR(figures.st_mode))));
    if (point.error) return point.error;
    const bool recursive = (step.flags & SetupStep::kRecursive) != 0;
    // As a mount of its own first: what is made read-only is then never writable where it appears.
    const Opened tree(::syscall(SYS_open_tree, source.number, "",
                                OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | (recursive ? AT_RECURSIVE : 0)));
    if (tree.error) return tree.error;
    if (step.flags & SetupStep::kReadOnlyMount)
        if (const int error = make_read_only(tree.number, "", (step.flags & SetupStep::kReadOnlyTree) != 0))
            return error;
    return outcome(::syscall(SYS_move_mount, tree.number, "", point.number, "",
                             MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH));
}

int mount_new(const SetupStep& step, const char* type) {
    const Opened root(::open(inside_of(step), O_PATH | O_CLOEXEC | O_DIRECTORY));
    if (root.error) return root.error;
    const Opened point(open_point(root.number, step.path, way_to_point(step, false)));
    if (point.error) return point.error;
    unsigned long flags = 0;
    if (step.flags & SetupStep::kNoSuid) flags |= MS_NOSUID;
    if (step.flags & SetupStep::kNoDevices) flags |= MS_NODEV;
    if (step.flags & SetupStep::kReadOnlyMount) flags |= MS_RDONLY;
    return outcome(::mount(type, DescriptorPath(point.number).text, type, flags, step.detail.c_str()));
}

int move_mount(const SetupStep& step) {
    const Opened root(::open(inside_of(step), O_PATH | O_CLOEXEC | O_DIRECTORY));
    if (root.error) return root.error;
    const Opened point(open_point(root.number, step.path, Way()));
    if (point.error) return point.error;
    return outcome(::syscall(SYS_move_mount, AT_FDCWD, step.source.c_str(), point.number, "", MOVE_MOUNT_T_EMPTY_PATH));
}

int make_point(const SetupStep& step, Missing missing) {
    const Opened root(::open(inside_of(step), O_PATH | O_CLOEXEC | O_DIRECTORY));
    if (root.error) return root.error;
    Way way;
    way.missing = missing;
    return Opened(open_point(root.number, step.path, way)).error;
}

int pivot_root(const SetupStep& step) {
    if (::chdir(step.path.c_str()) != 0) return errno;
    // Old and new root in one place: the old one then lies on top and is taken away.
    if (::syscall(SYS_pivot_root, ".", ".") != 0) return errno;
    if (::umount2(".", MNT_DETACH) != 0) return errno;
    return outcome(::chdir("/"));
}

// The limit of what a program gets when it begins, root's included; until then the child keeps what later steps need.
int keep_capabilities(std::uint64_t kept) {
    for (int each = 0; each < 64; ++each) {
        if (kept & (std::uint64_t{1} << each)) continue;
        if (::prctl(PR_CAPBSET_DROP, each, 0, 0, 0) != 0) {
            if (errno == EINVAL) break;  // beyond the last that the kernel knows
            return errno;
        }
    }
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2] = {};
    if (::syscall(SYS_capget, &header, data) != 0) return errno;
    for (int half = 0; half < 2; ++half) {
        const auto mask = static_cast<std::uint32_t>(kept >> (32 * half));
        data[half].inheritable &= mask;
    }
    return outcome(::syscall(SYS_capset, &header, data));
}

}  // namespace

// Identities by system call: glibc's functions would change them for all threads of the process whose memory this is.
int carry_out(const SetupStep& step) {
    const char* path = step.path.c_str();
    switch (step.kind) {
        case SetupStep::Kind::kUnshare: return outcome(::unshare(static_cast<int>(step.flags)));
        case SetupStep::Kind::kJoin: return join(step);
        case SetupStep::Kind::kJoinProcess: return join_process(step);
        case SetupStep::Kind::kWriteFile: return write_file(step);
        case SetupStep::Kind::kPrivateMounts:
            return outcome(::mount(nullptr, path, nullptr, MS_REC | MS_PRIVATE, nullptr));
        case SetupStep::Kind::kBind: return bind_mount(step);
        case SetupStep::Kind::kTmpfs: return mount_new(step, "tmpfs");
        case SetupStep::Kind::kOverlay: return mount_new(step, "overlay");
        case SetupStep::Kind::kMove: return move_mount(step);
        case SetupStep::Kind::kReadOnly:
            return make_read_only(AT_FDCWD, path, (step.flags & SetupStep::kRecursive) != 0);
        case SetupStep::Kind::kMakeDirectory: return make_point(step, Missing::kBecomesDirectory);
        case SetupStep::Kind::kMakeFile: return make_point(step, Missing::kBecomesFile);
        case SetupStep::Kind::kMakeLink: return outcome(::symlink(step.source.c_str(), path));
        case SetupStep::Kind::kPivotRoot: return pivot_root(step);
        case SetupStep::Kind::kChangeRoot: return ::chroot(path) != 0 ? errno : outcome(::chdir("/"));
        case SetupStep::Kind::kHostName: return outcome(::sethostname(step.source.data(), step.source.size()));
        case SetupStep::Kind::kChangeDirectory: return change_directory(step);
        case SetupStep::Kind::kGroups: return outcome(::syscall(SYS_setgroups, step.groups.size(), step.groups.data()));
        case SetupStep::Kind::kGroup: return outcome(::syscall(SYS_setresgid, step.id, step.id, step.id));
        case SetupStep::Kind::kUser: return outcome(::syscall(SYS_setresuid, step.id, step.id, step.id));
        case SetupStep::Kind::kCapabilities: return keep_capabilities(step.flags);
        case SetupStep::Kind::kNoNewPrivileges: return outcome(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
        case SetupStep::Kind::kVisibleProcess: return outcome(::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
    }
    return EINVAL;
}

}  // namespace muster::os
