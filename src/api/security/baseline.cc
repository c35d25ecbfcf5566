// The checks of the level baseline: a pod gets no right over the machine it runs on.
#include <algorithm>

#include "api/security/checks.h"
#include "api/value/quote.h"

namespace muster::api::security {
namespace {

using core::Container;
using core::PodSpec;
using core::SecurityContext;
using meta::ObjectMeta;

template <std::size_t kSize>
bool is_one_among(const std::array<std::string_view, kSize>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array<std::string_view, 13> kDefaultCapabilities{
    "AUDIT_WRITE",      "CHOWN",  "DAC_OVERRIDE", "FOWNER",  "FSETID",    "KILL", "MKNOD", "SETFCAP",
    "NET_BIND_SERVICE", "SETGID", "SETUID",       "SETPCAP", "SYS_CHROOT"};

bool is_confined(std::string_view type) { return type == "RuntimeDefault" || type == "Localhost"; }

// The annotations that were profiles before there were fields, where the value is not one of the safe ones.
bool is_safe_seccomp_annotation(std::string_view value) {
    return value == "runtime/default" || value == "docker/default" || value.starts_with("localhost/");
}
bool is_safe_app_armor_annotation(std::string_view value) {
    return value.empty() || value == "runtime/default" || value.starts_with("localhost/");
}

void add_hosts(const Box<core::HTTPGetAction>& http, const Box<core::TCPSocketAction>& tcp, Names& hosts) {
    if (http && !http->host.empty()) hosts.push_back(http->host.view());
    if (tcp && !tcp->host.empty()) hosts.push_back(tcp->host.view());
}

// Hosts that a container's probes and hooks name.
Names hosts_of(const Container& container) {
    Names hosts;
    for (const Box<core::Probe>* probe :
         {&container.liveness_probe, &container.readiness_probe, &container.startup_probe})
        if (*probe) add_hosts((*probe)->handler.http_get, (*probe)->handler.tcp_socket, hosts);
    if (!container.lifecycle) return hosts;
    for (const Box<core::LifecycleHandler>* hook : {&container.lifecycle->post_start, &container.lifecycle->pre_stop})
        if (*hook) add_hosts((*hook)->http_get, (*hook)->tcp_socket, hosts);
    return hosts;
}

// What is wrong with SELinux options that were set, by the pod or by containers.
struct BadOptions {
    NameSet types;
    bool user = false;
    bool role = false;

    // Gives false when the options are fine.
    bool add(const core::SELinuxOptions& options, bool engine_allowed) {
        const std::string_view type = options.type;
        const bool good = type.empty() || type == "container_t" || type == "container_init_t" ||
                          type == "container_kvm_t" || (engine_allowed && type == "container_engine_t");
        if (!good) types.insert(type);
        user |= !options.user.empty();
        role |= !options.role.empty();
        return !good || !options.user.empty() || !options.role.empty();
    }
    std::string text() const {
        std::string out;
        if (!types.empty()) out = std::string(plural("type", "types", types.size())) + " " + join_quoted(types);
        if (user) out.append(out.empty() ? "" : "; ").append("user may not be set");
        if (role) out.append(out.empty() ? "" : "; ").append("role may not be set");
        return out;
    }
};

Finding se_linux(const PodSpec& spec, bool engine_allowed) {
    BadOptions bad;
    const bool pod = spec.security_context && spec.security_context->se_linux_options &&
                     bad.add(*spec.security_context->se_linux_options, engine_allowed);
    Names containers;
    visit_contexts(spec, [&](std::string_view name, const SecurityContext& context) {
        if (context.se_linux_options && bad.add(*context.se_linux_options, engine_allowed)) containers.push_back(name);
    });
    if (!pod && containers.empty()) return std::nullopt;
    return SecurityFinding{"seLinuxOptions",
                           setters(pod, containers) + " set forbidden securityContext.seLinuxOptions: " + bad.text()};
}

// A kernel parameter, and the version from which on it counts as safe.
struct SafeSysctl {
    std::string_view name;
    int minor;
};
constexpr SafeSysctl kSafeSysctls[] = {
    {"kernel.shm_rmid_forced", 0},
    {"net.ipv4.ip_local_port_range", 0},
    {"net.ipv4.tcp_syncookies", 0},
    {"net.ipv4.ping_group_range", 0},
    {"net.ipv4.ip_unprivileged_port_start", 0},
    {"net.ipv4.ip_local_reserved_ports", 27},
    {"net.ipv4.tcp_keepalive_time", 29},
    {"net.ipv4.tcp_fin_timeout", 29},
    {"net.ipv4.tcp_keepalive_intvl", 29},
    {"net.ipv4.tcp_keepalive_probes", 29},
    {"net.ipv4.tcp_rmem", 32},
    {"net.ipv4.tcp_wmem", 32},
    {"net.ipv4.tcp_slow_start_after_idle", 37},
    {"net.ipv4.tcp_notsent_lowat", 37},
};

Finding sysctls(const PodSpec& spec, int minor) {
    if (!spec.security_context) return std::nullopt;
    Names forbidden;
    for (const core::Sysctl& sysctl : spec.security_context->sysctls) {
        const bool safe = std::any_of(std::begin(kSafeSysctls), std::end(kSafeSysctls), [&](const SafeSysctl& one) {
            return one.minor <= minor && one.name == sysctl.name.view();
        });
        if (!safe) forbidden.push_back(sysctl.name.view());
    }
    if (forbidden.empty()) return std::nullopt;
    return SecurityFinding{"forbidden sysctls", join_plain(forbidden, ", ")};
}

bool is_host_process(const Box<core::WindowsSecurityContextOptions>& options) {
    return options && options->host_process.value_or(false);
}

}  // namespace

Finding app_armor_profile(const ObjectMeta& metadata, const PodSpec& spec) {
    NameSet values;
    Names containers;
    bool pod = false;
    if (spec.security_context && spec.security_context->app_armor_profile &&
        !is_confined(spec.security_context->app_armor_profile->type)) {
        pod = true;
        values.insert(spec.security_context->app_armor_profile->type.view());
    }
    visit_contexts(spec, [&](std::string_view name, const SecurityContext& context) {
        if (!context.app_armor_profile || is_confined(context.app_armor_profile->type)) return;
        containers.push_back(name);
        values.insert(context.app_armor_profile->type.view());
    });
    constexpr std::string_view kPrefix = "container.apparmor.security.beta.kubernetes.io/";
    std::vector<std::string> annotations;
    for (const auto& [key, value] : metadata.annotations)
        if (key.view().starts_with(kPrefix) && !is_safe_app_armor_annotation(value))
            annotations.push_back(key.str() + "=" + in_quotes(value));
    if (!pod && containers.empty() && annotations.empty()) return std::nullopt;
    Names shown(values.begin(), values.end());
    shown.insert(shown.end(), annotations.begin(), annotations.end());
    std::string who = setters(pod, containers);
    if (!annotations.empty())
        who.append(who.empty() ? "" : " and ").append(plural("annotation", "annotations", annotations.size()));
    return SecurityFinding{plural("forbidden AppArmor profile", "forbidden AppArmor profiles", shown.size()),
                           who + " must not set AppArmor profile type to " + join_quoted(shown)};
}

Finding added_capabilities(const ObjectMeta&, const PodSpec& spec) {
    Names containers;
    NameSet added;
    visit_contexts(spec, [&](std::string_view name, const SecurityContext& context) {
        if (!context.capabilities) return;
        bool good = true;
        for (const Text& capability : context.capabilities->add) {
            if (is_one_among(kDefaultCapabilities, capability)) continue;
            good = false;
            added.insert(capability.view());
        }
        if (!good) containers.push_back(name);
    });
    if (containers.empty()) return std::nullopt;
    return SecurityFinding{"non-default capabilities", containers_named(containers) + " must not include " +
                                                           join_quoted(added) + " in securityContext.capabilities.add"};
}

Finding host_namespaces(const ObjectMeta&, const PodSpec& spec) {
    Names used;
    if (spec.host_network) used.push_back("hostNetwork=true");
    if (spec.host_pid) used.push_back("hostPID=true");
    if (spec.host_ipc) used.push_back("hostIPC=true");
    if (used.empty()) return std::nullopt;
    return SecurityFinding{"host namespaces", join_plain(used, ", ")};
}

Finding host_path_volumes(const ObjectMeta&, const PodSpec& spec) {
    Names volumes;
    for (const core::Volume& volume : spec.volumes)
        if (volume.source.host_path) volumes.push_back(volume.name.view());
    if (volumes.empty()) return std::nullopt;
    return SecurityFinding{"hostPath volumes",
                           std::string(plural("volume", "volumes", volumes.size())) + " " + join_quoted(volumes)};
}

Finding host_ports(const ObjectMeta&, const PodSpec& spec) {
    Names containers;
    std::set<std::string> ports;  // in the order of their texts
    visit_containers(spec, [&](const Container& container) {
        bool good = true;
        for (const core::ContainerPort& port : container.ports) {
            if (port.host_port == 0) continue;
            good = false;
            ports.insert(std::to_string(port.host_port));
        }
        if (!good) containers.push_back(container.name.view());
    });
    if (containers.empty()) return std::nullopt;
    return SecurityFinding{"hostPort", containers_named(containers) + " " + plural("uses", "use", containers.size()) +
                                           " " + plural("hostPort", "hostPorts", ports.size()) + " " +
                                           join_plain(Names(ports.begin(), ports.end()), ", ")};
}

Finding probe_hosts(const ObjectMeta&, const PodSpec& spec) {
    NameSet containers;
    NameSet hosts;
    visit_containers(spec, [&](const Container& container) {
        const Names own = hosts_of(container);
        if (!own.empty()) containers.insert(container.name.view());
        hosts.insert(own.begin(), own.end());
    });
    if (containers.empty()) return std::nullopt;
    return SecurityFinding{"probe or lifecycle host",
                           containers_named(Names(containers.begin(), containers.end())) + " " +
                               plural("uses", "use", containers.size()) + " " +
                               plural("probe or lifecycle host", "probe or lifecycle hosts", hosts.size()) + " " +
                               join_quoted(hosts)};
}

Finding privileged(const ObjectMeta&, const PodSpec& spec) {
    Names containers;
    visit_contexts(spec, [&](std::string_view name, const SecurityContext& context) {
        if (context.privileged.value_or(false)) containers.push_back(name);
    });
    if (containers.empty()) return std::nullopt;
    return SecurityFinding{"privileged",
                           containers_named(containers) + " must not set securityContext.privileged=true"};
}

Finding proc_mount(const ObjectMeta&, const PodSpec& spec) {
    Names containers;
    NameSet types;
    visit_contexts(spec, [&](std::string_view name, const SecurityContext& context) {
        if (!context.proc_mount || *context.proc_mount == "Default") return;
        containers.push_back(name);
        types.insert(context.proc_mount->view());
    });
    if (containers.empty()) return std::nullopt;
    return SecurityFinding{
        "procMount", containers_named(containers) + " must not set securityContext.procMount to " + join_quoted(types)};
}

Finding se_linux_1_0(const ObjectMeta&, const PodSpec& spec) { return se_linux(spec, false); }
Finding se_linux_1_31(const ObjectMeta&, const PodSpec& spec) { return se_linux(spec, true); }

Finding seccomp_annotations(const ObjectMeta& metadata, const PodSpec& spec) {
    std::set<std::string> forbidden;
    const auto look_at = [&](const std::string& key) {
        const Text* value = metadata.annotations.find(key);
        if (value && !is_safe_seccomp_annotation(*value)) forbidden.insert(key + "=" + in_quotes(*value));
    };
    look_at("seccomp.security.alpha.kubernetes.io/pod");
    visit_containers(spec, [&](const Container& container) {
        look_at("container.seccomp.security.alpha.kubernetes.io/" + container.name.str());
    });
    if (forbidden.empty()) return std::nullopt;
    return SecurityFinding{"seccompProfile", std::string("forbidden ") +
                                                 plural("annotation", "annotations", forbidden.size()) + " " +
                                                 join_plain(Names(forbidden.begin(), forbidden.end()), ", ")};
}

Finding seccomp_profile(const ObjectMeta&, const PodSpec& spec) {
    NameSet types;
    Names containers;
    bool pod = false;
    if (spec.security_context && spec.security_context->seccomp_profile &&
        !is_confined(spec.security_context->seccomp_profile->type)) {
        pod = true;
        types.insert(spec.security_context->seccomp_profile->type.view());
    }
    visit_contexts(spec, [&](std::string_view name, const SecurityContext& context) {
        if (!context.seccomp_profile || is_confined(context.seccomp_profile->type)) return;
        containers.push_back(name);
        types.insert(context.seccomp_profile->type.view());
    });
    if (!pod && containers.empty()) return std::nullopt;
    return SecurityFinding{
        "seccompProfile",
        setters(pod, containers) + " must not set securityContext.seccompProfile.type to " + join_quoted(types)};
}

Finding sysctls_1_0(const ObjectMeta&, const PodSpec& spec) { return sysctls(spec, 0); }
Finding sysctls_1_27(const ObjectMeta&, const PodSpec& spec) { return sysctls(spec, 27); }
Finding sysctls_1_29(const ObjectMeta&, const PodSpec& spec) { return sysctls(spec, 29); }
Finding sysctls_1_32(const ObjectMeta&, const PodSpec& spec) { return sysctls(spec, 32); }
Finding sysctls_1_37(const ObjectMeta&, const PodSpec& spec) { return sysctls(spec, 37); }

Finding windows_host_process(const ObjectMeta&, const PodSpec& spec) {
    const bool pod = spec.security_context && is_host_process(spec.security_context->windows_options);
    Names containers;
    visit_contexts(spec, [&](std::string_view name, const SecurityContext& context) {
        if (is_host_process(context.windows_options)) containers.push_back(name);
    });
    if (!pod && containers.empty()) return std::nullopt;
    return SecurityFinding{"hostProcess",
                           setters(pod, containers) + " must not set securityContext.windowsOptions.hostProcess=true"};
}

}  // namespace muster::api::security
