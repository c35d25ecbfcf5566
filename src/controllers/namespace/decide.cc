#include "controllers/namespace/decide.h"

#include <algorithm>

#include "api/kinds/batch_names.h"
#include "api/kinds/conditions.h"
#include "api/kinds/core/pod_phase.h"

namespace muster::controllers {
namespace {

using api::core::Namespace;
using api::core::NamespaceStatus;

// A guess of how long finalizers take. It only limits the time between two checks.
constexpr std::int64_t kFinalizerSeconds = 15;
constexpr Duration kFirstLook = 50ms;

struct Finding {
    const char* type;
    const char* fine_reason;
    const char* fine_message;
    const char* bad_reason;
    std::string bad_message{};  // empty: fine
};

std::string join_sorted(std::vector<std::string> parts) {
    std::sort(parts.begin(), parts.end());
    std::string joined;
    for (const std::string& part : parts) joined.append(joined.empty() ? "" : ", ").append(part);
    return joined;
}

std::string resource_name(const api::KindInfo& kind) { return std::string(kind.options.plural) + "." + kind.group; }

std::string describe_remaining(const std::vector<RemainingContent>& content) {
    std::vector<std::string> parts;
    for (const RemainingContent& left : content)
        if (left.count > 0)
            parts.push_back(resource_name(*left.kind) + " has " + std::to_string(left.count) + " resource instances");
    return parts.empty() ? "" : "Some resources are remaining: " + join_sorted(std::move(parts));
}

std::string describe_finalizers(const std::vector<RemainingContent>& content) {
    std::map<Text, std::int64_t> totals;
    for (const RemainingContent& left : content)
        for (const auto& [finalizer, count] : left.finalizers) totals[finalizer] += count;
    std::vector<std::string> parts;
    parts.reserve(totals.size());
    for (const auto& [finalizer, count] : totals)
        parts.push_back(finalizer + " in " + std::to_string(count) + " resource instances");
    return parts.empty() ? ""
                         : "Some content in the namespace has finalizers remaining: " + join_sorted(std::move(parts));
}

std::string describe_failures(const std::vector<std::string>& failures) {
    if (failures.empty()) return "";
    return "Failed to delete all resource types, " + std::to_string(failures.size()) +
           " remaining: " + join_sorted(failures);
}

void set_condition(NamespaceStatus& status, const Finding& finding, Instant now) {
    const bool fine = finding.bad_message.empty();
    api::set_condition(status.conditions,
                       {finding.type, api::condition_status(!fine), fine ? finding.fine_reason : finding.bad_reason,
                        fine ? finding.fine_message : finding.bad_message},
                       api::Time::from_instant(now));
}

// How long the remaining objects are expected to stay: for their grace period, or for a finalizer. Zero: no reason to
// stay is known.
std::int64_t expected_seconds(const RemainingContent& left, const NamespaceView& view) {
    const Instant deleted_at = view.namespace_.metadata.deletion_timestamp->instant();
    if (view.now < deleted_at + std::chrono::seconds(left.grace_seconds)) return left.grace_seconds;
    return left.finalizers.empty() ? 0 : kFinalizerSeconds;
}

std::string unexpected(const RemainingContent& left, const Namespace& namespace_) {
    return "unexpected items still remain in namespace: " + namespace_.metadata.name.str() +
           " for gvr: " + left.kind->group + "/" + left.kind->version + ", Resource=" + left.kind->options.plural;
}

// Often at first, as most content goes at once; never more seldom than half of what it is thought to take.
Duration look_again_after(int attempt, std::int64_t expected) {
    const Duration longest = seconds_sat(expected / 2 + 1);
    return std::min(longest, kFirstLook * (1 << std::min(attempt, 12)));
}

}  // namespace

bool needs_emptying(const Namespace& namespace_) {
    const auto& finalizers = namespace_.spec.finalizers;
    return namespace_.metadata.deletion_timestamp &&
           std::find(finalizers.begin(), finalizers.end(), Text(kNamespaceFinalizer)) != finalizers.end();
}

bool is_awaited(const api::core::Pod& pod) {
    const auto& finalizers = pod.metadata.finalizers;
    const bool only_tracked =
        !finalizers.empty() && std::all_of(finalizers.begin(), finalizers.end(),
                                           [](const Text& held) { return held == api::batch::kTrackingFinalizer; });
    return !(has_ended(pod) && only_tracked);
}

NamespacePlan decide_namespace(const NamespaceView& view) {
    std::vector<std::string> failures;
    std::int64_t expected = 0;
    bool remains = !view.complete;
    for (const RemainingContent& left : view.content) {
        if (left.failure) failures.push_back(*left.failure);
        if (left.count == 0) continue;
        remains = true;
        const std::int64_t seconds = expected_seconds(left, view);
        if (seconds == 0 && !left.failure) failures.push_back(unexpected(left, view.namespace_));
        expected = std::max(expected, seconds);
    }

    NamespacePlan plan;
    NamespaceStatus status = view.namespace_.status;
    status.phase = "Terminating";
    const Finding findings[] = {
        {"NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered", ""},
        {"NamespaceDeletionGroupVersionParsingFailure", "ParsedGroupVersions",
         "All legacy kube types successfully parsed", ""},
        {"NamespaceDeletionContentFailure", "ContentDeleted",
         "All content successfully deleted, may be waiting on finalization", "ContentDeletionFailed",
         describe_failures(failures)},
        {"NamespaceContentRemaining", "ContentRemoved", "All content successfully removed", "SomeResourcesRemain",
         describe_remaining(view.content)},
        {"NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished",
         "SomeFinalizersRemain", describe_finalizers(view.content)},
    };
    for (const Finding& finding : findings) set_condition(status, finding, view.now);
    if (!(status == view.namespace_.status)) plan.status = std::move(status);

    plan.failed = !failures.empty();
    if (plan.failed) return plan;
    if (remains) {
        plan.again_after = look_again_after(view.attempt, expected);
        return plan;
    }
    plan.finalized = view.namespace_.spec;
    auto& finalizers = plan.finalized->finalizers.edit();
    finalizers.erase(std::remove(finalizers.begin(), finalizers.end(), Text(kNamespaceFinalizer)), finalizers.end());
    return plan;
}

}  // namespace muster::controllers
