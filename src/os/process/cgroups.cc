#include "os/process/cgroups.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <map>
#include <sstream>

#include "base/saturate.h"
#include "os/descriptor.h"
#include "os/errno_error.h"
#include "os/process/proc_file.h"

namespace muster::os {
namespace {

constexpr std::int64_t kPeriodMicros = 100'000;
constexpr std::int64_t kQuotaMin = 1000;
constexpr mode_t kGroupMode = 0755;
constexpr std::string_view kVersion2Name;  // what it is called in /proc/PID/cgroup: nothing

// Files of cgroups take a value in one write, or refuse it.
Result<> write_value(const std::string& path, const std::string& value) {
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file) return errno_error(errno, "open", path);
    if (::write(file.number(), value.data(), value.size()) < 0)
        return errno_error(errno, "write \"" + value + "\" to", path);
    return {};
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

Result<> make_group(const std::string& path) {
    if (::mkdir(path.c_str(), kGroupMode) != 0 && errno != EEXIST) return errno_error(errno, "make", path);
    return {};
}

// The group of a process in each hierarchy, by the hierarchy's controllers.
std::map<std::string, std::string> groups_of(const std::string& process) {
    std::map<std::string, std::string> groups;
    std::istringstream lines(read_proc("/proc/" + process + "/cgroup").value_or(""));
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        std::istringstream names(line.substr(first + 1, second - first - 1));
        std::string name;
        if (names.str().empty()) groups[std::string(kVersion2Name)] = line.substr(second + 1);
        while (std::getline(names, name, ',')) groups[name] = line.substr(second + 1);
    }
    return groups;
}

struct CgroupMount {
    std::string root;   // the group that is shown at the mount
    std::string point;  // where it is mounted
};

// By controller; that of version 2 has no name.
std::map<std::string, CgroupMount> cgroup_mounts() {
    std::map<std::string, CgroupMount> mounts;
    std::istringstream lines(read_proc("/proc/self/mountinfo").value_or(""));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string id, parent, device, root, point, word, type, source, options;
        words >> id >> parent >> device >> root >> point;
        while (words >> word && word != "-") {
        }
        words >> type >> source >> options;
        if (type == "cgroup2") mounts.emplace(kVersion2Name, CgroupMount{root, point});
        if (type != "cgroup") continue;
        std::istringstream names(options);
        for (std::string name; std::getline(names, name, ',');) mounts.emplace(name, CgroupMount{root, point});
    }
    return mounts;
}

// The directory of a group, if the mount shows it.
std::string directory_of_group(const CgroupMount& mount, const std::string& group) {
    const std::string root = mount.root == "/" ? "" : mount.root;
    if (!group.starts_with(root) || group.starts_with("/..")) return mount.point;
    std::string rest = group.substr(root.size());
    while (!rest.empty() && rest.back() == '/') rest.pop_back();
    return mount.point + rest;
}

bool may_make_groups(const std::string& directory) {
    return ::access(directory.c_str(), W_OK | X_OK) == 0 && ::access((directory + "/cgroup.procs").c_str(), W_OK) == 0;
}

bool has_word(const std::string& path, std::string_view wanted) {
    std::istringstream words(read_proc(path).value_or(""));
    for (std::string word; words >> word;)
        if (word == wanted) return true;
    return false;
}

// Hands controllers on to the groups inside. A group that has processes of its own refuses, except the root.
bool hand_on(const std::string& directory) {
    for (const char* controller : {"memory", "cpu", "pids"}) {
        if (has_word(directory + "/cgroup.subtree_control", controller)) continue;
        (void)write_value(directory + "/cgroup.subtree_control", std::string("+") + controller).ok();
    }
    return has_word(directory + "/cgroup.subtree_control", "memory");
}

// From our own group upwards, the first that lets us.
std::optional<Cgroups::Place> find_unified(const CgroupMount& mount, const std::string& own) {
    std::string directory = directory_of_group(mount, own);
    while (directory.size() >= mount.point.size()) {
        if (may_make_groups(directory) && hand_on(directory)) {
            Cgroups::Place place;
            place.unified = true;
            place.memory = directory;
            return place;
        }
        if (directory == mount.point) break;
        directory.resize(directory.rfind('/'));
    }
    return {};
}

std::string find_controller(const std::map<std::string, CgroupMount>& mounts,
                            const std::map<std::string, std::string>& own, const std::string& controller) {
    const auto mount = mounts.find(controller);
    if (mount == mounts.end()) return {};
    const auto group = own.find(controller);
    const std::string directory =
        group == own.end() ? mount->second.point : directory_of_group(mount->second, group->second);
    for (const std::string& each : {directory, mount->second.point})
        if (may_make_groups(each)) return each;
    return {};
}

void kill_members(const std::string& directory) {
    if (exists(directory + "/cgroup.kill")) (void)write_value(directory + "/cgroup.kill", "1").ok();
    std::istringstream pids(read_proc(directory + "/cgroup.procs").value_or(""));
    for (int pid = 0; pids >> pid;) ::kill(pid, SIGKILL);
}

std::vector<std::string> groups_in(const std::string& directory) {
    std::vector<std::string> names;
    DIR* opened = ::opendir(directory.c_str());
    if (!opened) return names;
    while (const dirent* entry = ::readdir(opened))
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.') names.emplace_back(entry->d_name);
    ::closedir(opened);
    std::sort(names.begin(), names.end());
    return names;
}

bool remove_group(const std::string& directory) {
    bool gone = true;
    for (const std::string& inner : groups_in(directory)) gone = remove_group(directory + '/' + inner) && gone;
    kill_members(directory);
    if (::rmdir(directory.c_str()) != 0 && errno != ENOENT) gone = false;
    return gone;
}

std::string parent_of(const std::string& group) {
    const std::size_t slash = group.find('/');
    return slash == std::string::npos ? std::string() : group.substr(0, slash);
}

}  // namespace

std::int64_t cpu_shares(std::int64_t milli) { return std::clamp<std::int64_t>(mul_sat(milli, 1024) / 1000, 2, 262144); }

std::int64_t cpu_quota(std::int64_t milli) { return std::max(kQuotaMin, mul_sat(milli, kPeriodMicros) / 1000); }

std::int64_t cpu_weight(std::int64_t milli) { return 1 + (cpu_shares(milli) - 2) * 9999 / 262142; }

std::vector<std::string> Cgroups::Place::directories() const {
    std::vector<std::string> all;
    for (const std::string* each : {&memory, &cpu, &processes})
        if (!each->empty() && std::find(all.begin(), all.end(), *each) == all.end()) all.push_back(*each);
    return all;
}

Result<Cgroups::Place> Cgroups::find_place() {
    const auto mounts = cgroup_mounts();
    const auto own = groups_of("self");
    Place place;
    place.memory = find_controller(mounts, own, "memory");
    place.cpu = find_controller(mounts, own, "cpu");
    place.processes = find_controller(mounts, own, "pids");
    if (!place.memory.empty()) return place;
    const auto unified = mounts.find(std::string(kVersion2Name));
    if (unified == mounts.end()) return Error{Code::kUnavailable, "no control groups are mounted"};
    const auto group = own.find(std::string(kVersion2Name));
    if (auto found = find_unified(unified->second, group == own.end() ? "/" : group->second)) return *found;
    return Error{Code::kUnavailable, "control groups under " + unified->second.point + " are not ours to make"};
}

std::string Cgroups::path(const std::string& directory, const std::string& group) const {
    return directory + '/' + parent_ + (group.empty() ? "" : '/' + group);
}

Result<> Cgroups::make(const std::string& group, const CgroupLimits& limits) const {
    const std::string outer = parent_of(group);
    for (const std::string& directory : place_.directories()) {
        TRY(make_group(path(directory, {})));
        if (place_.unified) (void)hand_on(path(directory, {}));
        if (!outer.empty()) {
            TRY(make_group(path(directory, outer)));
            if (place_.unified) (void)hand_on(path(directory, outer));
        }
        TRY(make_group(path(directory, group)));
    }
    return limit(place_.memory, group, limits);
}

Result<> Cgroups::limit(const std::string& directory, const std::string& group, const CgroupLimits& limits) const {
    const std::string memory = path(directory, group) + '/';
    const std::string cpu = place_.unified ? memory : path(place_.cpu, group) + '/';
    const std::string processes = place_.unified ? memory : path(place_.processes, group) + '/';
    const bool has_cpu = place_.unified || !place_.cpu.empty();
    if (limits.memory_bytes) {
        const std::string bytes = std::to_string(*limits.memory_bytes);
        TRY(write_value(memory + (place_.unified ? "memory.max" : "memory.limit_in_bytes"), bytes));
        // Swap would only put the end off. Machines without it have no such file.
        if (place_.unified) (void)write_value(memory + "memory.swap.max", "0").ok();
        if (place_.unified) (void)write_value(memory + "memory.oom.group", "1").ok();
        if (!place_.unified) (void)write_value(memory + "memory.memsw.limit_in_bytes", bytes).ok();
    }
    if (limits.cpu_milli && has_cpu) {
        const std::string quota = std::to_string(cpu_quota(*limits.cpu_milli));
        if (place_.unified) {
            TRY(write_value(cpu + "cpu.max", quota + ' ' + std::to_string(kPeriodMicros)));
        } else {
            TRY(write_value(cpu + "cpu.cfs_period_us", std::to_string(kPeriodMicros)));
            TRY(write_value(cpu + "cpu.cfs_quota_us", quota));
        }
    }
    if (limits.cpu_requested && has_cpu) {
        if (place_.unified)
            (void)write_value(cpu + "cpu.weight", std::to_string(cpu_weight(*limits.cpu_requested))).ok();
        else
            (void)write_value(cpu + "cpu.shares", std::to_string(cpu_shares(*limits.cpu_requested))).ok();
    }
    if (limits.processes && (place_.unified || !place_.processes.empty()))
        TRY(write_value(processes + "pids.max", std::to_string(*limits.processes)));
    return {};
}

std::vector<std::string> Cgroups::joins(const std::string& group) const {
    std::vector<std::string> files;
    for (const std::string& directory : place_.directories()) files.push_back(path(directory, group) + "/cgroup.procs");
    return files;
}

std::int64_t Cgroups::killed_for_memory(const std::string& group) const {
    const std::string file = path(place_.memory, group) + (place_.unified ? "/memory.events" : "/memory.oom_control");
    std::istringstream words(read_proc(file).value_or(""));
    std::string name;
    for (std::int64_t count = 0; words >> name >> count;)
        if (name == "oom_kill") return count;
    return 0;
}

bool Cgroups::remove(const std::string& group) const {
    bool gone = true;
    for (const std::string& directory : place_.directories()) gone = remove_group(path(directory, group)) && gone;
    return gone;
}

std::vector<std::string> Cgroups::list(const std::string& group) const {
    std::vector<std::string> all;
    for (const std::string& directory : place_.directories())
        for (std::string& name : groups_in(path(directory, group)))
            if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(std::move(name));
    return all;
}

void Cgroups::remove_parent() const {
    for (const std::string& directory : place_.directories()) (void)::rmdir(path(directory, {}).c_str());
}

std::vector<std::string> cgroup_files(int pid) {
    const auto theirs = groups_of(std::to_string(pid));
    const auto ours = groups_of("self");
    if (theirs == ours) return {};
    std::vector<std::string> files;
    const auto mounts = cgroup_mounts();
    for (const auto& [controller, group] : theirs) {
        const auto own = ours.find(controller);
        const auto mount = mounts.find(controller);
        if (mount == mounts.end() || (own != ours.end() && own->second == group)) continue;
        std::string file = directory_of_group(mount->second, group) + "/cgroup.procs";
        if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(std::move(file));
    }
    return files;
}

}  // namespace muster::os
