#include "os/machine/machine.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <thread>

namespace muster::os {
namespace {

std::string first_line(const char* path) {
    std::string line;
    std::ifstream file(path);
    std::getline(file, line);
    return line;
}

std::string system_name() {
    constexpr std::string_view kKey = "PRETTY_NAME=";
    std::ifstream file("/etc/os-release");
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(kKey)) continue;
        line.erase(0, kKey.size());
        std::erase(line, '"');
        return line;
    }
    return "Linux";
}

std::string architecture_name(const std::string& machine) {
    if (machine == "x86_64") return "amd64";
    if (machine == "aarch64") return "arm64";
    return machine;
}

}  // namespace

std::string host_name() {
    char name[256] = {};
    return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

int processor_count() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

std::uint64_t memory_bytes() {
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long page = ::sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) : 0;
}

ExecLimits exec_limits() {
    // As Linux has them: 32 pages for a word, and a quarter of the stack's limit, at most 6 MiB, for all.
    constexpr long kPagesOfWord = 32;
    constexpr long kAllMax = 6 << 20;
    ExecLimits limits;
    if (const long page = ::sysconf(_SC_PAGESIZE); page > 0)
        limits.word_max = static_cast<std::size_t>(kPagesOfWord * page);
    if (const long all = ::sysconf(_SC_ARG_MAX); all > 0)
        limits.all_max = static_cast<std::size_t>(std::min(all, kAllMax));
    return limits;
}

std::uint64_t memory_limit_bytes() {
    std::uint64_t limit = memory_bytes();
    for (const char* file : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
        const std::string text = first_line(file);
        std::uint64_t bytes = 0;
        const auto read = std::from_chars(text.data(), text.data() + text.size(), bytes);
        if (read.ec == std::errc() && bytes > 0 && (limit == 0 || bytes < limit)) limit = bytes;
    }
    return limit;
}

MachineInfo machine_info() {
    utsname names{};
    ::uname(&names);
    return {first_line("/etc/machine-id"), first_line("/proc/sys/kernel/random/boot_id"), names.release, system_name(),
            architecture_name(names.machine)};
}

}  // namespace muster::os
