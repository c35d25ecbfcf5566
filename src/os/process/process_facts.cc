#include "os/process/process_facts.h"

#include <unistd.h>

#include <charconv>
#include <climits>
#include <optional>

#include "os/process/cgroups.h"
#include "os/process/proc_file.h"
#include "os/process/process_label.h"
#include "os/process/process_table.h"

namespace muster::os {
namespace {

constexpr int kLooks = 20;
constexpr unsigned kLookMicros = 100;

std::optional<std::string> read_link(const std::string& path) {
    char buffer[PATH_MAX];
    const ssize_t size = ::readlink(path.c_str(), buffer, sizeof buffer);
    if (size < 0) return {};
    return std::string(buffer, static_cast<std::size_t>(size));
}

// The rest of the line of /proc/PID/status that begins so.
std::string_view status_field(std::string_view status, std::string_view name) {
    const std::size_t at = status.find(name);
    if (at == std::string_view::npos) return {};
    status.remove_prefix(at + name.size());
    return status.substr(0, status.find('\n'));
}

std::vector<std::uint64_t> status_numbers(std::string_view text, int base) {
    std::vector<std::uint64_t> numbers;
    while (!text.empty()) {
        const std::size_t begin = text.find_first_not_of(" \t");
        if (begin == std::string_view::npos) break;
        text.remove_prefix(begin);
        std::uint64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
        if (error != std::errc()) break;
        numbers.push_back(number);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
    return numbers;
}

std::vector<std::string> split_environment(std::string_view text) {
    std::vector<std::string> variables;
    while (!text.empty()) {
        const std::size_t end = text.find('\0');
        if (end != 0) variables.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return variables;
}

std::uint64_t foreign_namespaces(const std::string& proc) {
    constexpr struct {
        const char* name;
        std::uint64_t flag;
    } kKinds[] = {{"user", kUserNamespace},
                  {"mnt", kMountNamespace},
                  {"uts", kUtsNamespace},
                  {"ipc", kIpcNamespace},
                  {"net", kNetworkNamespace}};
    std::uint64_t flags = 0;
    for (const auto& kind : kKinds) {
        const auto theirs = read_link(proc + "ns/" + kind.name);
        if (theirs && theirs != read_link(std::string("/proc/self/ns/") + kind.name)) flags |= kind.flag;
    }
    return flags;
}

void add_groups(SetupSteps& steps, std::string_view theirs) {
    std::vector<std::uint32_t> groups;
    for (const std::uint64_t each : status_numbers(status_field(theirs, "Groups:"), 10))
        groups.push_back(static_cast<std::uint32_t>(each));
    steps.push_back(setup::groups(std::move(groups)));
}

void add_identity(SetupSteps& steps, std::string_view theirs, std::string_view ours) {
    const auto differs = [&](const char* name, int base) {
        return status_numbers(status_field(theirs, name), base) != status_numbers(status_field(ours, name), base);
    };
    const auto bounds = status_numbers(status_field(theirs, "CapBnd:"), 16);
    if (differs("CapBnd:", 16) && !bounds.empty()) steps.push_back(setup::capabilities(bounds.front()));
    if (status_numbers(status_field(theirs, "NoNewPrivs:"), 10) == std::vector<std::uint64_t>{1} &&
        differs("NoNewPrivs:", 10))
        steps.push_back(setup::no_new_privileges());
    if (differs("Groups:", 10)) add_groups(steps, theirs);
    const auto group = status_numbers(status_field(theirs, "Gid:"), 10);
    if (differs("Gid:", 10) && !group.empty()) steps.push_back(setup::group(static_cast<std::int64_t>(group.front())));
    const auto user = status_numbers(status_field(theirs, "Uid:"), 10);
    if (differs("Uid:", 10) && !user.empty()) steps.push_back(setup::user(static_cast<std::int64_t>(user.front())));
}

// For root, which enters a user namespace that does not map root: takes the user and group of the process.
// Supplementary groups cannot be changed inside.
void add_foreign_identity(SetupSteps& steps, std::string_view theirs) {
    const auto group = status_numbers(status_field(theirs, "Gid:"), 10);
    const auto user = status_numbers(status_field(theirs, "Uid:"), 10);
    steps.push_back(setup::no_new_privileges());
    if (!group.empty()) steps.push_back(setup::group(static_cast<std::int64_t>(group.front())));
    if (!user.empty()) steps.push_back(setup::user(static_cast<std::int64_t>(user.front())));
}

}  // namespace

Result<ProcessFacts> read_process_facts(int pid) {
    const std::string proc = "/proc/" + std::to_string(pid) + '/';
    auto environment = read_proc(proc + "environ");
    // A program that has just begun shows its environment a moment later.
    for (int look = 0; look < kLooks && environment && environment->empty(); ++look) {
        ::usleep(kLookMicros);
        environment = read_proc(proc + "environ");
    }
    const auto status = read_proc(proc + "status");
    const auto ours = read_proc("/proc/self/status");
    if (!environment || !status || !ours || !process_start_ticks(pid))
        return Error{Code::kNotFound, "process " + std::to_string(pid) + " is gone"};
    ProcessFacts facts;
    facts.environment = split_environment(*environment);
    facts.label = process_label(pid).value_or(0);
    facts.directory = read_link(proc + "cwd").value_or("/");
    for (const std::string& file : cgroup_files(pid)) facts.setup.push_back(setup::write_file(file, "0"));
    const std::uint64_t namespaces = foreign_namespaces(proc);
    const std::string root = read_link(proc + "root").value_or("/");
    const bool becomes = (namespaces & kUserNamespace) && status_field(*status, "Uid:") != status_field(*ours, "Uid:");
    if (becomes) add_groups(facts.setup, *status);
    if (namespaces != 0) facts.setup.push_back(setup::join_process(pid, namespaces));
    // A root that is no mount of its own namespace.
    if (root != "/" && !(namespaces & kMountNamespace)) facts.setup.push_back(setup::change_root(root));
    // A process of the same user gets the mapped user by joining the user namespace alone.
    if (becomes) add_foreign_identity(facts.setup, *status);
    if (!(namespaces & kUserNamespace)) add_identity(facts.setup, *status, *ours);
    return facts;
}

}  // namespace muster::os
