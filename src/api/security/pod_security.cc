#include "api/security/pod_security.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "api/security/checks.h"

namespace muster::api {
namespace {

using core::Container;
using core::Pod;
using core::PodSpec;
using security::Check;

// A check from a version of Kubernetes on, until the next row of the same name.
struct CheckRow {
    std::string_view name;
    SecurityLevel level;
    int minor;
    Check check;
    std::string_view replaces = {};  // a check of baseline that this one includes
};

constexpr SecurityLevel kBase = SecurityLevel::kBaseline;
constexpr SecurityLevel kStrict = SecurityLevel::kRestricted;

// In the order in which Kubernetes reports: baseline, then restricted, each by name.
constexpr CheckRow kChecks[] = {
    {"appArmorProfile", kBase, 0, security::app_armor_profile},
    {"capabilities_baseline", kBase, 0, security::added_capabilities},
    {"hostNamespaces", kBase, 0, security::host_namespaces},
    {"hostPathVolumes", kBase, 0, security::host_path_volumes},
    {"hostPorts", kBase, 0, security::host_ports},
    {"hostProbesAndHostLifecycle", kBase, 34, security::probe_hosts},
    {"privileged", kBase, 0, security::privileged},
    {"procMount", kBase, 0, security::proc_mount},
    {"procMount", kBase, 35, security::unless_own_users<security::proc_mount>},
    {"seLinuxOptions", kBase, 0, security::se_linux_1_0},
    {"seLinuxOptions", kBase, 31, security::se_linux_1_31},
    {"seccompProfile_baseline", kBase, 0, security::seccomp_annotations},
    {"seccompProfile_baseline", kBase, 19, security::seccomp_profile},
    {"sysctls", kBase, 0, security::sysctls_1_0},
    {"sysctls", kBase, 27, security::sysctls_1_27},
    {"sysctls", kBase, 29, security::sysctls_1_29},
    {"sysctls", kBase, 32, security::sysctls_1_32},
    {"sysctls", kBase, 37, security::sysctls_1_37},
    {"windowsHostProcess", kBase, 0, security::windows_host_process},
    {"allowPrivilegeEscalation", kStrict, 8, security::privilege_escalation},
    {"allowPrivilegeEscalation", kStrict, 25, security::unless_windows<security::privilege_escalation>},
    {"capabilities_restricted", kStrict, 22, security::dropped_capabilities, "capabilities_baseline"},
    {"capabilities_restricted", kStrict, 25, security::unless_windows<security::dropped_capabilities>,
     "capabilities_baseline"},
    {"procMount_restricted", kStrict, 35, security::proc_mount, "procMount"},
    {"restrictedVolumes", kStrict, 0, security::restricted_volumes, "hostPathVolumes"},
    {"runAsNonRoot", kStrict, 0, security::run_as_non_root},
    {"runAsNonRoot", kStrict, 35, security::unless_own_users<security::run_as_non_root>},
    {"runAsUser", kStrict, 23, security::run_as_user},
    {"runAsUser", kStrict, 35, security::unless_own_users<security::run_as_user>},
    {"seccompProfile_restricted", kStrict, 19, security::required_seccomp_profile, "seccompProfile_baseline"},
    {"seccompProfile_restricted", kStrict, 25, security::unless_windows<security::required_seccomp_profile>,
     "seccompProfile_baseline"},
};

// The row of its check that the version has.
bool is_in_force(const CheckRow& row, const SecurityPolicy& policy) {
    if (row.level > policy.level || row.minor > policy.minor) return false;
    const CheckRow* next = &row + 1;
    return next == std::end(kChecks) || next->name != row.name || next->minor > policy.minor;
}

bool is_replaced(const CheckRow& row, const SecurityPolicy& policy) {
    return std::any_of(std::begin(kChecks), std::end(kChecks),
                       [&](const CheckRow& other) { return other.replaces == row.name && is_in_force(other, policy); });
}

const char* name_of(SecurityLevel level) {
    switch (level) {
        case SecurityLevel::kPrivileged: return "privileged";
        case SecurityLevel::kBaseline: return "baseline";
        case SecurityLevel::kRestricted: return "restricted";
    }
    return "";
}

std::optional<SecurityLevel> parse_level(std::string_view text) {
    for (const SecurityLevel level : {SecurityLevel::kPrivileged, SecurityLevel::kBaseline, SecurityLevel::kRestricted})
        if (text == name_of(level)) return level;
    return std::nullopt;
}

// "latest", "v1.24"
std::optional<int> parse_minor(std::string_view text) {
    if (text == "latest") return SecurityPolicy::kLatest;
    if (!text.starts_with("v1.")) return std::nullopt;
    text.remove_prefix(3);
    if (text.empty() || (text.size() > 1 && text[0] == '0')) return std::nullopt;
    int minor = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), minor);
    if (error != std::errc() || end != text.data() + text.size() || text[0] == '-') return std::nullopt;
    return std::min(minor, SecurityPolicy::kLatest - 1);
}

// Reads one of the three modes. Gives whether a level is set and can be read.
bool parse_mode(const Map<Text>& labels, const char* level_label, const char* version_label, SecurityLevel instead,
                SecurityPolicy& policy, FieldErrors& errors) {
    const FieldPath path = FieldPath("metadata").child("labels");
    bool is_set = false;
    if (const Text* level = labels.find(level_label)) {
        const std::optional<SecurityLevel> parsed = parse_level(*level);
        if (!parsed)
            errors.add_invalid(path.key(level_label), *level, "must be one of privileged, baseline, restricted");
        policy.level = parsed.value_or(instead);
        is_set = parsed.has_value();
    }
    if (const Text* version = labels.find(version_label)) {
        const std::optional<int> parsed = parse_minor(*version);
        if (!parsed) errors.add_invalid(path.key(version_label), *version, "must be \"latest\" or \"v1.x\"");
        policy.minor = parsed.value_or(SecurityPolicy::kLatest);
    }
    return is_set;
}

constexpr const char* kEnforce = "pod-security.kubernetes.io/enforce";
constexpr const char* kEnforceVersion = "pod-security.kubernetes.io/enforce-version";
constexpr const char* kAudit = "pod-security.kubernetes.io/audit";
constexpr const char* kAuditVersion = "pod-security.kubernetes.io/audit-version";
constexpr const char* kWarn = "pod-security.kubernetes.io/warn";
constexpr const char* kWarnVersion = "pod-security.kubernetes.io/warn-version";

bool has_new_image(const List<Container>& now, const List<Container>& before) {
    if (now.size() != before.size()) return true;
    for (std::size_t i = 0; i < now.size(); ++i)
        if (!(now[i].image == before[i].image)) return true;
    return false;
}

// One pod of each owner first: its siblings are mostly like it.
std::vector<const Pod*> in_order_of_interest(const std::vector<const Pod*>& pods) {
    std::vector<const Pod*> first;
    std::vector<const Pod*> siblings;
    std::set<std::string_view> owners;
    for (const Pod* pod : pods) {
        const auto& references = pod->metadata.owner_references;
        const auto owner = std::find_if(references.begin(), references.end(),
                                        [](const meta::OwnerReference& one) { return one.controller.value_or(false); });
        const bool seen = owner != references.end() && !owners.insert(owner->uid.view()).second;
        (seen ? siblings : first).push_back(pod);
    }
    first.insert(first.end(), siblings.begin(), siblings.end());
    return first;
}

// The pods that are alike in what is wrong with them.
struct AlikePods {
    std::string_view first_name;
    std::size_t count = 0;

    void add(std::string_view name) {
        if (count == 0 || name < first_name) first_name = name;
        ++count;
    }
    std::string text() const {
        std::string out(first_name);
        if (count == 2) out += " (and 1 other pod)";
        if (count > 2) out += " (and " + std::to_string(count - 1) + " other pods)";
        return out;
    }
};

}  // namespace

std::string SecurityPolicy::text() const {
    const std::string version = minor == kLatest ? "latest" : "v1." + std::to_string(minor);
    return std::string(name_of(level)) + ":" + version;
}

NamespaceSecurity parse_security_labels(const Map<Text>& labels) {
    NamespaceSecurity out;
    const bool enforces =
        parse_mode(labels, kEnforce, kEnforceVersion, SecurityLevel::kRestricted, out.enforce, out.errors);
    parse_mode(labels, kAudit, kAuditVersion, SecurityLevel::kPrivileged, out.audit, out.errors);
    parse_mode(labels, kWarn, kWarnVersion, SecurityLevel::kPrivileged, out.warn, out.errors);
    // Templates are warned of what their pods would be refused for, unless the labels say what to warn of.
    if (!labels.contains(kWarn) && enforces && out.enforce.level > out.warn.level) {
        out.warn.level = out.enforce.level;
        if (!labels.contains(kWarnVersion)) out.warn.minor = out.enforce.minor;
    }
    return out;
}

SecurityFindings check_pod_security(const SecurityPolicy& policy, const meta::ObjectMeta& metadata,
                                    const PodSpec& spec) {
    SecurityFindings findings;
    if (policy.level == SecurityLevel::kPrivileged) return findings;
    for (const CheckRow& row : kChecks) {
        if (!is_in_force(row, policy) || is_replaced(row, policy)) continue;
        if (security::Finding finding = row.check(metadata, spec)) findings.push_back(*std::move(finding));
    }
    return findings;
}

std::string format_reasons(const SecurityFindings& findings) {
    std::string text;
    for (const SecurityFinding& finding : findings) text.append(text.empty() ? "" : ", ").append(finding.reason);
    return text;
}

std::string format_details(const SecurityFindings& findings) {
    std::string text;
    for (const SecurityFinding& finding : findings) {
        text.append(text.empty() ? "" : ", ").append(finding.reason);
        if (!finding.detail.empty()) text.append(" (").append(finding.detail).append(")");
    }
    return text;
}

bool is_security_update(const PodSpec& now, const PodSpec& before) {
    if (has_new_image(now.containers, before.containers) || has_new_image(now.init_containers, before.init_containers))
        return true;
    return std::any_of(now.ephemeral_containers.begin(), now.ephemeral_containers.end(), [&](const auto& added) {
        const auto& old = before.ephemeral_containers;
        const auto found = std::find_if(old.begin(), old.end(), [&](const core::EphemeralContainer& one) {
            return one.container.name == added.container.name;
        });
        return found == old.end() || !(found->container.image == added.container.image);
    });
}

std::vector<std::string> check_standing_pods(const SecurityPolicy& policy, std::string_view namespace_,
                                             const std::vector<const Pod*>& pods) {
    std::vector<const Pod*> checked = in_order_of_interest(pods);
    checked.resize(std::min(checked.size(), kSecurityPodsMax));
    std::map<std::string, AlikePods> violations;
    for (const Pod* pod : checked)
        if (const SecurityFindings findings = check_pod_security(policy, pod->metadata, pod->spec); !findings.empty())
            violations[format_reasons(findings)].add(pod->metadata.name);
    std::vector<std::string> warnings;
    if (checked.size() < pods.size())
        warnings.push_back("new PodSecurity enforce level only checked against the first " +
                           std::to_string(checked.size()) + " of " + std::to_string(pods.size()) + " existing pods");
    if (violations.empty()) return warnings;
    warnings.push_back("existing pods in namespace \"" + std::string(namespace_) +
                       "\" violate the new PodSecurity enforce level \"" + policy.text() + "\"");
    const std::size_t begin = warnings.size();
    for (const auto& [reasons, alike] : violations) warnings.push_back(alike.text() + ": " + reasons);
    std::sort(warnings.begin() + static_cast<std::ptrdiff_t>(begin), warnings.end());
    return warnings;
}

}  // namespace muster::api
