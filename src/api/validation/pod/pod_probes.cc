// Rules of probes and lifecycle handlers: exactly one handler, periods and thresholds that make sense.
#include <algorithm>

#include "api/validation/pod/pod_rules.h"

namespace muster::api {
namespace {

void check_port(const IntOrString& port, const FieldPath& path, FieldErrors& errors) {
    if (port.is_string()) {
        errors.add_problems(path, port.string(), is_port_name(port.string()));
    } else {
        errors.add_problems(path, port.number(), is_port_number(port.number()));
    }
}

void check_http_get(const core::HTTPGetAction& action, const FieldPath& path, FieldErrors& errors) {
    if (action.path.empty()) errors.add_required(path.child("path"), "");
    check_port(action.port, path.child("port"), errors);
    if (!is_one_of(action.scheme, {"HTTP", "HTTPS"}))
        errors.add_not_supported(path.child("scheme"), action.scheme, {"HTTP", "HTTPS"});
    for (const core::HTTPHeader& header : action.http_headers)
        errors.add_problems(path.child("httpHeaders"), header.name, is_http_header_name(header.name));
}

void check_sleep(const core::SleepAction& sleep, std::optional<std::int64_t> grace, const FieldPath& path,
                 FieldErrors& errors) {
    if (grace && (sleep.seconds < 0 || sleep.seconds > *grace))
        errors.add_invalid(
            path, sleep.seconds,
            "must be non-negative and less than terminationGracePeriodSeconds (" + std::to_string(*grace) + ")");
}

// Checks the one way in which something is done. Any other that is set beside it is refused.
class OneHandler {
public:
    OneHandler(const FieldPath& path, FieldErrors& errors) : path_(path), errors_(errors) {}
    ~OneHandler() {
        if (!found_) errors_.add_required(path_, "must specify a handler type");
    }
    OneHandler(const OneHandler&) = delete;
    OneHandler& operator=(const OneHandler&) = delete;

    void common(const Box<core::ExecAction>& exec, const Box<core::HTTPGetAction>& http,
                const Box<core::TCPSocketAction>& tcp) {
        if (admit(static_cast<bool>(exec), "exec") && exec->command.empty())
            errors_.add_required(path_.child("exec", "command"), "");
        if (exec) check_no_nul(exec->command, path_.child("exec", "command"), errors_);
        if (admit(static_cast<bool>(http), "httpGet")) check_http_get(*http, path_.child("httpGet"), errors_);
        if (admit(static_cast<bool>(tcp), "tcpSocket"))
            check_port(tcp->port, path_.child("tcpSocket", "port"), errors_);
    }
    bool admit(bool present, const char* name) {
        if (!present) return false;
        if (found_) errors_.add_forbidden(path_.child(name), "may not specify more than 1 handler type");
        return !std::exchange(found_, true);
    }

private:
    const FieldPath& path_;
    FieldErrors& errors_;
    bool found_ = false;
};

void check_probe_handler(const core::ProbeHandler& handler, const FieldPath& path, FieldErrors& errors) {
    OneHandler one(path, errors);
    one.common(handler.exec, handler.http_get, handler.tcp_socket);
    if (one.admit(static_cast<bool>(handler.grpc), "grpc"))
        check_port(handler.grpc->port, path.child("grpc", "port"), errors);
}

void check_hook(const Box<core::LifecycleHandler>& hook, std::optional<std::int64_t> grace, const FieldPath& path,
                FieldErrors& errors) {
    if (!hook) return;
    OneHandler one(path, errors);
    one.common(hook->exec, hook->http_get, hook->tcp_socket);
    if (one.admit(static_cast<bool>(hook->sleep), "sleep"))
        check_sleep(*hook->sleep, grace, path.child("sleep"), errors);
}

enum class ProbeKind { kLiveness, kReadiness, kStartup };

void check_probe(const Box<core::Probe>& probe, ProbeKind kind, const FieldPath& path, FieldErrors& errors) {
    if (!probe) return;
    check_probe_handler(probe->handler, path, errors);
    check_non_negative(path.child("initialDelaySeconds"), probe->initial_delay_seconds, errors);
    check_non_negative(path.child("timeoutSeconds"), probe->timeout_seconds, errors);
    check_non_negative(path.child("periodSeconds"), probe->period_seconds, errors);
    check_non_negative(path.child("successThreshold"), probe->success_threshold, errors);
    check_non_negative(path.child("failureThreshold"), probe->failure_threshold, errors);
    const FieldPath grace = path.child("terminationGracePeriodSeconds");
    if (probe->termination_grace_period_seconds && *probe->termination_grace_period_seconds <= 0)
        errors.add_invalid(grace, *probe->termination_grace_period_seconds, kPositiveSentence);
    if (kind == ProbeKind::kReadiness) {
        if (probe->termination_grace_period_seconds)
            errors.add_invalid(grace, *probe->termination_grace_period_seconds, "must not be set for readinessProbes");
    } else if (probe->success_threshold != 1) {
        errors.add_invalid(path.child("successThreshold"), probe->success_threshold, "must be 1");
    }
}

std::vector<std::string_view> sorted_signals() {
    std::vector<std::string_view> signals;
    std::string_view rest = core::kStopSignals;
    while (!rest.empty()) {
        const std::size_t bar = rest.find('|');
        signals.push_back(rest.substr(0, bar));
        rest.remove_prefix(bar == std::string_view::npos ? rest.size() : bar + 1);
    }
    std::sort(signals.begin(), signals.end());
    return signals;
}

void check_stop_signal(std::string_view signal, const Box<core::PodOS>& os, const FieldPath& path,
                       FieldErrors& errors) {
    if (!os) {
        errors.add_forbidden(path, "may not be set for containers with empty `spec.os.name`");
    } else if (os->name == "windows") {
        if (!is_one_of(signal, {"SIGKILL", "SIGTERM"})) errors.add_not_supported(path, signal, {"SIGKILL", "SIGTERM"});
    } else if (os->name == "linux") {
        const std::vector<std::string_view> signals = sorted_signals();
        if (!std::binary_search(signals.begin(), signals.end(), signal))
            errors.add_not_supported(path, signal, signals);
    }
}

}  // namespace

void check_probes_and_hooks(const core::Container& container, const core::PodSpec& spec, const FieldPath& path,
                            FieldErrors& errors) {
    if (container.lifecycle) {
        const FieldPath at = path.child("lifecycle");
        check_hook(container.lifecycle->post_start, spec.termination_grace_period_seconds, at.child("postStart"),
                   errors);
        check_hook(container.lifecycle->pre_stop, spec.termination_grace_period_seconds, at.child("preStop"), errors);
        if (container.lifecycle->stop_signal)
            check_stop_signal(*container.lifecycle->stop_signal, spec.os, at.child("stopSignal"), errors);
    }
    check_probe(container.liveness_probe, ProbeKind::kLiveness, path.child("livenessProbe"), errors);
    check_probe(container.readiness_probe, ProbeKind::kReadiness, path.child("readinessProbe"), errors);
    check_probe(container.startup_probe, ProbeKind::kStartup, path.child("startupProbe"), errors);
}

}  // namespace muster::api
