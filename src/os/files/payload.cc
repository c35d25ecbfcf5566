#include "os/files/payload.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <filesystem>
#include <set>

#include "os/descriptor.h"
#include "os/errno_error.h"

namespace muster::os {
namespace {

constexpr const char* kCurrent = "..data";
constexpr const char* kNext = "..data_tmp";
constexpr mode_t kPrivateDirectory = 0700;
constexpr mode_t kOpenDirectory = 0755;

Result<> make_parents(const std::string& path, mode_t mode) {
    for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
        if (::mkdir(path.substr(0, at).c_str(), mode) != 0 && errno != EEXIST)
            return errno_error(errno, "create directory", path.substr(0, at));
    return {};
}

Result<> give_to(int file, const std::string& path, std::optional<std::int64_t> user,
                 std::optional<std::int64_t> group) {
    if (!user && !group) return {};
    const uid_t owner = user ? static_cast<uid_t>(*user) : static_cast<uid_t>(-1);
    const gid_t owning_group = group ? static_cast<gid_t>(*group) : static_cast<gid_t>(-1);
    if (::fchown(file, owner, owning_group) != 0) return errno_error(errno, "change the owner of", path);
    return {};
}

Result<> write_payload_file(const std::string& path, const PayloadFile& file) {
    TRY(make_parents(path, kOpenDirectory));
    const Descriptor out(::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!out) return errno_error(errno, "create", path);
    std::string_view rest = file.content;
    while (!rest.empty()) {
        const ssize_t count = ::write(out.number(), rest.data(), rest.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno_error(errno, "write", path);
        rest.remove_prefix(static_cast<std::size_t>(count));
    }
    TRY(give_to(out.number(), path, file.user, file.group));
    if (::fchmod(out.number(), file.mode) != 0) return errno_error(errno, "set the mode of", path);
    return {};
}

std::string link_target(const std::string& path) {
    char target[PATH_MAX];
    const ssize_t size = ::readlink(path.c_str(), target, sizeof(target));
    return size < 0 ? std::string() : std::string(target, static_cast<std::size_t>(size));
}

std::string first_part(const std::string& path) { return path.substr(0, path.find('/')); }

Result<> link_names(const std::string& directory, const std::vector<PayloadFile>& files) {
    std::set<std::string> names;
    for (const PayloadFile& file : files) names.insert(first_part(file.path));
    for (const std::string& name : names) {
        const std::string link = directory + '/' + name;
        const std::string target = std::string(kCurrent) + '/' + name;
        if (link_target(link) == target) continue;
        ::unlink(link.c_str());
        if (::symlink(target.c_str(), link.c_str()) != 0) return errno_error(errno, "link", link);
    }
    std::error_code failure;
    for (const auto& entry : std::filesystem::directory_iterator(directory, failure)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with("..") && !names.contains(name)) ::unlink(entry.path().c_str());
    }
    return {};
}

bool is_mount_point(const std::string& path) {
    struct stat own;
    struct stat above;
    return ::lstat(path.c_str(), &own) == 0 && ::lstat((path + "/..").c_str(), &above) == 0 &&
           own.st_dev != above.st_dev;
}

}  // namespace

Result<> write_payload(const std::string& directory, const std::vector<PayloadFile>& files, std::uint64_t version) {
    const std::string current = directory + '/' + kCurrent;
    const std::string before = link_target(current);
    std::string name = "..v" + std::to_string(version);
    while (name == before) name += '_';
    const std::string fresh = directory + '/' + name;
    std::error_code failure;
    std::filesystem::remove_all(fresh, failure);  // of a try that failed
    if (::mkdir(fresh.c_str(), kOpenDirectory) != 0) return errno_error(errno, "create directory", fresh);
    const auto give_up = [&](Error error) {
        std::filesystem::remove_all(fresh, failure);
        return error;
    };
    ::chmod(fresh.c_str(), kOpenDirectory);
    for (const PayloadFile& file : files)
        if (Result<> written = write_payload_file(fresh + '/' + file.path, file); !written.ok())
            return give_up(written.error());
    const std::string next = directory + '/' + kNext;
    ::unlink(next.c_str());
    if (::symlink(name.c_str(), next.c_str()) != 0) return give_up(errno_error(errno, "link", next));
    if (::rename(next.c_str(), current.c_str()) != 0) return give_up(errno_error(errno, "rename", next));
    TRY(link_names(directory, files));
    if (!before.empty()) std::filesystem::remove_all(directory + '/' + before, failure);
    return {};
}

Result<> make_volume_directory(const std::string& path, std::uint32_t mode, std::optional<std::int64_t> group,
                               std::optional<DirectoryOwner> owner) {
    TRY(make_parents(path, kPrivateDirectory));
    if (::mkdir(path.c_str(), kPrivateDirectory) != 0) {
        if (errno == EEXIST) return {};
        return errno_error(errno, "create directory", path);
    }
    const Descriptor made(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!made) return errno_error(errno, "open", path);
    if (owner) TRY(give_to(made.number(), path, owner->user, owner->group));
    TRY(give_to(made.number(), path, {}, group));
    if (::fchmod(made.number(), mode | (group ? S_ISGID : 0)) != 0) return errno_error(errno, "set the mode of", path);
    return {};
}

Result<std::string> kind_of_file(const std::string& path) {
    struct stat figures;
    if (::stat(path.c_str(), &figures) != 0) return errno_error(errno, "look at", path);
    switch (figures.st_mode & S_IFMT) {
        case S_IFDIR: return std::string("directory");
        case S_IFREG: return std::string("file");
        case S_IFSOCK: return std::string("socket");
        case S_IFCHR: return std::string("character device");
        case S_IFBLK: return std::string("block device");
        default: return std::string("other");
    }
}

Result<std::string> file_stamp(const std::string& path) {
    struct stat figures;
    if (::stat(path.c_str(), &figures) != 0) return errno_error(errno, "look at", path);
    return std::to_string(figures.st_dev) + '-' + std::to_string(figures.st_ino) + '-' +
           std::to_string(figures.st_size) + '-' + std::to_string(figures.st_mtim.tv_sec) + '.' +
           std::to_string(figures.st_mtim.tv_nsec);
}

Result<std::string> file_place(const std::string& path) {
    struct stat figures;
    if (::stat(path.c_str(), &figures) != 0) return errno_error(errno, "look at", path);
    return std::to_string(figures.st_dev) + '-' + std::to_string(figures.st_ino);
}

Result<> rename_file(const std::string& from, const std::string& to) {
    if (::rename(from.c_str(), to.c_str()) != 0) return errno_error(errno, "rename", from);
    return {};
}

Result<> create_host_directory(const std::string& path) {
    TRY(make_parents(path, kOpenDirectory));
    if (::mkdir(path.c_str(), kOpenDirectory) != 0 && errno != EEXIST)
        return errno_error(errno, "create directory", path);
    return {};
}

Result<> create_host_file(const std::string& path) {
    const Descriptor made(::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
    if (!made) return errno_error(errno, "create", path);
    return {};
}

Result<> mount_memory(const std::string& path, std::uint64_t size_max, std::uint32_t mode,
                      std::optional<std::int64_t> group, std::optional<DirectoryOwner> owner) {
    if (is_mount_point(path)) return {};
    char octal[16];
    std::snprintf(octal, sizeof(octal), "%o", mode | (group ? static_cast<unsigned>(S_ISGID) : 0u));
    std::string options = std::string("mode=") + octal;
    if (owner) options += ",uid=" + std::to_string(owner->user);
    if (group || owner) options += ",gid=" + std::to_string(group ? *group : owner->group);
    if (size_max != 0) options += ",size=" + std::to_string(size_max);
    if (::mount("tmpfs", path.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) != 0)
        return errno_error(errno, "mount memory on", path);
    return {};
}

Result<> remove_volumes(const std::string& pod_directory) {
    std::error_code failure;
    bool held = false;
    for (const auto& entry : std::filesystem::directory_iterator(pod_directory + "/volumes", failure)) {
        const std::string path = entry.path().string();
        if (!is_mount_point(path)) continue;
        if (::umount2(path.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) != 0) held = true;
    }
    if (held) return Error{Code::kIo, "a volume below " + pod_directory + " is still mounted"};
    failure.clear();
    std::filesystem::remove_all(pod_directory, failure);
    if (failure) return errno_error(failure.value(), "remove", pod_directory);
    return {};
}

}  // namespace muster::os
