// What must hold of a cluster before controllers start beside it. Pure decisions: start_checks.h asks the server and
// tells the answers to these. An Error is kBadRequest with a sentence for the operator.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/kinds/authorization.h"
#include "api/kinds/coordination.h"
#include "assembly/permissions.h"
#include "base/instant.h"
#include "base/result.h"

namespace muster {

struct ServerVersion {
    int major = 0;
    int minor = 0;
    bool operator==(const ServerVersion&) const = default;
};

// What a server answers to /version. Minor versions of some vendors end with a plus sign.
Result<ServerVersion> parse_server_version(std::string_view json);
// Older servers drop spec.managedBy without a word, and accept statuses of Jobs by other rules.
Result<> check_server_version(const ServerVersion& version);

// The questions about rights that a process has to ask, one for each verb of each object.
struct AccessScope {
    std::string namespace_{};  // that is served; empty: all
    std::string home{};        // the process's own namespace
    std::string lease{};       // the lease's name
};
struct AccessQuestion {
    api::authorization::ResourceAttributes attributes;
    bool optional = false;
    bool operator==(const AccessQuestion&) const = default;
};
std::vector<AccessQuestion> access_questions(const std::vector<Permission>& permissions, const AccessScope& scope);
// "create pods in all namespaces"
std::string describe_access(const AccessQuestion& question);
// One error that lists them all.
Result<> check_access_answers(const std::vector<AccessQuestion>& refused);

// The resources of Kueue's group that queueing uses and that are not among those of a discovery document
// (/apis/kueue.x-k8s.io/v1beta2); all when the server has no such group (nothing).
std::vector<std::string> missing_queue_resources(const std::optional<std::string>& discovery);
Result<> check_queue_resources(const std::vector<std::string>& missing);

// Signs of a Kueue that is at work.
struct KueueSigns {
    std::optional<api::coordination::Lease> lease{};
    std::vector<std::string> webhooks{};  // configurations that are there
};
// Two programs that admit the same Workloads would give quota twice.
Result<> check_no_kueue(const KueueSigns& signs, Instant now, bool force);

}  // namespace muster
