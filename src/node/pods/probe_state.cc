#include "node/pods/probe_state.h"

#include <algorithm>

#include "node/environment/expansion.h"

namespace muster::node {
namespace {

// The API's defaults, for objects that were stored without them.
constexpr int kPeriodDefault = 10;
constexpr int kFailuresDefault = 3;

std::chrono::seconds period_of(const api::core::Probe& probe) {
    return std::chrono::seconds(probe.period_seconds > 0 ? probe.period_seconds : kPeriodDefault);
}

int threshold(const api::core::Probe& probe, ProbeAnswer answer) {
    if (answer == ProbeAnswer::kSuccess) return std::max(1, probe.success_threshold);
    return probe.failure_threshold > 0 ? probe.failure_threshold : kFailuresDefault;
}

}  // namespace

const char* probe_name(ProbeKind kind) {
    switch (kind) {
        case ProbeKind::kStartup: return "Startup";
        case ProbeKind::kLiveness: return "Liveness";
        case ProbeKind::kReadiness: break;
    }
    return "Readiness";
}

const api::core::Probe* find_probe(const api::core::Container& container, ProbeKind kind) {
    const auto& probe = kind == ProbeKind::kStartup    ? container.startup_probe
                        : kind == ProbeKind::kLiveness ? container.liveness_probe
                                                       : container.readiness_probe;
    return probe ? &*probe : nullptr;
}

Result<void> check_probes(const api::core::Container& container) {
    for (const ProbeKind kind : {ProbeKind::kStartup, ProbeKind::kLiveness, ProbeKind::kReadiness}) {
        const api::core::Probe* probe = find_probe(container, kind);
        if (probe && probe->handler.grpc)
            return Error{Code::kInvalid, std::string(probe_name(kind)) +
                                             " probe: this node does not ask gRPC services; use exec, httpGet or "
                                             "tcpSocket"};
        if (!probe || !probe->handler.exec) continue;
        if (const auto command = expand_probe_command(container, probe->handler.exec->command); !command.ok())
            return Error{Code::kTooLarge, std::string(probe_name(kind)) + " probe: " + command.error().message};
    }
    return {};
}

ProbeState first_probe_state(ProbeKind kind) {
    ProbeState state;
    if (kind == ProbeKind::kLiveness) state.verdict = ProbeVerdict::kPassed;
    if (kind == ProbeKind::kReadiness) state.verdict = ProbeVerdict::kFailed;
    return state;
}

ProbeState next_probe_state(const api::core::Probe& probe, ProbeState state, ProbeAnswer answer) {
    if (answer == ProbeAnswer::kUnknown) return state;
    state.in_a_row = answer == state.last ? state.in_a_row + 1 : 1;
    state.last = answer;
    if (state.in_a_row < threshold(probe, answer)) return state;
    state.verdict = answer == ProbeAnswer::kSuccess ? ProbeVerdict::kPassed : ProbeVerdict::kFailed;
    return state;
}

bool is_settled(ProbeKind kind, const ProbeState& state) {
    switch (kind) {
        case ProbeKind::kStartup: return state.verdict != ProbeVerdict::kPending;
        case ProbeKind::kLiveness: return state.verdict == ProbeVerdict::kFailed;
        case ProbeKind::kReadiness: break;
    }
    return false;
}

Instant next_probe_at(const api::core::Probe& probe, Instant container_started, std::optional<Instant> asked,
                      Instant now) {
    const Instant first = container_started + std::chrono::seconds(probe.initial_delay_seconds);
    return std::max(now, asked ? *asked + period_of(probe) : first);
}

}  // namespace muster::node
