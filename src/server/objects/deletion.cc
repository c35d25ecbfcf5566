#include "server/objects/deletion.h"

#include <algorithm>

#include "api/defaults/generation.h"
#include "api/validation/rules/field_errors.h"

namespace muster::server {
namespace {

using api::FieldErrors;
using api::FieldPath;
using api::GraceRules;
using api::meta::DeleteOptions;
using api::meta::ObjectMeta;

Error precondition_failed(const api::KindInfo& kind, const ObjectMeta& metadata, std::string_view what,
                          std::string_view wanted, std::string_view found, std::string_view perhaps) {
    std::string message = "Operation cannot be fulfilled on ";
    message.append(kind.kind).append(*kind.group ? "." : "").append(kind.group);
    message.append(" \"").append(metadata.name).append("\": the ").append(what).append(" in the precondition (");
    message.append(wanted).append(") does not match the ").append(what).append(" in record (").append(found);
    message.append("). The object might have been ").append(perhaps);
    return {Code::kConflict, std::move(message), {}, {metadata.name.str(), kind.group, kind.kind}};
}

Result<> check_preconditions(const api::KindInfo& kind, const ObjectMeta& metadata, const DeleteOptions& options) {
    const auto* preconditions = options.preconditions.get();
    if (!preconditions) return {};
    if (preconditions->uid && !(*preconditions->uid == metadata.uid))
        return precondition_failed(kind, metadata, "UID", *preconditions->uid, metadata.uid,
                                   "deleted and then recreated");
    if (preconditions->resource_version && !(*preconditions->resource_version == metadata.resource_version))
        return precondition_failed(kind, metadata, "ResourceVersion", *preconditions->resource_version,
                                   metadata.resource_version, "modified");
    return {};
}

void erase_finalizer(ObjectMeta& metadata, std::string_view finalizer) {
    const auto is_it = [&](const Text& held) { return held == finalizer; };
    if (std::none_of(metadata.finalizers.begin(), metadata.finalizers.end(), is_it)) return;
    auto& finalizers = metadata.finalizers.edit();
    finalizers.erase(std::remove_if(finalizers.begin(), finalizers.end(), is_it), finalizers.end());
}

// What happens to dependents: the caller's word, else what an earlier delete left on the object, else the kind's way.
enum class Dependents { kOrphan, kForeground, kBackground };

bool has_finalizer(const ObjectMeta& metadata, std::string_view finalizer) {
    return std::any_of(metadata.finalizers.begin(), metadata.finalizers.end(),
                       [&](const Text& held) { return held == finalizer; });
}

Dependents dependents_of(const api::KindInfo& kind, const ObjectMeta& metadata, const DeleteOptions& options,
                         bool& by_default) {
    if (options.orphan_dependents) return *options.orphan_dependents ? Dependents::kOrphan : Dependents::kBackground;
    if (options.propagation_policy) {
        if (*options.propagation_policy == "Orphan") return Dependents::kOrphan;
        if (*options.propagation_policy == "Foreground") return Dependents::kForeground;
        return Dependents::kBackground;
    }
    if (has_finalizer(metadata, kOrphanFinalizer)) return Dependents::kOrphan;
    if (has_finalizer(metadata, kForegroundFinalizer)) return Dependents::kForeground;
    if (kind.options.keeps_dependents) {
        by_default = true;
        return Dependents::kOrphan;
    }
    return Dependents::kBackground;
}

void set_dependents(ObjectMeta& metadata, Dependents dependents) {
    const bool orphan = dependents == Dependents::kOrphan;
    const bool foreground = dependents == Dependents::kForeground;
    if (orphan == has_finalizer(metadata, kOrphanFinalizer) &&
        foreground == has_finalizer(metadata, kForegroundFinalizer))
        return;
    erase_finalizer(metadata, kOrphanFinalizer);
    erase_finalizer(metadata, kForegroundFinalizer);
    if (orphan) metadata.finalizers.edit().push_back(kOrphanFinalizer);
    if (foreground) metadata.finalizers.edit().push_back(kForegroundFinalizer);
}

// The first sign that the object goes is a change of what is wanted of it.
void begin(ObjectMeta& metadata, Instant at, std::int64_t grace_seconds) {
    if (!metadata.deletion_timestamp && metadata.generation > 0) api::raise_generation(metadata);
    if (!metadata.deletion_timestamp || at < metadata.deletion_timestamp->instant())
        metadata.deletion_timestamp = api::Time::from_instant(at);
    metadata.deletion_grace_period_seconds = grace_seconds;
}

// Any number of seconds is allowed; what is written as a time is at most a hundred years from now.
Duration span_of_grace(std::int64_t seconds) {
    constexpr std::int64_t kMost = std::int64_t{100} * 365 * 24 * 3600;
    return std::chrono::seconds(std::min(seconds, kMost));
}

enum class Grace { kNone, kBegins, kShortened, kPending };

Grace apply_grace(ObjectMeta& metadata, const GraceRules& rules, std::optional<std::int64_t> asked, Instant now) {
    if (!rules.graceful) return Grace::kNone;
    if (asked && *asked < 0) asked = 1;
    if (metadata.deletion_timestamp) {
        const std::int64_t given = metadata.deletion_grace_period_seconds.value_or(0);
        if (given == 0) return Grace::kNone;
        if (!asked || *asked >= given) return Grace::kPending;
        Instant due = metadata.deletion_timestamp->instant() - (span_of_grace(given) - span_of_grace(*asked));
        std::int64_t period = *asked;
        if (due < now) {
            due = now;
            if (period != 0) period = 1;  // the node still stops the pod
        }
        metadata.deletion_timestamp = api::Time::from_instant(due);
        metadata.deletion_grace_period_seconds = period;
        return Grace::kShortened;
    }
    std::int64_t period = asked.value_or(rules.default_seconds);
    if (rules.at_once) period = 0;
    if (period < 0) period = 1;
    begin(metadata, now + span_of_grace(period), period);
    return Grace::kBegins;
}

// To delete what cannot be read says nothing of how: nothing is known of the object.
void check_unread_delete(const DeleteOptions& options, Deletes deletes, FieldErrors& errors) {
    if (!options.ignore_store_read_error_with_cluster_breaking_potential.value_or(false)) return;
    const struct {
        bool is_set;
        const char* why;
    } cases[] = {
        {deletes == Deletes::kMany, "is not allowed with DELETECOLLECTION, try again after removing the option"},
        {!options.dry_run.empty(), "cannot be set together with .dryRun"},
        {options.propagation_policy.has_value(), "cannot be set together with .propagationPolicy"},
        {options.orphan_dependents.has_value(), "cannot be set together with .orphanDependents"},
        {options.grace_period_seconds.has_value(), "cannot be set together with .gracePeriodSeconds"},
        {options.preconditions.get() != nullptr, "cannot be set together with .preconditions"},
    };
    for (const auto& one : cases)
        if (one.is_set)
            errors.add_invalid(FieldPath("ignoreStoreReadErrorWithClusterBreakingPotential"), true, one.why);
}

}  // namespace

Result<> check_delete_options(const DeleteOptions& options, Deletes deletes) {
    FieldErrors errors;
    check_unread_delete(options, deletes, errors);
    if (options.propagation_policy && options.orphan_dependents)
        errors.add_invalid(FieldPath("propagationPolicy"), *options.propagation_policy,
                           "orphanDependents and deletionPropagation cannot be both set");
    if (options.propagation_policy) {
        const Text& policy = *options.propagation_policy;
        if (policy != "Foreground" && policy != "Background" && policy != "Orphan")
            errors.add_not_supported(FieldPath("propagationPolicy"), policy,
                                     {"Foreground", "Background", "Orphan", "nil"});
    }
    for (const Text& value : options.dry_run)
        if (value != "All") errors.add_not_supported(FieldPath("dryRun"), value, {"All"});
    if (errors.empty()) return {};
    const api::KindInfo about{"meta.k8s.io", "v1", "DeleteOptions", {}, nullptr};
    return invalid_object(about, "", std::move(errors));
}

Result<DeletionPlan> decide_deletion(const api::KindInfo& kind, const ObjectMeta& metadata, const GraceRules& grace,
                                     const DeleteOptions& options, Instant now) {
    TRY(check_delete_options(options));
    TRY(check_preconditions(kind, metadata, options));
    DeletionPlan plan;
    plan.metadata = metadata;
    const Grace given = apply_grace(plan.metadata, grace, options.grace_period_seconds, now);
    if (given == Grace::kPending) return plan;
    set_dependents(plan.metadata, dependents_of(kind, metadata, options, plan.orphans_by_default));
    const bool held = !plan.metadata.finalizers.empty();
    if (given == Grace::kNone && held) begin(plan.metadata, now, 0);
    const bool has_time = given != Grace::kNone && *plan.metadata.deletion_grace_period_seconds > 0;
    plan.remove = !held && !has_time;
    plan.mark = given != Grace::kNone || held;
    return plan;
}

bool goes_with_update(const ObjectMeta& now, const ObjectMeta& before) {
    return now.finalizers.empty() && before.deletion_timestamp && before.deletion_grace_period_seconds.value_or(0) == 0;
}

}  // namespace muster::server
