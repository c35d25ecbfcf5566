// Rules of a pod that is changed: the few fields that may, and how; its status.
#include <algorithm>
#include <limits>

#include "api/schema/walk.h"
#include "api/validation/pod/pod.h"
#include "api/validation/pod/pod_rules.h"
#include "api/validation/rules/metadata.h"

namespace muster::api {
namespace {

constexpr const char* kMayChange =
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

// Gives false when containers came or went, after which nothing else can be compared.
bool check_images(const List<core::Container>& now, const List<core::Container>& before, const FieldPath& path,
                  FieldErrors& errors) {
    if (now.size() != before.size()) {
        errors.add_forbidden(path, "pod updates may not add or remove containers");
        return false;
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
        if (now[i].image.empty()) errors.add_required(path.index(i).child("image"), "");
        check_image_spelling(now[i], path.index(i), errors);
    }
    return true;
}

// A deadline may be set, and drawn closer. Gives false when it was moved away.
bool check_deadline(const core::PodSpec& now, const core::PodSpec& before, const FieldPath& path, FieldErrors& errors) {
    constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
    const auto& seconds = now.active_deadline_seconds;
    const auto& old_seconds = before.active_deadline_seconds;
    if (!seconds) {
        if (old_seconds)
            errors.add_invalid(path, Shown::json("null"), "must not update from a positive integer to nil value");
        return true;
    }
    if (*seconds < 0 || *seconds > kMax) {
        errors.add_invalid(path, *seconds, range_sentence(0, kMax));
        return false;
    }
    if (old_seconds && *old_seconds < *seconds) {
        errors.add_invalid(path, *seconds, "must be less than or equal to previous value");
        return false;
    }
    return true;
}

void check_tolerations_kept(const List<core::Toleration>& now, const List<core::Toleration>& before,
                            const FieldPath& path, FieldErrors& errors) {
    for (const core::Toleration& old : before) {
        const bool kept = std::any_of(now.begin(), now.end(), [&](core::Toleration one) {
            one.toleration_seconds = old.toleration_seconds;
            return one == old;
        });
        if (!kept)
            return errors.add_forbidden(path, "existing toleration can not be modified except its tolerationSeconds");
    }
    check_tolerations(now, path, errors);
}

void check_gates_only_removed(const List<core::PodSchedulingGate>& now, const List<core::PodSchedulingGate>& before,
                              const FieldPath& path, FieldErrors& errors) {
    for (std::size_t i = 0; i < now.size(); ++i)
        if (std::find(before.begin(), before.end(), now[i]) == before.end())
            errors.add_forbidden(path.index(i).child("name"),
                                 "only deletion is allowed, but found new scheduling gate '" + now[i].name.str() + "'");
}

template <class T>
bool starts_with(const List<T>& now, const List<T>& before) {
    return now.size() >= before.size() && std::equal(before.begin(), before.end(), now.begin());
}

// More tests narrow a term; a term without any matches nothing, and any test would widen it.
bool only_narrowed(const core::NodeSelectorTerm& now, const core::NodeSelectorTerm& before) {
    if (before.match_expressions.empty() && before.match_fields.empty())
        return now.match_expressions.empty() && now.match_fields.empty();
    return starts_with(now.match_expressions, before.match_expressions) &&
           starts_with(now.match_fields, before.match_fields);
}

const List<core::NodeSelectorTerm>* required_terms(const core::PodSpec& spec) {
    if (!spec.affinity || !spec.affinity->node_affinity) return nullptr;
    const auto& required = spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
    return required ? &required->node_selector_terms : nullptr;
}

void check_node_affinity_narrowed(const core::PodSpec& now, const core::PodSpec& before, const FieldPath& path,
                                  FieldErrors& errors) {
    const List<core::NodeSelectorTerm>* old_terms = required_terms(before);
    if (!old_terms) return;
    const List<core::NodeSelectorTerm> none;
    const List<core::NodeSelectorTerm>& terms = required_terms(now) ? *required_terms(now) : none;
    const FieldPath at = path.child("requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms");
    if (!old_terms->empty() && old_terms->size() != terms.size())
        return errors.add_invalid(at, shown_json(terms),
                                  "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
    for (std::size_t i = 0; i < old_terms->size(); ++i)
        if (!only_narrowed(terms[i], (*old_terms)[i]))
            errors.add_invalid(at.index(i), shown_json(terms[i]),
                               "only additions are allowed (no mutations or deletions)");
}

// While a pod has scheduling gates, its node selector and node affinity may be narrowed. Sets both in `rest` to their
// old values, so that the caller can compare the other fields.
void check_gated(core::PodSpec& rest, const core::PodSpec& before, const FieldPath& path, FieldErrors& errors) {
    if (!(rest.node_selector == before.node_selector)) {
        const bool kept = std::all_of(before.node_selector.begin(), before.node_selector.end(), [&](const auto& entry) {
            const Text* value = rest.node_selector.find(entry.key);
            return value && *value == entry.value;
        });
        if (!kept)
            errors.add_invalid(path.child("nodeSelector"), shown_json(rest.node_selector),
                               "only additions to spec.nodeSelector are allowed (no mutations or deletions)");
        rest.node_selector = before.node_selector;
    }
    const Box<core::NodeAffinity> none;
    const Box<core::NodeAffinity>& now = rest.affinity ? rest.affinity->node_affinity : none;
    const Box<core::NodeAffinity>& old = before.affinity ? before.affinity->node_affinity : none;
    if (now == old) return;
    check_node_affinity_narrowed(rest, before, path.child("affinity", "nodeAffinity"), errors);
    if (!before.affinity && !rest.affinity->pod_affinity && !rest.affinity->pod_anti_affinity) {
        rest.affinity.reset();
    } else {
        rest.affinity.edit().node_affinity = old;
    }
}

List<core::Container> with_images_of(const List<core::Container>& containers, const List<core::Container>& before) {
    List<core::Container> out = containers;
    for (std::size_t i = 0; i < out.size(); ++i)
        if (!(out[i].image == before[i].image)) out.edit()[i].image = before[i].image;
    return out;
}

// Whether the pod starts a container again that ended with this code: by a rule of the container, else by its own
// policy, else by the pod's.
bool restarts(const core::Container& container, const core::PodSpec& spec, std::int32_t exit_code) {
    for (const core::ContainerRestartRule& rule : container.restart_policy_rules) {
        if (!rule.exit_codes) continue;
        const List<std::int32_t>& values = rule.exit_codes->values;
        const bool listed = std::find(values.begin(), values.end(), exit_code) != values.end();
        if (rule.exit_codes->operator_ == "In" ? listed : !listed) return rule.action == "Restart";
    }
    const Text& policy = container.restart_policy ? *container.restart_policy : spec.restart_policy;
    return policy == "Always" || (policy == "OnFailure" && exit_code != 0);
}

void check_endings_stand(const List<core::ContainerStatus>& now, const List<core::ContainerStatus>& before,
                         const core::PodSpec& spec, const List<core::Container>* containers, const FieldPath& path,
                         FieldErrors& errors) {
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (!before[i].state.terminated) continue;
        const auto* found = std::find_if(now.begin(), now.end(), [&](const core::ContainerStatus& status) {
            return status.name == before[i].name && !status.state.terminated;
        });
        if (found == now.end()) continue;
        bool allowed = false;
        for (std::size_t c = 0; containers && c < containers->size(); ++c)
            if ((*containers)[c].name == before[i].name)
                allowed = restarts((*containers)[c], spec, before[i].state.terminated->exit_code);
        if (!allowed)
            errors.add_forbidden(path.index(i).child("state"), "may not be transitioned to non-terminated state");
    }
}

void check_conditions(const List<core::PodCondition>& conditions, const FieldPath& path, FieldErrors& errors) {
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        if (conditions[i].observed_generation < 0)
            errors.add_invalid(path.index(i).child("observedGeneration"), conditions[i].observed_generation,
                               "must be a non-negative integer");
        if (!is_one_of(conditions[i].type, {"PodScheduled", "Ready", "Initialized"}))
            errors.add_problems(path.index(i).child("Type"), conditions[i].type, is_qualified_name(conditions[i].type));
    }
}

// At most one address of each family, and only addresses; what was there before may stay as it was.
template <class Address>
void check_addresses(const List<Address>& now, const List<Address>& before, const FieldPath& path,
                     FieldErrors& errors) {
    std::size_t of_six = 0;
    for (std::size_t i = 0; i < now.size(); ++i) {
        of_six += is_ipv6(now[i].ip);
        if (std::find(before.begin(), before.end(), now[i]) == before.end())
            errors.add_problems(path.index(i), now[i].ip, is_valid_ip(now[i].ip));
    }
    if (now.size() > 2 || (now.size() == 2 && of_six != 1))
        errors.add_invalid(path, shown_json(now), "may specify no more than one IP for each IP family");
}

void check_claim_statuses(const core::Pod& pod, const FieldPath& path, FieldErrors& errors) {
    const List<core::PodResourceClaimStatus>& statuses = pod.status.resource_claim_statuses;
    const List<core::PodResourceClaim>& claims = pod.spec.resource_claims;
    for (std::size_t i = 0; i < statuses.size(); ++i) {
        const Text& name = statuses[i].name;
        const FieldPath at = path.index(i).child("name");
        if (std::none_of(claims.begin(), claims.end(), [&](const auto& claim) { return claim.name == name; }))
            errors.add_invalid(at, name, "must match the name of an entry in `spec.resourceClaims`");
        if (std::any_of(statuses.begin(), statuses.begin() + i, [&](const auto& one) { return one.name == name; }))
            errors.add_duplicate(at, name);
        if (statuses[i].resource_claim_name)
            errors.add_problems(at, *statuses[i].resource_claim_name,
                                is_dns1123_subdomain(*statuses[i].resource_claim_name));
    }
}

}  // namespace

FieldErrors validate_pod_update(const core::Pod& now, const core::Pod& before) {
    FieldErrors errors;
    const FieldPath metadata("metadata");
    const FieldPath spec("spec");
    check_pod_metadata_and_spec(now, errors);
    check_pod_annotation_update(now, before, metadata.child("annotations"), errors);
    if (!check_images(now.spec.containers, before.spec.containers, spec.child("containers"), errors)) return errors;
    if (!check_images(now.spec.init_containers, before.spec.init_containers, spec.child("initContainers"), errors))
        return errors;
    if (!check_deadline(now.spec, before.spec, spec.child("activeDeadlineSeconds"), errors)) return errors;
    check_tolerations_kept(now.spec.tolerations, before.spec.tolerations, spec.child("tolerations"), errors);
    check_gates_only_removed(now.spec.scheduling_gates, before.spec.scheduling_gates, spec.child("schedulingGates"),
                             errors);
    if (now.spec == before.spec) return errors;

    // Put back what may change; the rest must be as it was.
    core::PodSpec rest = now.spec;
    rest.containers = with_images_of(now.spec.containers, before.spec.containers);
    rest.init_containers = with_images_of(now.spec.init_containers, before.spec.init_containers);
    rest.active_deadline_seconds = before.spec.active_deadline_seconds;
    rest.ttl_seconds_after_finished = before.spec.ttl_seconds_after_finished;
    rest.scheduling_gates = before.spec.scheduling_gates;
    rest.tolerations = before.spec.tolerations;
    if (before.spec.termination_grace_period_seconds.value_or(0) < 0 && rest.termination_grace_period_seconds == 1)
        rest.termination_grace_period_seconds = before.spec.termination_grace_period_seconds;
    if (!before.spec.scheduling_gates.empty()) check_gated(rest, before.spec, spec, errors);
    if (!(rest == before.spec)) errors.add_forbidden(spec, std::string(kMayChange) + "\n" + diff(before.spec, rest));
    return errors;
}

FieldErrors validate_pod_status_update(const core::Pod& now, const core::Pod& before) {
    FieldErrors errors;
    const FieldPath metadata("metadata");
    const FieldPath path("status");
    const core::PodStatus& status = now.status;
    const core::PodStatus& old = before.status;
    check_pod_annotation_update(now, before, metadata.child("annotations"), errors);
    check_conditions(status.conditions, path.child("conditions"), errors);
    if (!(now.spec.node_name == before.spec.node_name))
        errors.add_forbidden(path.child("nodeName"), "may not be changed directly");
    if (!(status.nominated_node_name == old.nominated_node_name) && !status.nominated_node_name.empty()) {
        const FieldPath at = path.child("nominatedNodeName");
        errors.add_problems(at, status.nominated_node_name, is_dns1123_subdomain(status.nominated_node_name));
        if (!before.spec.node_name.empty())
            errors.add_forbidden(at, "may not be set on pods that are already bound to a node");
    }
    if (status.observed_generation < 0)
        errors.add_invalid(path.child("observedGeneration"), status.observed_generation,
                           "must be a non-negative integer");
    if (!(status.qos_class == old.qos_class))
        errors.add_invalid(path.child("qosClass"), status.qos_class, kImmutableSentence);
    check_endings_stand(status.container_statuses, old.container_statuses, before.spec, &before.spec.containers,
                        path.child("containerStatuses"), errors);
    check_endings_stand(status.init_container_statuses, old.init_container_statuses, before.spec,
                        &before.spec.init_containers, path.child("initContainerStatuses"), errors);
    check_endings_stand(status.ephemeral_container_statuses, old.ephemeral_container_statuses, before.spec, nullptr,
                        path.child("ephemeralContainerStatuses"), errors);
    check_claim_statuses(now, path.child("resourceClaimStatuses"), errors);
    check_addresses(status.pod_ips, old.pod_ips, path.child("podIPs"), errors);
    if (!status.host_ips.empty() && !(status.host_ip == status.host_ips[0].ip))
        errors.add_invalid(path.child("hostIPs").index(0).child("ip"), status.host_ips[0].ip,
                           "must be equal to `hostIP`");
    check_addresses(status.host_ips, old.host_ips, path.child("hostIPs"), errors);
    return errors;
}

}  // namespace muster::api
