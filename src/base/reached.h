// Marks a rare branch, so that a test run can list the branches that were never reached. A probe costs one store to a
// byte. Probes are in their own linker section, so they are listed even if their code never runs.
//     if (moved_on) REACHED("a sync finds its view older than its own writes");
// In ordinary functions only, neither inline nor templates: those are compiled more than once.
#pragma once

#include <atomic>
#include <span>

namespace muster {

struct ReachProbe {
    const char* what;
    const char* file;
    std::atomic<bool> hit{false};
};

}  // namespace muster

// The section holds pointers: they lie side by side, where larger things would be padded.
#define REACHED(text)                                                                                    \
    do {                                                                                                 \
        static constinit ::muster::ReachProbe reached_probe{text, __FILE__};                             \
        [[gnu::section("muster_probes"), gnu::used]] static constinit ::muster::ReachProbe* reached_at = \
            &reached_probe;                                                                              \
        reached_at->hit.store(true, std::memory_order_relaxed);                                          \
    } while (false)

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): the linker's own names for the two ends of the section
extern muster::ReachProbe* __start_muster_probes[] __attribute__((weak));
extern muster::ReachProbe* __stop_muster_probes[] __attribute__((weak));
// NOLINTEND(bugprone-reserved-identifier)
}

namespace muster {

// All there are in this program.
inline std::span<ReachProbe* const> reach_probes() {
    if (!__start_muster_probes) return {};
    return {__start_muster_probes, __stop_muster_probes};
}

}  // namespace muster
