// How queueing works in this cluster, as controllers use it: what `muster up --config FILE` says, checked and with
// everything filled in. Without a file it is as it stands here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/selector/label_selector.h"
#include "base/instant.h"
#include "base/result.h"
#include "base/text.h"

namespace muster::api::kueue {

// Takes back the quota of workloads whose pods do not become ready.
struct PodsReadyRules {
    Duration timeout{};
    // Since pods that were ready are no longer; nothing when they may take for ever.
    std::optional<Duration> recovery_timeout{};
    bool block_admission = false;     // no workload is admitted while pods of an admitted one are not ready
    bool requeue_by_eviction = true;  // its place in the queue: by the time of its eviction, else of its creation
    std::optional<int> backoff_limit_count{};  // then it is deactivated
    int backoff_base_seconds = 60;             // base × 2^(n-1), and at most …
    int backoff_max_seconds = 3600;
    bool operator==(const PodsReadyRules&) const = default;
};

enum class FairPreemption { kLessThanOrEqualToFinalShare, kLessThanInitialShare };

struct FairSharingRules {
    std::vector<FairPreemption> strategies{};  // one or two, in the order in which they are tried
    bool operator==(const FairSharingRules&) const = default;
};

struct QueueConfiguration {
    bool jobs = true;  // integrations.frameworks has batch/job
    bool pods = true;  // … has pod
    bool manage_jobs_without_queue_name = false;
    // By default all but kube-system and kueue-system.
    LabelSelector managed_jobs_namespace_selector = default_namespaces();
    LabelSelector pod_namespace_selector{};  // podOptions: both select everything by default
    LabelSelector pod_selector{};
    std::vector<Text> label_keys_to_copy{};
    std::optional<PodsReadyRules> wait_for_pods_ready{};
    std::optional<FairSharingRules> fair_sharing{};
    bool operator==(const QueueConfiguration&) const = default;

    static LabelSelector default_namespaces();
};

// Reads the file's text: strictly, so that every field that is unknown, misplaced, wrong or not supported is an error
// that names it with its path. What only tells how Kueue itself is set up is accepted and listed in `notes`.
Result<QueueConfiguration> parse_queue_configuration(std::string_view yaml, std::vector<std::string>* notes = nullptr);

}  // namespace muster::api::kueue
