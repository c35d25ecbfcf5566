#include "api/defaults/pod.h"

#include <algorithm>

#include "api/defaults/pod_containers.h"

namespace muster::api {
namespace {

constexpr std::int64_t kGracePeriodSeconds = 30;
constexpr std::int64_t kTolerationSeconds = 300;
constexpr const char* kNotReadyTaint = "node.kubernetes.io/not-ready";
constexpr const char* kUnreachableTaint = "node.kubernetes.io/unreachable";

void default_spec(core::PodSpec& spec) {
    // One block for all pods that say nothing about security.
    static const Box<core::PodSecurityContext> kNoSecurityContext{core::PodSecurityContext{}};
    if (spec.dns_policy.empty()) spec.dns_policy = "ClusterFirst";
    if (spec.restart_policy.empty()) spec.restart_policy = "Always";
    if (!spec.security_context) spec.security_context = kNoSecurityContext;
    if (!spec.termination_grace_period_seconds) spec.termination_grace_period_seconds = kGracePeriodSeconds;
    if (spec.scheduler_name.empty()) spec.scheduler_name = "default-scheduler";
    // Two names for one thing; the old one is only ever a copy.
    if (spec.service_account_name.empty()) spec.service_account_name = spec.service_account;
    spec.service_account = spec.service_account_name;
    default_volumes(spec.volumes);
    default_containers(spec.init_containers);
    default_containers(spec.containers);
    default_ephemeral_containers(spec.ephemeral_containers);
    round_resources(spec.overhead);
    change_box(spec.resources, [](core::ResourceRequirements& resources) {
        round_resources(resources.limits);
        round_resources(resources.requests);
    });
}

void requests_from_limits(List<core::Container>& containers) {
    change_each(containers, [](core::Container& container) {
        core::ResourceRequirements& resources = container.resources;
        for (const auto& [name, limit] : resources.limits)
            if (!resources.requests.contains(name)) resources.requests.set(name, limit);
    });
}

void host_ports_from_ports(List<core::Container>& containers) {
    change_each(containers, [](core::Container& container) {
        change_each(container.ports, [](core::ContainerPort& port) {
            if (port.host_port == 0) port.host_port = port.container_port;
        });
    });
}

// What the pod as a whole asks for, where it says so only in part: huge pages up to the sum of its containers' limits,
// requests as the sum of its containers', or else as its own limits.
void default_pod_level_resources(core::PodSpec& spec) {
    if (!spec.resources || (spec.resources->limits.empty() && spec.resources->requests.empty())) return;
    change_box(spec.resources, [&](core::ResourceRequirements& own) {
        for (const auto& [name, sum] : container_limits(spec))
            if (is_huge_pages(name) && !own.requests.contains(name) && !own.limits.contains(name))
                own.limits.set(name, sum);
    });
    if (spec.resources->limits.empty()) return;
    Map<Quantity> requests = pod_level_requests(spec);
    change_box(spec.resources, [&](core::ResourceRequirements& own) { own.requests = std::move(requests); });
}

void add_label_keys(const List<Text>& keys, const char* operator_, const Map<Text>& labels,
                    Box<meta::LabelSelector>& selector) {
    if (!selector) return;
    for (const Text& key : keys)
        if (const Text* value = labels.find(key))
            selector.edit().match_expressions.edit().push_back(
                {.key = key, .operator_ = operator_, .values = {*value}});
}

void merge_label_keys(core::PodAffinityTerm& term, const Map<Text>& labels) {
    add_label_keys(term.match_label_keys, "In", labels, term.label_selector);
    add_label_keys(term.mismatch_label_keys, "NotIn", labels, term.label_selector);
}

template <class PodRules>
void merge_label_keys(Box<PodRules>& box, const Map<Text>& labels) {
    change_box(box, [&](PodRules& rules) {
        change_each(rules.preferred_during_scheduling_ignored_during_execution,
                    [&](core::WeightedPodAffinityTerm& wish) { merge_label_keys(wish.pod_affinity_term, labels); });
        change_each(rules.required_during_scheduling_ignored_during_execution,
                    [&](core::PodAffinityTerm& term) { merge_label_keys(term, labels); });
    });
}

bool tolerates(const List<core::Toleration>& tolerations, std::string_view taint) {
    return std::any_of(tolerations.begin(), tolerations.end(), [&](const core::Toleration& toleration) {
        return (toleration.key.empty() || toleration.key == taint) &&
               (toleration.effect.empty() || toleration.effect == "NoExecute");
    });
}

core::Toleration for_a_while(const char* taint) {
    return {.key = taint,
            .operator_ = "Exists",
            .value = {},
            .effect = "NoExecute",
            .toleration_seconds = kTolerationSeconds};
}

}  // namespace

void default_pod(core::Pod& pod) {
    core::PodSpec& spec = pod.spec;
    default_spec(spec);
    // Of a pod, not of a template.
    if (*spec.termination_grace_period_seconds < 0) spec.termination_grace_period_seconds = 1;
    requests_from_limits(spec.containers);
    requests_from_limits(spec.init_containers);
    default_pod_level_resources(spec);
    if (!spec.enable_service_links) spec.enable_service_links = true;
    if (spec.host_network) {
        host_ports_from_ports(spec.containers);
        host_ports_from_ports(spec.init_containers);
    }
}

void default_pod_template(core::PodTemplateSpec& pod_template) { default_spec(pod_template.spec); }

void prepare_pod_create(core::Pod& pod) {
    pod.metadata.generation = 1;
    pod.status = core::PodStatus{};
    pod.status.phase = "Pending";
    pod.status.qos_class = name_of(qos_class(pod.spec));
    if (!pod.spec.scheduling_gates.empty()) {
        core::PodCondition condition;
        condition.type = "PodScheduled";
        condition.status = "False";
        condition.reason = "SchedulingGated";
        condition.message = "Scheduling is blocked due to non-empty scheduling gates";
        pod.status.conditions.edit().push_back(std::move(condition));
    }
    const Map<Text>& labels = pod.metadata.labels;
    change_box(pod.spec.affinity, [&](core::Affinity& affinity) {
        merge_label_keys(affinity.pod_affinity, labels);
        merge_label_keys(affinity.pod_anti_affinity, labels);
    });
    change_each(pod.spec.topology_spread_constraints, [&](core::TopologySpreadConstraint& constraint) {
        add_label_keys(constraint.match_label_keys, "In", labels, constraint.label_selector);
    });
}

void keep_observed_generations(core::PodStatus& now, const core::PodStatus& before) {
    if (now.observed_generation == 0) now.observed_generation = before.observed_generation;
    for (std::size_t i = 0; i < now.conditions.size(); ++i) {
        if (now.conditions[i].observed_generation != 0) continue;
        const auto known =
            std::find_if(before.conditions.begin(), before.conditions.end(),
                         [&](const core::PodCondition& condition) { return condition.type == now.conditions[i].type; });
        if (known != before.conditions.end() && known->observed_generation != 0)
            now.conditions.edit()[i].observed_generation = known->observed_generation;
    }
}

void admit_default_tolerations(core::Pod& pod) {
    static const List<core::Toleration> kBoth{for_a_while(kNotReadyTaint), for_a_while(kUnreachableTaint)};
    List<core::Toleration>& tolerations = pod.spec.tolerations;
    if (tolerations.empty()) {
        tolerations = kBoth;
        return;
    }
    const bool not_ready = tolerates(tolerations, kNotReadyTaint);
    const bool unreachable = tolerates(tolerations, kUnreachableTaint);
    if (!not_ready) tolerations.edit().push_back(for_a_while(kNotReadyTaint));
    if (!unreachable) tolerations.edit().push_back(for_a_while(kUnreachableTaint));
}

void admit_priority(core::Pod& pod, const scheduling::PriorityClass* priority_class) {
    core::PodSpec& spec = pod.spec;
    if (priority_class && spec.priority_class_name.empty()) spec.priority_class_name = priority_class->metadata.name;
    spec.priority = priority_class ? priority_class->value : 0;
    static const Text kPreempts("PreemptLowerPriority");
    if (!spec.preemption_policy)
        spec.preemption_policy = priority_class ? priority_class->preemption_policy.value_or(kPreempts) : kPreempts;
}

}  // namespace muster::api
