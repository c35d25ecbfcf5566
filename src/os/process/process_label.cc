#include "os/process/process_label.h"

#include <sys/resource.h>

#include <charconv>
#include <string>

#include "os/machine/digest.h"
#include "os/process/proc_file.h"
#include "os/process/process_table.h"

namespace muster::os {
namespace {

// 0: none. It does not change while we live.
std::uint64_t own_limit() {
    static const std::uint64_t limit = [] {
        rlimit ours{};
        const bool limited = ::getrlimit(RLIMIT_LOCKS, &ours) == 0 && ours.rlim_max != RLIM_INFINITY;
        return limited ? ours.rlim_max : 0;
    }();
    return limit;
}

}  // namespace

std::uint64_t make_label(std::string_view name) {
    // As much as any limit takes, signed or not.
    constexpr std::size_t kDigits = 15;
    const std::string digest = sha256_hex(name).substr(0, kDigits);
    std::uint64_t label = 0;
    std::from_chars(digest.data(), digest.data() + digest.size(), label, 16);
    // We may be labelled ourselves, and can only go below.
    if (own_limit() != 0) label %= own_limit();
    return label == 0 ? 1 : label;
}

void carry_label(std::uint64_t label) {
    const rlimit limit{label, label};
    (void)::setrlimit(RLIMIT_LOCKS, &limit);
}

std::optional<std::uint64_t> process_label(int pid) {
    const auto limits = read_proc("/proc/" + std::to_string(pid) + "/limits");
    constexpr std::string_view kField = "Max file locks";
    const std::size_t line = limits ? limits->find(kField) : std::string::npos;
    if (line == std::string::npos) return {};
    const std::size_t at = limits->find_first_not_of(' ', line + kField.size());
    if (at == std::string::npos) return {};
    std::uint64_t label = 0;
    // The word "unlimited" is no number.
    if (std::from_chars(limits->data() + at, limits->data() + limits->size(), label).ec != std::errc()) return {};
    return label;
}

std::size_t kill_labelled_processes(const std::set<std::uint64_t>& labels) {
    return kill_found_processes([&] {
        std::vector<int> found;
        for (const int pid : all_processes())
            if (const auto label = process_label(pid); label && labels.contains(*label)) found.push_back(pid);
        return found;
    });
}

}  // namespace muster::os
