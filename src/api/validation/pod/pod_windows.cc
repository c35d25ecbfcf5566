// Rules that depend on the pod's operating system: what is for Windows only, what is for Linux only.
#include <algorithm>

#include "api/validation/pod/pod_rules.h"

namespace muster::api {
namespace {

constexpr std::size_t kCredentialSpecKiBMax = 64;
constexpr std::size_t kDomainMax = 256;
constexpr std::size_t kUserMax = 104;
constexpr const char* kNotOnWindows = "cannot be set for a windows pod";

// A NetBIOS name of up to 15 characters that does not start with a dot, or a DNS name.
bool is_windows_domain(std::string_view domain) {
    const bool netbios = !domain.empty() && domain.size() <= 15 && domain.front() != '.' &&
                         domain.find_first_of("\\/:*?\"<>|") == std::string_view::npos;
    if (netbios) return true;
    while (true) {
        const std::size_t dot = domain.find('.');
        const std::string_view label = domain.substr(0, dot);
        const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0; };
        if (label.empty() || !is_plain(label.front()) || !is_plain(label.back())) return false;
        if (!std::all_of(label.begin(), label.end(), [&](unsigned char c) { return is_plain(c) || c == '-'; }))
            return false;
        if (dot == std::string_view::npos) return true;
        domain.remove_prefix(dot + 1);
    }
}

// USER or DOMAIN\USER.
void check_user_name(std::string_view name, const FieldPath& path, FieldErrors& errors) {
    const auto refuse = [&](std::string_view why) { errors.add_invalid(path, name, why); };
    if (name.empty()) return refuse("runAsUserName cannot be an empty string");
    if (std::any_of(name.begin(), name.end(), [](unsigned char c) { return std::iscntrl(c); }))
        return refuse("runAsUserName cannot contain control characters");
    if (std::count(name.begin(), name.end(), '\\') > 1)
        return refuse("runAsUserName cannot contain more than one backslash");
    const std::size_t slash = name.find('\\');
    const bool has_domain = slash != std::string_view::npos;
    const std::string_view domain = has_domain ? name.substr(0, slash) : std::string_view();
    const std::string_view user = has_domain ? name.substr(slash + 1) : name;
    if (domain.size() >= kDomainMax) refuse("runAsUserName's Domain length must be under 256 characters");
    if (has_domain && !is_windows_domain(domain))
        refuse("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
    if (user.empty()) {
        refuse("runAsUserName's User cannot be empty");
    } else if (user.size() > kUserMax) {
        refuse("runAsUserName's User length must not be longer than 104 characters");
    }
    if (!user.empty() && user.find_first_not_of(". ") == std::string_view::npos)
        refuse("runAsUserName's User cannot contain only periods or spaces");
    if (user.find_first_of("\"/\\:;|=,+*?<>@[]") != std::string_view::npos)
        refuse("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
}

void check_linux(const core::PodSpec& spec, const FieldPath& spec_path, FieldErrors& errors) {
    constexpr const char* kNotOnLinux = "windows options cannot be set for a linux pod";
    if (spec.security_context && spec.security_context->windows_options)
        errors.add_forbidden(spec_path.child("securityContext", "windowsOptions"), kNotOnLinux);
    for_each_container(spec, spec_path, [&](const core::Container& container, const FieldPath& path) {
        if (container.security_context && container.security_context->windows_options)
            errors.add_forbidden(path.child("securityContext", "windowsOptions"), kNotOnLinux);
    });
}

void check_windows_pod(const core::PodSpec& spec, const FieldPath& spec_path, FieldErrors& errors) {
    const auto forbid = [&](bool present, const FieldPath& path) {
        if (present) errors.add_forbidden(path, kNotOnWindows);
    };
    // Upstream keeps these in the security context, which defaults always make.
    const FieldPath at = spec_path.child("securityContext");
    const core::PodSecurityContext& context = *spec.security_context;
    forbid(!!context.app_armor_profile, at.child("appArmorProfile"));
    forbid(!!context.se_linux_options, at.child("seLinuxOptions"));
    forbid(spec.host_users.has_value(), spec_path.child("hostUsers"));
    forbid(spec.host_pid, spec_path.child("hostPID"));
    forbid(spec.host_ipc, spec_path.child("hostIPC"));
    forbid(!!context.seccomp_profile, at.child("seccompProfile"));
    forbid(context.fs_group.has_value(), at.child("fsGroup"));
    forbid(context.fs_group_change_policy.has_value(), at.child("fsGroupChangePolicy"));
    forbid(!context.sysctls.empty(), at.child("sysctls"));
    forbid(spec.share_process_namespace.has_value(), spec_path.child("shareProcessNamespace"));
    forbid(context.run_as_user.has_value(), at.child("runAsUser"));
    forbid(context.run_as_group.has_value(), at.child("runAsGroup"));
    forbid(!context.supplemental_groups.is_null(), at.child("supplementalGroups"));
    forbid(context.supplemental_groups_policy.has_value(), at.child("supplementalGroupsPolicy"));
    forbid(context.se_linux_change_policy.has_value(), at.child("seLinuxChangePolicy"));
}

void check_windows_container(const core::SecurityContext& context, const FieldPath& path, FieldErrors& errors) {
    const auto forbid = [&](bool present, const char* name) {
        if (present) errors.add_forbidden(path.child(name), kNotOnWindows);
    };
    forbid(!!context.app_armor_profile, "appArmorProfile");
    forbid(!!context.se_linux_options, "seLinuxOptions");
    forbid(!!context.seccomp_profile, "seccompProfile");
    forbid(!!context.capabilities, "capabilities");
    forbid(context.read_only_root_filesystem.has_value(), "readOnlyRootFilesystem");
    forbid(context.privileged.has_value(), "privileged");
    forbid(context.allow_privilege_escalation.has_value(), "allowPrivilegeEscalation");
    forbid(context.proc_mount.has_value(), "procMount");
    forbid(context.run_as_user.has_value(), "runAsUser");
    forbid(context.run_as_group.has_value(), "runAsGroup");
}

}  // namespace

void check_windows_options(const Box<core::WindowsSecurityContextOptions>& options, const FieldPath& path,
                           FieldErrors& errors) {
    if (!options) return;
    if (options->gmsa_credential_spec_name)
        errors.add_problems(path.child("gmsaCredentialSpecName"), *options->gmsa_credential_spec_name,
                            is_dns1123_subdomain(*options->gmsa_credential_spec_name));
    if (options->gmsa_credential_spec) {
        const FieldPath at = path.child("gmsaCredentialSpec");
        if (options->gmsa_credential_spec->empty())
            errors.add_invalid(at, *options->gmsa_credential_spec, "gmsaCredentialSpec cannot be an empty string");
        if (options->gmsa_credential_spec->size() > kCredentialSpecKiBMax * 1024)
            errors.add_invalid(at, *options->gmsa_credential_spec, "gmsaCredentialSpec size must be under 64 KiB");
    }
    if (options->run_as_user_name) check_user_name(*options->run_as_user_name, path.child("runAsUserName"), errors);
}

void check_windows_host_process(const core::PodSpec& spec, const FieldPath& spec_path, FieldErrors& errors) {
    std::optional<bool> of_pod;
    if (spec.security_context && spec.security_context->windows_options)
        of_pod = spec.security_context->windows_options->host_process;
    int containers = 0;
    int on_host = 0;
    for_each_container(spec, spec_path, [&](const core::Container& container, const FieldPath& path) {
        ++containers;
        std::optional<bool> own;
        if (container.security_context && container.security_context->windows_options)
            own = container.security_context->windows_options->host_process;
        if (of_pod && own && *of_pod != *own)
            errors.add_invalid(path.child("securityContext", "windowsOptions", "hostProcess"), *own,
                               std::string("pod hostProcess value must be identical if both are specified, was ") +
                                   (*of_pod ? "true" : "false"));
        if (own ? *own : of_pod.value_or(false)) ++on_host;
    });
    if (on_host == 0) return;
    if (on_host != containers)
        errors.add_invalid(spec_path, "",
                           "If pod contains any hostProcess containers then all containers must be HostProcess "
                           "containers");
    if (!spec.host_network)
        errors.add_invalid(spec_path.child("hostNetwork"), false,
                           "hostNetwork must be true if pod contains any hostProcess containers");
}

void check_os(const core::PodSpec& spec, const FieldPath& spec_path, FieldErrors& errors) {
    if (!spec.os) return;
    const Text& name = spec.os->name;
    if (name.empty()) {
        errors.add_required(spec_path.child("os", "name"), "");
    } else if (name == "linux") {
        check_linux(spec, spec_path, errors);
    } else if (name == "windows") {
        if (spec.security_context) check_windows_pod(spec, spec_path, errors);
        for_each_container(spec, spec_path, [&](const core::Container& container, const FieldPath& path) {
            if (container.security_context)
                check_windows_container(*container.security_context, path.child("securityContext"), errors);
        });
    } else {
        errors.add_not_supported(spec_path.child("os"), name, {"linux", "windows"});
    }
}

}  // namespace muster::api
