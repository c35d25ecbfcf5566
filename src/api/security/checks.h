// The checks of Pod Security, one function each, and the table that says from which version of Kubernetes on a check is
// part of which level. Only this folder includes this.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/security/pod_security.h"

namespace muster::api::security {

using Finding = std::optional<SecurityFinding>;
using Check = Finding (*)(const meta::ObjectMeta& metadata, const core::PodSpec& spec);

// baseline.cc
Finding app_armor_profile(const meta::ObjectMeta& metadata, const core::PodSpec& spec);
Finding added_capabilities(const meta::ObjectMeta& metadata, const core::PodSpec& spec);
Finding host_namespaces(const meta::ObjectMeta& metadata, const core::PodSpec& spec);
Finding host_path_volumes(const meta::ObjectMeta& metadata, const core::PodSpec& spec);
Finding host_ports(const meta::ObjectMeta& metadata, const core::PodSpec& spec);
Finding probe_hosts(const meta::ObjectMeta& metadata, const core::PodSpec& spec);
Finding privileged(const meta::ObjectMeta& metadata, const core::PodSpec& spec);
Finding proc_mount(const meta::ObjectMeta& metadata, const core::PodSpec& spec);
Finding se_linux_1_0(const meta::ObjectMeta& metadata, const core::PodSpec& spec);
Finding se_linux_1_31(const meta::ObjectMeta& metadata, const core::PodSpec& spec);
Finding seccomp_annotations(const meta::ObjectMeta& metadata, const core::PodSpec& spec);
Finding seccomp_profile(const meta::ObjectMeta& metadata, const core::PodSpec& spec);
Finding sysctls_1_0(const meta::ObjectMeta& metadata, const core::PodSpec& spec);
Finding sysctls_1_27(const meta::ObjectMeta& metadata, const core::PodSpec& spec);
Finding sysctls_1_29(const meta::ObjectMeta& metadata, const core::PodSpec& spec);
Finding sysctls_1_32(const meta::ObjectMeta& metadata, const core::PodSpec& spec);
Finding sysctls_1_37(const meta::ObjectMeta& metadata, const core::PodSpec& spec);
Finding windows_host_process(const meta::ObjectMeta& metadata, const core::PodSpec& spec);

// restricted.cc
Finding privilege_escalation(const meta::ObjectMeta& metadata, const core::PodSpec& spec);
Finding dropped_capabilities(const meta::ObjectMeta& metadata, const core::PodSpec& spec);
Finding restricted_volumes(const meta::ObjectMeta& metadata, const core::PodSpec& spec);
Finding run_as_non_root(const meta::ObjectMeta& metadata, const core::PodSpec& spec);
Finding run_as_user(const meta::ObjectMeta& metadata, const core::PodSpec& spec);
Finding required_seccomp_profile(const meta::ObjectMeta& metadata, const core::PodSpec& spec);

// Windows pods cannot state some fields, and pods with a user namespace of their own may be root in it.
template <Check check>
Finding unless_windows(const meta::ObjectMeta& metadata, const core::PodSpec& spec) {
    return spec.os && spec.os->name == "windows" ? std::nullopt : check(metadata, spec);
}
template <Check check>
Finding unless_own_users(const meta::ObjectMeta& metadata, const core::PodSpec& spec) {
    return spec.host_users && !*spec.host_users ? std::nullopt : check(metadata, spec);
}

// Init containers, containers, ephemeral containers: the order of the sentences.
template <class Visit>
void visit_containers(const core::PodSpec& spec, Visit visit) {
    for (const core::Container& container : spec.init_containers) visit(container);
    for (const core::Container& container : spec.containers) visit(container);
    for (const core::EphemeralContainer& added : spec.ephemeral_containers) visit(added.container);
}
// Those with security settings of their own.
template <class Visit>
void visit_contexts(const core::PodSpec& spec, Visit visit) {
    visit_containers(spec, [&](const core::Container& container) {
        if (container.security_context) visit(container.name.view(), *container.security_context);
    });
}

using Names = std::vector<std::string_view>;
using NameSet = std::set<std::string_view>;

std::string join_quoted(const Names& names);  // "a", "b"
std::string join_quoted(const NameSet& names);
std::string join_plain(const Names& names, std::string_view between);
inline const char* plural(const char* one, const char* many, std::size_t count) { return count == 1 ? one : many; }
std::string containers_named(const Names& names);  // containers "a", "b"
// "pod and container \"c\"": who set something.
std::string setters(bool pod, const Names& containers);

}  // namespace muster::api::security
