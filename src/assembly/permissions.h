// What a process beside a cluster may do there, and nothing else: one table. The start-up checks ask the server for
// each verb of it, and the RBAC objects that operators apply are printed from it.
// Invariant: a row is here because code of that part makes such a request. Writes are patches: no part updates whole
// objects.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// The parts of the process that are not controllers.
inline constexpr std::string_view kLeaderElectionPart = "leader-election";
inline constexpr std::string_view kWebhookPart = "webhook";
inline constexpr std::string_view kMetricsPart = "metrics";

// Where a permission holds.
enum class Reach {
    kCluster,  // objects without a namespace
    kWork,     // objects in the namespaces that are served: all, or one
    kHome,     // objects in the process's own namespace
    kOther,    // one object in a namespace that is another program's
};

struct Permission {
    std::string_view group;     // empty: the core group
    std::string_view resource;  // "jobs", "jobs/status"
    std::vector<std::string_view> verbs;
    Reach reach = Reach::kWork;
    std::vector<std::string_view> names{};  // of the objects; none: all. The first may be a placeholder, see below
    std::string_view namespace_{};          // with kOther
    bool optional = false;                  // without it a check is left out, and the work goes on
    bool operator==(const Permission&) const = default;
};

// In `names`: the lease that the process is told to use (--leader-elect-resource-name).
inline constexpr std::string_view kLeaseNamePlaceholder = "{lease}";

// The names that the webhook's own objects have in every installation.
inline constexpr std::string_view kWebhookName = "muster";
inline constexpr std::string_view kWebhookSecret = "muster-webhook-certificate";

// Kueue's own, as its manifests name them.
inline constexpr std::string_view kKueueLease = "c1f6bfd2.kueue.x-k8s.io";
inline constexpr std::string_view kKueueNamespace = "kueue-system";

// Of a controller by its name (job, cron-job, ttl, pod-ttl, queue) or of one of the parts above. Nothing for a name
// that does not run on a cluster.
const std::vector<Permission>& permissions_of(std::string_view part);

// All parts that have permissions, in the order of their names.
std::vector<std::string_view> permission_parts();

// Those of several parts together, without what changes anything when the process only observes.
std::vector<Permission> permissions_of(const std::set<std::string>& parts, bool observe);

}  // namespace muster
