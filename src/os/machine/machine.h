// What the machine says of itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace muster::os {

// Empty when it has none.
std::string host_name();
// At least 1.
int processor_count();
// Of memory, in bytes; 0 when it does not say.
std::uint64_t memory_bytes();
// What this process may have of it: less in a container with a limit.
std::uint64_t memory_limit_bytes();

// What a program can be started with: the bytes of one word (an argument, or NAME=value) with its final zero, and of
// all words together, with a pointer to each.
struct ExecLimits {
    std::size_t word_max = 128u << 10;
    std::size_t all_max = 2u << 20;
};
ExecLimits exec_limits();

struct MachineInfo {
    std::string machine_id{};
    std::string boot_id{};
    std::string kernel{};        // 6.1.0-18-amd64
    std::string system{};        // Debian GNU/Linux 12 (bookworm)
    std::string architecture{};  // as Kubernetes names it: amd64
};
MachineInfo machine_info();

}  // namespace muster::os
