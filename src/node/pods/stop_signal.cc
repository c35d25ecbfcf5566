#include "node/pods/stop_signal.h"

#include <charconv>

namespace muster::node {
namespace {

constexpr int kTerm = 15;
constexpr int kRealTimeMin = 34;
constexpr int kRealTimeMax = 64;

constexpr struct {
    std::string_view name;
    int number;
} kSignals[] = {
    {"HUP", 1},   {"INT", 2},    {"QUIT", 3},    {"ILL", 4},   {"TRAP", 5},  {"ABRT", 6},  {"IOT", 6},
    {"BUS", 7},   {"FPE", 8},    {"KILL", 9},    {"USR1", 10}, {"SEGV", 11}, {"USR2", 12}, {"PIPE", 13},
    {"ALRM", 14}, {"TERM", 15},  {"STKFLT", 16}, {"CHLD", 17}, {"CLD", 17},  {"CONT", 18}, {"STOP", 19},
    {"TSTP", 20}, {"TTIN", 21},  {"TTOU", 22},   {"URG", 23},  {"XCPU", 24}, {"XFSZ", 25}, {"VTALRM", 26},
    {"PROF", 27}, {"WINCH", 28}, {"IO", 29},     {"POLL", 29}, {"PWR", 30},  {"SYS", 31},
};

// "+3" or "-3" after the name of a limit; nothing after it is 0.
int distance(std::string_view text) {
    int number = 0;
    if (!text.empty()) std::from_chars(text.data() + 1, text.data() + text.size(), number);
    return number;
}

}  // namespace

int signal_number(std::string_view name) {
    if (!name.starts_with("SIG")) return kTerm;
    name.remove_prefix(3);
    if (name.starts_with("RTMIN")) return kRealTimeMin + distance(name.substr(5));
    if (name.starts_with("RTMAX")) return kRealTimeMax - distance(name.substr(5));
    for (const auto& each : kSignals)
        if (each.name == name) return each.number;
    return kTerm;
}

int stop_signal(const api::core::Container& container) {
    if (!container.lifecycle || !container.lifecycle->stop_signal) return kTerm;
    return signal_number(*container.lifecycle->stop_signal);
}

}  // namespace muster::node
