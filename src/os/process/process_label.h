// A number that a process and all its descendants carry, in other sessions and with another environment, too: the limit
// of file locks (RLIMIT_LOCKS), which Linux keeps for each process and applies to nothing. Everybody may lower their
// own, and only root may raise it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

namespace muster::os {

// The label for a name, the same in every process whose own label is the same as ours.
std::uint64_t make_label(std::string_view name);
// For a process that was just made: makes no allocation. Where it is not allowed, the process keeps the label it has.
void carry_label(std::uint64_t label);
// Nothing when it carries none, or has ended.
std::optional<std::uint64_t> process_label(int pid);
// Kills all processes that carry one of these, until none is left. Reads the whole process table. Gives how many there
// were. We ourselves are not among them.
std::size_t kill_labelled_processes(const std::set<std::uint64_t>& labels);

}  // namespace muster::os
