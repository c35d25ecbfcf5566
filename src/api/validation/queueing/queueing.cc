#include "api/validation/queueing/queueing.h"

#include <set>

#include "api/kinds/kueue/kueue_names.h"
#include "api/schema/walk.h"
#include "api/validation/rules/metadata.h"
#include "api/validation/rules/schema_rules.h"

namespace muster::api {
namespace {

const FieldPath kQueueSpec("spec");
constexpr std::size_t kGroupsMax = 16;
constexpr std::size_t kGroupEntriesMax = 64;
constexpr std::size_t kTotalMax = 256;
constexpr std::size_t kCombinationsMax = 512;
constexpr std::size_t kFlavorEntriesMax = 8;
constexpr std::size_t kClassDescriptionMax = 2048;
constexpr std::size_t kControllerNameMax = 253;

template <class K>
FieldErrors checked_create(const K& object) {
    FieldErrors errors;
    check_metadata(object.metadata, K::kKindOptions.namespaced, is_dns1123_subdomain, kMetadata, errors);
    check_schema(K::info(), &object, kQueueingPackages, FieldPath(), errors);
    return errors;
}

template <class K>
FieldErrors checked_update(const K& now, const K&) {
    FieldErrors errors;
    check_schema(K::info(), &now, kQueueingPackages, FieldPath(), errors);
    return errors;
}

void check_quantity(const Quantity& amount, const FieldPath& path, FieldErrors& errors) {
    if (amount.sign() < 0) errors.add_invalid(path, amount.text(), kNonNegativeSentence);
}

// Who may lend and borrow, and how the field that says so is called. A ClusterQueue lends at most its nominal quota.
struct Upwards {
    bool has_parent;
    const char* parent;
    bool of_queue;
};

void check_has_parent(const Quantity& limit, const Upwards& up, const FieldPath& path, FieldErrors& errors) {
    if (!up.has_parent)
        errors.add_invalid(path, limit.text(), std::string("must be nil when ") + up.parent + " is empty");
}

void check_flavor_quotas(const kueue::FlavorQuotas& flavor, const List<Text>& covered, const Upwards& up,
                         const FieldPath& path, QueueingErrors& errors) {
    check_object_name(flavor.name, path.child("name"), errors.definition);
    const FieldPath resources = path.child("resources");
    if (flavor.resources.size() != covered.size())
        errors.definition.add_invalid(resources, flavor.resources.size(),
                                      "flavors must have the same number of resources as the coveredResources");
    check_at_most(flavor.resources.size(), kGroupEntriesMax, resources, errors.definition);
    for (std::size_t i = 0; i < flavor.resources.size() && i < covered.size(); ++i) {
        const kueue::ResourceQuota& quota = flavor.resources[i];
        const FieldPath at = resources.index(i);
        if (!(quota.name == covered[i]))
            errors.webhook.add_invalid(at.child("name"), quota.name, "must match the name in coveredResources");
        check_quantity(quota.nominal_quota, at.child("nominalQuota"), errors.webhook);
        if (quota.borrowing_limit) {
            const FieldPath limit = at.child("borrowingLimit");
            check_has_parent(*quota.borrowing_limit, up, limit, up.of_queue ? errors.definition : errors.webhook);
            check_quantity(*quota.borrowing_limit, limit, errors.webhook);
        }
        if (!quota.lending_limit) continue;
        check_has_parent(*quota.lending_limit, up, at.child("lendingLimit"), errors.webhook);
        check_quantity(*quota.lending_limit, at.child("lendingLimit"), errors.webhook);
        if (up.of_queue && *quota.lending_limit > quota.nominal_quota)
            errors.webhook.add_invalid(at.child("lendingLimit"), quota.lending_limit->text(),
                                       "must be less than or equal to the nominalQuota");
    }
}

// A resource and a flavor each stand in one group only.
void check_resource_groups(const List<kueue::ResourceGroup>& groups, const Upwards& up, const FieldPath& path,
                           QueueingErrors& errors) {
    check_at_most(groups.size(), kGroupsMax, path, errors.definition);
    std::set<std::string_view> resources;
    std::set<std::string_view> flavors;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const kueue::ResourceGroup& group = groups[g];
        const FieldPath covered = path.index(g).child("coveredResources");
        check_at_most(group.covered_resources.size(), kGroupEntriesMax, covered, errors.definition);
        for (std::size_t i = 0; i < group.covered_resources.size(); ++i) {
            const Text& name = group.covered_resources[i];
            errors.webhook.add_problems(covered.index(i), name, is_qualified_name(name));
            if (!resources.insert(name).second) errors.webhook.add_duplicate(covered.index(i), name);
        }
        const FieldPath provided = path.index(g).child("flavors");
        check_at_most(group.flavors.size(), kGroupEntriesMax, provided, errors.definition);
        for (std::size_t i = 0; i < group.flavors.size(); ++i) {
            const kueue::FlavorQuotas& flavor = group.flavors[i];
            check_flavor_quotas(flavor, group.covered_resources, up, provided.index(i), errors);
            if (!flavors.insert(flavor.name).second)
                errors.webhook.add_duplicate(provided.index(i).child("name"), flavor.name);
        }
    }
}

// In a queue's status: no more than a queue can have.
template <class Usages>
void check_usage(const Usages& usages, const char* name, FieldErrors& errors) {
    const FieldPath path = FieldPath("status").child(name);
    check_at_most(usages.size(), kTotalMax, path, errors);
    for (std::size_t i = 0; i < usages.size(); ++i)
        check_at_most(usages[i].resources.size(), kGroupEntriesMax, path.index(i).child("resources"), errors);
}

void check_total(std::size_t total, std::size_t most, const char* what, const FieldPath& path, FieldErrors& errors) {
    if (total > most)
        errors.add_invalid(path, total,
                           std::string(what) + " must be ≤ " + std::to_string(most) + ", got " + std::to_string(total));
}

void check_totals(const List<kueue::ResourceGroup>& groups, const FieldPath& path, FieldErrors& errors) {
    std::size_t flavors = 0;
    std::size_t resources = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        flavors += groups[g].flavors.size();
        resources += groups[g].covered_resources.size();
        std::size_t combinations = 0;
        for (const kueue::FlavorQuotas& flavor : groups[g].flavors) combinations += flavor.resources.size();
        check_total(combinations, kCombinationsMax, "number of flavor-resource combinations in a resourceGroup",
                    path.index(g), errors);
    }
    check_total(flavors, kTotalMax, "total number of flavors across all resourceGroups", path, errors);
    check_total(resources, kTotalMax, "total number of covered resources across all resourceGroups", path, errors);
}

void check_fair_sharing(const Box<kueue::FairSharing>& sharing, const FieldPath& path, FieldErrors& errors) {
    if (!sharing || !sharing->weight) return;
    const Quantity& weight = *sharing->weight;
    static const Quantity kSmallest = Quantity::parse("1n").value();
    check_quantity(weight, path, errors);
    if (weight.sign() > 0 && weight <= kSmallest)
        errors.add_invalid(path, weight.text(), "When not 0, weight must be > 10e-9");
}

std::set<std::string_view> flavors_of(const kueue::ClusterQueueSpec& spec) {
    std::set<std::string_view> names;
    for (const kueue::ResourceGroup& group : spec.resource_groups)
        for (const kueue::FlavorQuotas& flavor : group.flavors) names.insert(flavor.name);
    return names;
}

void check_admission_checks(const kueue::ClusterQueueSpec& spec, QueueingErrors& errors) {
    if (!spec.admission_checks_strategy) return;
    const FieldPath path = kQueueSpec.child("admissionChecksStrategy").child("admissionChecks");
    const auto& checks = spec.admission_checks_strategy->admission_checks;
    check_at_most(checks.size(), kGroupEntriesMax, path, errors.definition);
    const std::set<std::string_view> known = flavors_of(spec);
    const std::vector<std::string_view> allowed(known.begin(), known.end());
    for (std::size_t i = 0; i < checks.size(); ++i)
        for (std::size_t j = 0; j < checks[i].on_flavors.size(); ++j)
            if (const Text& flavor = checks[i].on_flavors[j]; !known.contains(flavor))
                errors.webhook.add_not_supported(path.index(i).child("onFlavors").index(j), flavor, allowed);
}

void check_policies(const kueue::ClusterQueueSpec& spec, FieldErrors& errors) {
    if (const kueue::ClusterQueuePreemption* preemption = spec.preemption.get();
        preemption && preemption->reclaim_within_cohort == kueue::kPreemptNever && preemption->borrow_within_cohort &&
        !(preemption->borrow_within_cohort->policy == kueue::kPreemptNever))
        errors.add_invalid(kQueueSpec.child("preemption"), shown_json(*preemption),
                           "reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never");
    if (const kueue::FlavorFungibility* fungibility = spec.flavor_fungibility.get();
        fungibility && fungibility->preference &&
        !(fungibility->when_can_borrow == kueue::kTryNextFlavor &&
          fungibility->when_can_preempt == kueue::kTryNextFlavor))
        errors.add_invalid(kQueueSpec.child("flavorFungibility", "preference"), *fungibility->preference,
                           "preference can only be set when both whenCanBorrow and whenCanPreempt are TryNextFlavor");
    if (spec.concurrent_admission_policy)
        errors.add_forbidden(kQueueSpec.child("concurrentAdmissionPolicy"), "is not supported by this server");
}

void check_rules(const kueue::ClusterQueue& queue, QueueingErrors& errors) {
    const kueue::ClusterQueueSpec& spec = queue.spec;
    const FieldPath groups = kQueueSpec.child("resourceGroups");
    check_resource_groups(spec.resource_groups, {!spec.cohort_name.empty(), "cohort", true}, groups, errors);
    check_totals(spec.resource_groups, groups, errors.webhook);
    check_object_name(spec.cohort_name, kQueueSpec.child("cohortName"), errors.definition);
    if (spec.namespace_selector)
        check_label_selector(*spec.namespace_selector, kQueueSpec.child("namespaceSelector"), errors.webhook);
    check_policies(spec, errors.definition);
    check_fair_sharing(spec.fair_sharing, kQueueSpec.child("fairSharing"), errors.webhook);
    check_admission_checks(spec, errors);
    check_usage(queue.status.flavors_reservation, "flavorsReservation", errors.definition);
    check_usage(queue.status.flavors_usage, "flavorsUsage", errors.definition);
    check_conditions(queue.status.conditions, FieldPath("status").child("conditions"), errors.definition);
}

void check_rules(const kueue::Cohort& cohort, QueueingErrors& errors) {
    const kueue::CohortSpec& spec = cohort.spec;
    check_object_name(spec.parent_name, kQueueSpec.child("parentName"), errors.definition);
    if (!spec.parent_name.empty() && spec.parent_name == cohort.metadata.name)
        errors.definition.add_invalid(kQueueSpec.child("parentName"), spec.parent_name,
                                      "a cohort cannot be its own parent");
    check_fair_sharing(spec.fair_sharing, kQueueSpec.child("fairSharing"), errors.webhook);
    check_resource_groups(spec.resource_groups, {!spec.parent_name.empty(), "parent", false},
                          kQueueSpec.child("resourceGroups"), errors);
}

void check_rules(const kueue::LocalQueue& queue, QueueingErrors& errors) {
    check_object_name(queue.spec.cluster_queue, kQueueSpec.child("clusterQueue"), errors.definition);
    check_fair_sharing(queue.spec.fair_sharing, kQueueSpec.child("fairSharing"), errors.definition);
    check_usage(queue.status.flavors_reservation, "flavorsReservation", errors.definition);
    check_usage(queue.status.flavors_usage, "flavorsUsage", errors.definition);
    check_conditions(queue.status.conditions, FieldPath("status").child("conditions"), errors.definition);
}

void check_taints(const List<core::Taint>& taints, const FieldPath& path, QueueingErrors& errors) {
    check_at_most(taints.size(), kFlavorEntriesMax, path, errors.definition);
    std::set<std::pair<std::string_view, std::string_view>> seen;
    for (std::size_t i = 0; i < taints.size(); ++i) {
        const core::Taint& taint = taints[i];
        errors.webhook.add_problems(path.index(i).child("key"), taint.key, is_qualified_name(taint.key));
        errors.webhook.add_problems(path.index(i).child("value"), taint.value, is_label_value(taint.value));
        if (!(taint.effect == "NoSchedule" || taint.effect == "PreferNoSchedule" || taint.effect == "NoExecute"))
            errors.definition.add_not_supported(path.index(i).child("effect"), taint.effect,
                                                {"NoSchedule", "PreferNoSchedule", "NoExecute"});
        if (!seen.emplace(taint.effect, taint.key).second)
            errors.webhook.add_duplicate(path.index(i), shown_json(taint));
    }
}

void check_rules(const kueue::ResourceFlavor& flavor, QueueingErrors& errors) {
    const kueue::ResourceFlavorSpec& spec = flavor.spec;
    check_at_most(spec.node_labels.size(), kFlavorEntriesMax, kQueueSpec.child("nodeLabels"), errors.definition);
    check_labels(spec.node_labels, kQueueSpec.child("nodeLabels"), errors.webhook);
    check_taints(spec.node_taints, kQueueSpec.child("nodeTaints"), errors);
    check_flavor_tolerations(spec.tolerations, kQueueSpec.child("tolerations"), errors);
    if (!spec.topology_name) return;
    check_object_name(*spec.topology_name, kQueueSpec.child("topologyName"), errors.definition);
    if (spec.node_labels.empty())
        errors.definition.add_invalid(kQueueSpec.child("nodeLabels"), Shown::json("{}"),
                                      "at least one nodeLabel is required when topology is set");
}

void check_rules(const kueue::AdmissionCheck& check, QueueingErrors& errors) {
    if (check.spec.controller_name.size() > kControllerNameMax)
        errors.definition.add_too_long(kQueueSpec.child("controllerName"), kControllerNameMax);
    check_conditions(check.status.conditions, FieldPath("status").child("conditions"), errors.definition);
    const kueue::AdmissionCheckParametersReference* parameters = check.spec.parameters.get();
    if (!parameters) return;
    const FieldPath path = kQueueSpec.child("parameters");
    check_object_name(parameters->api_group, path.child("apiGroup"), errors.definition);
    if (!parameters->name.empty())
        errors.definition.add_problems(path.child("name"), parameters->name, is_dns1123_label(parameters->name));
}

void check_rules(const kueue::WorkloadPriorityClass& priority_class, QueueingErrors& errors) {
    if (priority_class.description.size() > kClassDescriptionMax)
        errors.definition.add_too_long(FieldPath("description"), kClassDescriptionMax);
}

template <class K>
QueueingErrors with_rules(FieldErrors errors, const K& object) {
    QueueingErrors found{std::move(errors), {}};
    check_rules(object, found);
    return found;
}

void check_unchanged(bool changed, const FieldPath& path, const Shown& value, FieldErrors& errors) {
    if (changed) errors.add_invalid(path, value, kImmutableSentence);
}

}  // namespace

void check_at_most(std::size_t count, std::size_t count_max, const FieldPath& path, FieldErrors& errors) {
    if (count > count_max) errors.add_too_many(path, count, count_max);
}

void check_object_name(std::string_view name, const FieldPath& path, FieldErrors& errors) {
    if (!name.empty()) errors.add_problems(path, name, is_dns1123_subdomain(name));
}

void check_conditions(const List<meta::Condition>& conditions, const FieldPath& path, FieldErrors& errors) {
    check_at_most(conditions.size(), kConditionsMax, path, errors);
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        const meta::Condition& condition = conditions[i];
        const FieldPath at = path.index(i);
        errors.add_problems(at.child("type"), condition.type, is_qualified_name(condition.type));
        if (!(condition.status == "True" || condition.status == "False" || condition.status == "Unknown"))
            errors.add_not_supported(at.child("status"), condition.status, {"False", "True", "Unknown"});
        if (condition.observed_generation < 0)
            errors.add_invalid(at.child("observedGeneration"), condition.observed_generation, kNonNegativeSentence);
        if (condition.last_transition_time == Time())
            errors.add_required(at.child("lastTransitionTime"), "must be set");
        if (condition.reason.empty()) errors.add_required(at.child("reason"), "must be set");
    }
}

void check_flavor_tolerations(const List<core::Toleration>& tolerations, const FieldPath& path,
                              QueueingErrors& errors) {
    check_at_most(tolerations.size(), kFlavorEntriesMax, path, errors.definition);
    for (std::size_t i = 0; i < tolerations.size(); ++i) {
        const core::Toleration& toleration = tolerations[i];
        const FieldPath at = path.index(i);
        const bool exists = toleration.operator_ == "Exists";
        if (!toleration.key.empty())
            errors.webhook.add_problems(at.child("key"), toleration.key, is_qualified_name(toleration.key));
        else if (!exists)
            errors.definition.add_invalid(
                at.child("operator"), toleration.operator_,
                "operator must be Exists when 'key' is empty, which means 'match all values and all keys'");
        if (!toleration.operator_.empty() && !exists && !(toleration.operator_ == "Equal"))
            errors.definition.add_not_supported(at.child("operator"), toleration.operator_, {"Equal", "Exists"});
        if (exists && !toleration.value.empty())
            errors.definition.add_invalid(at.child("value"), toleration.value,
                                          "a value must be empty when 'operator' is 'Exists'");
        if (toleration.toleration_seconds && !(toleration.effect == "NoExecute"))
            errors.definition.add_invalid(at.child("effect"), toleration.effect,
                                          "effect must be 'NoExecute' when 'tolerationSeconds' is set");
        if (!toleration.effect.empty() && !(toleration.effect == "NoSchedule") &&
            !(toleration.effect == "PreferNoSchedule") && !(toleration.effect == "NoExecute"))
            errors.definition.add_not_supported(at.child("effect"), toleration.effect,
                                                {"NoSchedule", "PreferNoSchedule", "NoExecute"});
    }
}

QueueingErrors check_queueing_create(const kueue::AdmissionCheck& check) {
    return with_rules(checked_create(check), check);
}
QueueingErrors check_queueing_create(const kueue::ClusterQueue& queue) {
    return with_rules(checked_create(queue), queue);
}
QueueingErrors check_queueing_create(const kueue::Cohort& cohort) { return with_rules(checked_create(cohort), cohort); }
QueueingErrors check_queueing_create(const kueue::LocalQueue& queue) {
    return with_rules(checked_create(queue), queue);
}
QueueingErrors check_queueing_create(const kueue::ResourceFlavor& flavor) {
    return with_rules(checked_create(flavor), flavor);
}
QueueingErrors check_queueing_create(const kueue::WorkloadPriorityClass& priority_class) {
    return with_rules(checked_create(priority_class), priority_class);
}

QueueingErrors check_queueing_update(const kueue::AdmissionCheck& now, const kueue::AdmissionCheck& before) {
    FieldErrors errors = checked_update(now, before);
    check_unchanged(!(now.spec.controller_name == before.spec.controller_name), kQueueSpec.child("controllerName"),
                    now.spec.controller_name, errors);
    return with_rules(std::move(errors), now);
}
QueueingErrors check_queueing_update(const kueue::ClusterQueue& now, const kueue::ClusterQueue& before) {
    return with_rules(checked_update(now, before), now);
}
QueueingErrors check_queueing_update(const kueue::Cohort& now, const kueue::Cohort& before) {
    return with_rules(checked_update(now, before), now);
}
QueueingErrors check_queueing_update(const kueue::LocalQueue& now, const kueue::LocalQueue& before) {
    FieldErrors errors = checked_update(now, before);
    check_unchanged(!(now.spec.cluster_queue == before.spec.cluster_queue), kQueueSpec.child("clusterQueue"),
                    now.spec.cluster_queue, errors);
    return with_rules(std::move(errors), now);
}
QueueingErrors check_queueing_update(const kueue::ResourceFlavor& now, const kueue::ResourceFlavor& before) {
    FieldErrors errors = checked_update(now, before);
    const std::optional<Text>& topology = before.spec.topology_name;
    check_unchanged(topology && now.spec.topology_name != topology, kQueueSpec.child("topologyName"),
                    now.spec.topology_name.value_or(Text()), errors);
    return with_rules(std::move(errors), now);
}
QueueingErrors check_queueing_update(const kueue::WorkloadPriorityClass& now,
                                     const kueue::WorkloadPriorityClass& before) {
    return with_rules(checked_update(now, before), now);
}

}  // namespace muster::api
