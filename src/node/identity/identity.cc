#include "node/identity/identity.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/ascii.h"

namespace muster::node {
namespace {

using api::core::Container;
using api::core::Pod;

constexpr std::uint64_t kEvery = ~std::uint64_t{0};

// In the kernel's order: a capability's place is its bit.
constexpr std::string_view kCapabilityNames[] = {
    "chown",
    "dac_override",
    "dac_read_search",
    "fowner",
    "fsetid",
    "kill",
    "setgid",
    "setuid",
    "setpcap",
    "linux_immutable",
    "net_bind_service",
    "net_broadcast",
    "net_admin",
    "net_raw",
    "ipc_lock",
    "ipc_owner",
    "sys_module",
    "sys_rawio",
    "sys_chroot",
    "sys_ptrace",
    "sys_pacct",
    "sys_admin",
    "sys_boot",
    "sys_nice",
    "sys_resource",
    "sys_time",
    "sys_tty_config",
    "mknod",
    "lease",
    "audit_write",
    "audit_control",
    "setfcap",
    "mac_override",
    "mac_admin",
    "syslog",
    "wake_alarm",
    "block_suspend",
    "audit_read",
    "perfmon",
    "bpf",
    "checkpoint_restore",
};

// One bit, or all of them.
Result<std::uint64_t> capability_bits(std::string_view name) {
    std::string low = lower(name);
    if (low == "all") return kEvery;
    if (low.starts_with("cap_")) low.erase(0, 4);
    const auto* found = std::find(std::begin(kCapabilityNames), std::end(kCapabilityNames), low);
    if (found == std::end(kCapabilityNames))
        return Error{Code::kInvalid, "there is no capability " + std::string(name)};
    return std::uint64_t{1} << (found - std::begin(kCapabilityNames));
}

std::optional<std::int64_t> wanted_group(const Pod& pod, const Container& container) {
    if (container.security_context && container.security_context->run_as_group)
        return container.security_context->run_as_group;
    return pod.spec.security_context ? pod.spec.security_context->run_as_group : std::nullopt;
}

std::vector<std::uint32_t> further_groups(const Pod& pod) {
    std::vector<std::uint32_t> groups;
    if (!pod.spec.security_context) return groups;
    const auto& context = *pod.spec.security_context;
    for (const std::int64_t group : context.supplemental_groups) groups.push_back(static_cast<std::uint32_t>(group));
    if (context.fs_group) groups.push_back(static_cast<std::uint32_t>(*context.fs_group));
    return groups;
}

bool merges_image_groups(const Pod& pod) {
    const auto& context = pod.spec.security_context;
    return !context || !context->supplemental_groups_policy || !(*context->supplemental_groups_policy == "Strict");
}

}  // namespace

std::optional<std::int64_t> wanted_user(const Pod& pod, const Container& container) {
    if (container.security_context && container.security_context->run_as_user)
        return container.security_context->run_as_user;
    return pod.spec.security_context ? pod.spec.security_context->run_as_user : std::nullopt;
}

Result<std::uint64_t> kept_capabilities(const api::core::Capabilities& capabilities) {
    std::uint64_t kept = kEvery;
    for (const Text& name : capabilities.drop) {
        TRY_ASSIGN(const std::uint64_t bits, capability_bits(name));
        kept &= ~bits;
    }
    for (const Text& name : capabilities.add) {
        TRY_ASSIGN(const std::uint64_t bits, capability_bits(name));
        kept |= bits;
    }
    return kept;
}

os::SetupSteps identity_steps(const Pod& pod, const Container& container, const IdentityFacts& facts) {
    os::SetupSteps steps;
    const auto& context = container.security_context;
    const bool privileged = context && context->privileged.value_or(false);
    const std::vector<std::uint32_t> none;
    if (facts.user == 0) {
        if (context && context->capabilities && !privileged)
            if (const auto kept = kept_capabilities(*context->capabilities); kept.ok() && *kept != kEvery)
                steps.push_back(os::setup::capabilities(*kept));
        const auto user = wanted_user(pod, container);
        const auto group = wanted_group(pod, container);
        std::vector<std::uint32_t> groups = further_groups(pod);
        for (const std::uint32_t group_of_image : merges_image_groups(pod) ? facts.image_groups : none)
            if (std::find(groups.begin(), groups.end(), group_of_image) == groups.end())
                groups.push_back(group_of_image);
        if (user || group || !groups.empty()) steps.push_back(os::setup::groups(std::move(groups)));
        if (user || group) steps.push_back(os::setup::group(group.value_or(facts.primary_group)));
        if (user) steps.push_back(os::setup::user(*user));
    }
    if (context && !context->allow_privilege_escalation.value_or(true)) steps.push_back(os::setup::no_new_privileges());
    return steps;
}

}  // namespace muster::node
