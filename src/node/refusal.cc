#include "node/refusal.h"

namespace muster::node {
namespace {

using api::core::Container;
using api::core::Pod;

Error refusal(std::string message) { return {Code::kInvalid, std::move(message)}; }

Result<void> check_identity(const char* field, const std::optional<std::int64_t>& of_container,
                            const std::optional<std::int64_t>& of_pod, std::int64_t ours) {
    const auto& wanted = of_container ? of_container : of_pod;
    if (!wanted || *wanted == ours) return {};
    return refusal(std::string(field) + ' ' + std::to_string(*wanted) +
                   " cannot be had: processes of this node run as " + std::to_string(ours));
}

}  // namespace

Result<void> check_supported(const Pod& pod, const Container& container, std::int64_t user_id) {
    const api::core::PodSecurityContext none_of_pod;
    const api::core::SecurityContext none;
    const auto& of_pod = pod.spec.security_context ? *pod.spec.security_context : none_of_pod;
    const auto& own = container.security_context ? *container.security_context : none;
    TRY(check_identity("runAsUser", own.run_as_user, of_pod.run_as_user, user_id));
    TRY(check_identity("runAsGroup", own.run_as_group, of_pod.run_as_group, user_id));
    const bool non_root = own.run_as_non_root.value_or(of_pod.run_as_non_root.value_or(false));
    if (non_root && user_id == 0) return refusal("container has runAsNonRoot and image will run as root");
    if (!container.volume_mounts.empty())
        return refusal("volume \"" + container.volume_mounts.front().name.str() +
                       "\" cannot be mounted: this node runs processes in the machine's own file system");
    return {};
}

}  // namespace muster::node
