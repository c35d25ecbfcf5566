// Rules of security contexts: users and groups, profiles, sysctls, host users.
#include <algorithm>

#include "api/validation/pod/pod_rules.h"

namespace muster::api {
namespace {

constexpr std::size_t kSysctlNameMax = 253;
constexpr std::size_t kProfileNameMax = 4095;

void check_seccomp(const Box<core::SeccompProfile>& profile, const FieldPath& path, FieldErrors& errors) {
    if (!profile) return;
    if (profile->type.empty()) {
        errors.add_required(path.child("type"), "type is required when seccompProfile is set");
    } else if (!is_one_of(profile->type, {"Localhost", "RuntimeDefault", "Unconfined"})) {
        errors.add_not_supported(path.child("type"), profile->type, {"Localhost", "RuntimeDefault", "Unconfined"});
    }
    const FieldPath at = path.child("localhostProfile");
    if (profile->type == "Localhost") {
        if (!profile->localhost_profile) {
            errors.add_required(at, "must be set when seccomp type is Localhost");
        } else {
            check_descending_path(*profile->localhost_profile, at, errors);
        }
    } else if (profile->localhost_profile) {
        errors.add_invalid(at, shown_json(*profile), "can only be set when seccomp type is Localhost");
    }
}

void check_app_armor_file(const std::optional<Text>& name, const FieldPath& path, FieldErrors& errors) {
    constexpr const char* kNeeded = "must be set when AppArmor type is Localhost";
    constexpr std::string_view kSpace = " \t\n\v\f\r";
    if (!name || name->empty()) return errors.add_required(path, kNeeded);
    if (kSpace.find(name->view().front()) != std::string_view::npos ||
        kSpace.find(name->view().back()) != std::string_view::npos)
        errors.add_invalid(path, *name, "must not be padded with whitespace");
    if (name->size() > kProfileNameMax) errors.add_too_long(path, kProfileNameMax);
}

void check_app_armor(const Box<core::AppArmorProfile>& profile, const FieldPath& path, FieldErrors& errors) {
    if (!profile) return;
    if (profile->type == "Localhost") {
        check_app_armor_file(profile->localhost_profile, path.child("localhostProfile"), errors);
    } else if (is_one_of(profile->type, {"RuntimeDefault", "Unconfined"})) {
        if (profile->localhost_profile)
            errors.add_invalid(path.child("localhostProfile"), *profile->localhost_profile,
                               "can only be set when AppArmor type is Localhost");
    } else if (profile->type.empty()) {
        errors.add_required(path.child("type"), "type is required when appArmorProfile is set");
    } else {
        errors.add_not_supported(path.child("type"), profile->type, {"Localhost", "RuntimeDefault", "Unconfined"});
    }
}

// Segments of small letters, digits, '-' and '_' that start and end with a letter or digit, joined by '.' or '/'.
bool is_sysctl_name(std::string_view name) {
    if (name.size() > kSysctlNameMax) return false;
    const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    while (true) {
        const std::size_t end = name.find_first_of("./");
        const std::string_view segment = name.substr(0, end);
        if (segment.empty() || !is_plain(segment.front()) || !is_plain(segment.back())) return false;
        if (!std::all_of(segment.begin(), segment.end(), [&](char c) { return is_plain(c) || c == '-' || c == '_'; }))
            return false;
        if (end == std::string_view::npos) return true;
        name.remove_prefix(end + 1);
    }
}

// Which namespace of the kernel a parameter belongs to. In net/ipv4/a.b the slashes separate, else the dots do.
bool is_of_namespace(std::string_view sysctl, bool network) {
    const std::size_t first = sysctl.find_first_of("./");
    const char separator = first == std::string_view::npos ? '.' : sysctl[first];
    const auto starts = [&](std::string_view area) {
        return sysctl.starts_with(area) && sysctl.size() > area.size() && sysctl[area.size()] == separator;
    };
    if (network) return starts("net");
    if (starts("fs")) return sysctl.substr(3).starts_with("mqueue") && sysctl.size() > 9 && sysctl[9] == separator;
    if (!starts("kernel")) return false;
    const std::string_view rest = sysctl.substr(7);
    return rest.starts_with("shm") || rest.starts_with("msg") || rest == "sem";
}

void check_sysctls(const core::PodSpec& spec, const FieldPath& path, FieldErrors& errors) {
    const List<core::Sysctl>& sysctls = spec.security_context->sysctls;
    for (std::size_t i = 0; i < sysctls.size(); ++i) {
        const Text& name = sysctls[i].name;
        const FieldPath at = path.index(i).child("name");
        if (name.empty()) {
            errors.add_required(at, "");
        } else if (!is_sysctl_name(name)) {
            errors.add_invalid(at, name,
                               "must have at most 253 characters and match regex "
                               "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$");
        } else if (std::any_of(sysctls.begin(), sysctls.begin() + i,
                               [&](const auto& earlier) { return earlier.name == name; })) {
            errors.add_duplicate(at, name);
        }
        if (spec.host_network && is_of_namespace(name, true)) {
            errors.add_invalid(at, name, "may not be specified when 'hostNetwork' is true");
        } else if (spec.host_ipc && is_of_namespace(name, false)) {
            errors.add_invalid(at, name, "may not be specified when 'hostIPC' is true");
        }
    }
}

void check_user(const std::optional<std::int64_t>& user, const FieldPath& path, FieldErrors& errors) {
    if (user) errors.add_problems(path, *user, is_user_id(*user));
}

void check_group(const std::optional<std::int64_t>& group, const FieldPath& path, FieldErrors& errors) {
    if (group) errors.add_problems(path, *group, is_group_id(*group));
}

}  // namespace

void check_security_context(const Box<core::SecurityContext>& context, bool shares_host_users, const FieldPath& path,
                            FieldErrors& errors) {
    if (!context) return;
    check_user(context->run_as_user, path.child("runAsUser"), errors);
    check_group(context->run_as_group, path.child("runAsGroup"), errors);
    if (context->proc_mount) {
        const FieldPath at = path.child("procMount");
        if (!is_one_of(*context->proc_mount, {"Default", "Unmasked"}))
            errors.add_not_supported(at, *context->proc_mount, {"Default", "Unmasked"});
        if (shares_host_users && *context->proc_mount == "Unmasked")
            errors.add_invalid(at, *context->proc_mount, "`hostUsers` must be false to use `Unmasked`");
    }
    check_seccomp(context->seccomp_profile, path.child("seccompProfile"), errors);
    if (!context->allow_privilege_escalation.value_or(true)) {
        if (context->privileged.value_or(false))
            errors.add_invalid(path, shown_json(*context),
                               "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
        if (context->capabilities)
            for (const Text& capability : context->capabilities->add)
                if (capability == "CAP_SYS_ADMIN")
                    errors.add_invalid(
                        path, shown_json(*context),
                        "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
    }
    check_windows_options(context->windows_options, path.child("windowsOptions"), errors);
    check_app_armor(context->app_armor_profile, path.child("appArmorProfile"), errors);
}

void check_pod_security_context(const core::PodSpec& spec, const FieldPath& spec_path, FieldErrors& errors) {
    const FieldPath path = spec_path.child("securityContext");
    if (spec.share_process_namespace.value_or(false) && spec.host_pid)
        errors.add_invalid(spec_path.child("shareProcessNamespace"), true,
                           "ShareProcessNamespace and HostPID cannot both be enabled");
    if (!spec.security_context) return;
    const core::PodSecurityContext& context = *spec.security_context;
    check_group(context.fs_group, path.child("fsGroup"), errors);
    check_user(context.run_as_user, path.child("runAsUser"), errors);
    check_group(context.run_as_group, path.child("runAsGroup"), errors);
    for (std::size_t i = 0; i < context.supplemental_groups.size(); ++i)
        check_group(context.supplemental_groups[i], path.child("supplementalGroups").index(i), errors);
    check_sysctls(spec, path.child("sysctls"), errors);
    if (context.fs_group_change_policy && !is_one_of(*context.fs_group_change_policy, {"Always", "OnRootMismatch"}))
        errors.add_not_supported(path.child("fsGroupChangePolicy"), *context.fs_group_change_policy,
                                 {"Always", "OnRootMismatch"});
    check_seccomp(context.seccomp_profile, path.child("seccompProfile"), errors);
    check_windows_options(context.windows_options, path.child("windowsOptions"), errors);
    check_app_armor(context.app_armor_profile, path.child("appArmorProfile"), errors);
    if (context.supplemental_groups_policy && !is_one_of(*context.supplemental_groups_policy, {"Merge", "Strict"}))
        errors.add_not_supported(path.child("supplementalGroupsPolicy"), *context.supplemental_groups_policy,
                                 {"Merge", "Strict"});
    if (context.se_linux_change_policy && !(*context.se_linux_change_policy == "Recursive"))
        errors.add_not_supported(path.child("seLinuxChangePolicy"), *context.se_linux_change_policy, {"Recursive"});
}

void check_host_users(const core::PodSpec& spec, const FieldPath& spec_path, FieldErrors& errors) {
    if (spec.host_users.value_or(true)) return;
    constexpr const char* kWhen = "when `hostUsers` is false";
    if (spec.host_network) errors.add_forbidden(spec_path.child("hostNetwork"), kWhen);
    if (spec.host_pid) errors.add_forbidden(spec_path.child("HostPID"), kWhen);
    if (spec.host_ipc) errors.add_forbidden(spec_path.child("HostIPC"), kWhen);
    for_each_container(spec, spec_path, [&](const core::Container& container, const FieldPath& path) {
        if (!container.volume_devices.empty()) errors.add_forbidden(path.child("volumeDevices"), kWhen);
    });
}

}  // namespace muster::api
