// Pod Security: which pods a namespace allows, by its labels pod-security.kubernetes.io/{enforce,audit,warn}[-version].
// The levels, versions, checks and sentences are those of Kubernetes' Pod Security admission. Pure; the server's
// admission asks (server/objects/security_admission.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/kinds/core/pod.h"
#include "api/validation/rules/field_errors.h"

namespace muster::api {

// In the order of strictness.
enum class SecurityLevel { kPrivileged, kBaseline, kRestricted };

// A level as a version of Kubernetes defines it.
struct SecurityPolicy {
    static constexpr int kLatest = 1'000'000;
    SecurityLevel level = SecurityLevel::kPrivileged;
    int minor = kLatest;  // of version 1

    std::string text() const;  // "restricted:latest", "baseline:v1.24"
    bool operator==(const SecurityPolicy&) const = default;
};

struct NamespaceSecurity {
    SecurityPolicy enforce{};
    SecurityPolicy audit{};
    SecurityPolicy warn{};
    // Labels that cannot be read: what is enforced is then restricted, what is noted or warned of nothing.
    FieldErrors errors{};
};

// What a namespace's labels say.
NamespaceSecurity parse_security_labels(const Map<Text>& labels);

// What one check found wrong: why, and where.
struct SecurityFinding {
    std::string reason;
    std::string detail;
    bool operator==(const SecurityFinding&) const = default;
};
using SecurityFindings = std::vector<SecurityFinding>;

// Every check of the policy that the pod does not pass, in Kubernetes' order.
SecurityFindings check_pod_security(const SecurityPolicy& policy, const meta::ObjectMeta& metadata,
                                    const core::PodSpec& spec);

std::string format_reasons(const SecurityFindings& findings);  // "hostPort, privileged"
std::string format_details(const SecurityFindings& findings);  // "hostPort (container \"c\" uses hostPort 80), …"

// Whether an update of a pod is looked at: only new images matter, as nothing else of interest can change.
bool is_security_update(const core::PodSpec& now, const core::PodSpec& before);

// What the pods that stand say about a new policy for their namespace, as warnings.
inline constexpr std::size_t kSecurityPodsMax = 3000;
std::vector<std::string> check_standing_pods(const SecurityPolicy& policy, std::string_view namespace_,
                                             const std::vector<const core::Pod*>& pods);

}  // namespace muster::api
