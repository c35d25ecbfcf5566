#include "node/process/refusal.h"

#include "node/identity/identity.h"
#include "node/pods/probe_state.h"

namespace muster::node {
namespace {

using api::core::Container;
using api::core::Pod;

Error refusal(std::string message) { return {Code::kInvalid, std::move(message)}; }

std::string in_pod(const Pod& pod, const Container& container) {
    return " (pod: \"" + pod.metadata.name.str() + '_' + pod.metadata.namespace_.str() + '(' + pod.metadata.uid.str() +
           ")\", container: " + container.name.str() + ')';
}

Result<void> check_own(const char* field, const std::optional<std::int64_t>& wanted, std::int64_t ours) {
    if (!wanted || *wanted == ours) return {};
    return refusal(std::string(field) + ' ' + std::to_string(*wanted) +
                   " cannot be had: processes of this node run as " + std::to_string(ours));
}

// An ordinary user can start processes only as itself, and only with rights that it has.
Result<void> check_ordinary(const Pod& pod, const Container& container, std::int64_t user_id, std::int64_t group_id) {
    const api::core::PodSecurityContext none_of_pod;
    const api::core::SecurityContext none;
    const auto& of_pod = pod.spec.security_context ? *pod.spec.security_context : none_of_pod;
    const auto& own = container.security_context ? *container.security_context : none;
    TRY(check_own("runAsUser", wanted_user(pod, container), user_id));
    TRY(check_own("runAsGroup", own.run_as_group ? own.run_as_group : of_pod.run_as_group, group_id));
    TRY(check_own("fsGroup", of_pod.fs_group, group_id));
    for (const std::int64_t group : of_pod.supplemental_groups) TRY(check_own("supplementalGroups", group, group_id));
    if (own.privileged.value_or(false))
        return refusal("privileged cannot be had: pods of this node do not run as root");
    if (own.capabilities && !own.capabilities->add.empty())
        return refusal("capability " + own.capabilities->add[0].str() +
                       " cannot be had: pods of this node do not run as root");
    return {};
}

}  // namespace

Result<void> check_supported(const Pod& pod, const Container& container, std::int64_t user_id, std::int64_t group_id) {
    if (user_id != 0) TRY(check_ordinary(pod, container, user_id, group_id));
    const auto wanted = wanted_user(pod, container);
    std::optional<bool> non_root;
    if (container.security_context) non_root = container.security_context->run_as_non_root;
    if (!non_root && pod.spec.security_context) non_root = pod.spec.security_context->run_as_non_root;
    if (non_root.value_or(false) && wanted == 0)
        return refusal("container's runAsUser breaks non-root policy" + in_pod(pod, container));
    if (non_root.value_or(false) && wanted.value_or(user_id) == 0)
        return refusal("container has runAsNonRoot and image will run as root" + in_pod(pod, container));
    if (container.security_context && container.security_context->capabilities)
        TRY(kept_capabilities(*container.security_context->capabilities));
    TRY(check_probes(container));
    if (!container.volume_devices.empty())
        return refusal("device \"" + container.volume_devices[0].name.str() +
                       "\" cannot be had: this node has no block volumes");
    return {};
}

}  // namespace muster::node
