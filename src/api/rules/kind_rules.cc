#include "api/rules/kind_rules.h"

#include "api/defaults/config.h"
#include "api/defaults/generation.h"
#include "api/defaults/job.h"
#include "api/defaults/limit_range.h"
#include "api/defaults/metadata.h"
#include "api/defaults/namespace.h"
#include "api/defaults/pod.h"
#include "api/defaults/pod_containers.h"
#include "api/defaults/queueing.h"
#include "api/defaults/rbac.h"
#include "api/defaults/service.h"
#include "api/kinds/kind_list.h"
#include "api/schema/walk.h"
#include "api/validation/config.h"
#include "api/validation/disruption_budget.h"
#include "api/validation/event.h"
#include "api/validation/job/job.h"
#include "api/validation/lease.h"
#include "api/validation/limit_range.h"
#include "api/validation/namespace.h"
#include "api/validation/pod/pod.h"
#include "api/validation/priority_class.h"
#include "api/validation/queueing/queueing.h"
#include "api/validation/queueing/workload.h"
#include "api/validation/rbac.h"
#include "api/validation/resource_quota.h"
#include "api/validation/rules/metadata.h"
#include "api/validation/runtime_class.h"
#include "api/validation/service.h"

namespace muster::api {
namespace {

using batch::CronJob;
using batch::Job;
using core::Namespace;
using core::Pod;

template <class K>
concept HasStatus = requires(K object) {
    object.status;
};

// What a kind does that has no rules of its own. The overloads below, being no templates, go before these.
template <class K>
void fill_defaults(K&) {}
template <class K>
void prepare_create(K& object) {
    if constexpr (HasStatus<K>) object.status = {};
}
template <class K>
FieldErrors validate_create(const K& object, const RuleContext&) {
    FieldErrors errors;
    check_metadata(object.metadata, K::kKindOptions.namespaced, is_dns1123_subdomain, FieldPath("metadata"), errors);
    return errors;
}
template <class K>
void prepare_update(K& now, const K& before) {
    if constexpr (HasStatus<K>) now.status = before.status;
}
template <class K>
FieldErrors validate_update(const K&, const K&, const RuleContext&) {
    return {};
}
template <class K>
std::vector<std::string> warnings_of(const K&, const K*) {
    return {};
}
template <class K>
void prepare_status_update(K& now, const K& before) {
    now.spec = before.spec;
}
template <class K>
FieldErrors validate_status_update(const K&, const K&, const RuleContext&) {
    return {};
}

void fill_defaults(Pod& pod) { default_pod(pod); }
void prepare_create(Pod& pod) { prepare_pod_create(pod); }
FieldErrors validate_create(const Pod& pod, const RuleContext&) { return validate_pod_create(pod); }
// One that was made before generations were counted has none to count from.
void prepare_update(Pod& now, const Pod& before) {
    now.status = before.status;
    if (before.metadata.generation > 0 && !is_equal(core::PodSpec::info(), &now.spec, &before.spec))
        raise_generation(now.metadata);
}
FieldErrors validate_update(const Pod& now, const Pod& before, const RuleContext&) {
    return validate_pod_update(now, before);
}
// A status update changes neither the owners of a pod nor its class of service.
void prepare_status_update(Pod& now, const Pod& before) {
    now.spec = before.spec;
    now.metadata.owner_references = before.metadata.owner_references;
    if (now.status.qos_class.empty()) now.status.qos_class = before.status.qos_class;
    keep_observed_generations(now.status, before.status);
}
FieldErrors validate_status_update(const Pod& now, const Pod& before, const RuleContext&) {
    return validate_pod_status_update(now, before);
}

void fill_defaults(Job& job) { default_job(job); }
void prepare_create(Job& job) { prepare_job_create(job); }
FieldErrors validate_create(const Job& job, const RuleContext&) { return validate_job_create(job); }
void prepare_update(Job& now, const Job& before) { prepare_job_update(now, before); }
FieldErrors validate_update(const Job& now, const Job& before, const RuleContext&) {
    return validate_job_update(now, before);
}
std::vector<std::string> warnings_of(const Job& now, const Job* before) { return job_warnings(now, before); }
void prepare_status_update(Job& now, const Job& before) { prepare_job_status_update(now, before); }
FieldErrors validate_status_update(const Job& now, const Job& before, const RuleContext&) {
    return validate_job_status_update(now, before);
}

void fill_defaults(CronJob& cron_job) { default_cron_job(cron_job); }
void prepare_create(CronJob& cron_job) { prepare_cron_job_create(cron_job); }
FieldErrors validate_create(const CronJob& cron_job, const RuleContext& context) {
    return validate_cron_job_create(cron_job, context.knows_time_zone);
}
void prepare_update(CronJob& now, const CronJob& before) { prepare_cron_job_update(now, before); }
FieldErrors validate_update(const CronJob& now, const CronJob& before, const RuleContext& context) {
    return validate_cron_job_update(now, before, context.knows_time_zone);
}
std::vector<std::string> warnings_of(const CronJob& now, const CronJob* before) {
    return cron_job_warnings(now, before);
}
void prepare_status_update(CronJob& now, const CronJob& before) { prepare_cron_job_status_update(now, before); }

void fill_defaults(Namespace& space) { default_namespace(space); }
void prepare_create(Namespace& space) { prepare_namespace_create(space); }
FieldErrors validate_create(const Namespace& space, const RuleContext&) { return validate_namespace_create(space); }
void prepare_update(Namespace& now, const Namespace& before) { prepare_namespace_update(now, before); }
FieldErrors validate_update(const Namespace& now, const Namespace& before, const RuleContext&) {
    return validate_namespace_update(now, before);
}
FieldErrors validate_status_update(const Namespace& now, const Namespace& before, const RuleContext&) {
    return validate_namespace_status_update(now, before);
}

// A node brings its own status when it registers.
void prepare_create(core::Node&) {}

FieldErrors validate_create(const core::ConfigMap& map, const RuleContext&) { return validate_config_map_create(map); }
FieldErrors validate_update(const core::ConfigMap& now, const core::ConfigMap& before, const RuleContext&) {
    return validate_config_map_update(now, before);
}

void fill_defaults(core::Secret& secret) { default_secret(secret); }
FieldErrors validate_create(const core::Secret& secret, const RuleContext&) { return validate_secret_create(secret); }
FieldErrors validate_update(const core::Secret& now, const core::Secret& before, const RuleContext&) {
    return validate_secret_update(now, before);
}

void fill_defaults(core::Service& service) { default_service(service); }
void prepare_create(core::Service& service) { prepare_service_create(service); }
FieldErrors validate_create(const core::Service& service, const RuleContext&) {
    return validate_service_create(service);
}
FieldErrors validate_update(const core::Service& now, const core::Service& before, const RuleContext&) {
    return validate_service_update(now, before);
}

void fill_defaults(core::PodTemplate& stored) { default_pod_template(stored.template_); }
void prepare_create(core::PodTemplate& stored) { stored.metadata.generation = 1; }
FieldErrors validate_create(const core::PodTemplate& stored, const RuleContext&) {
    FieldErrors errors;
    check_metadata(stored.metadata, true, is_dns1123_subdomain, FieldPath("metadata"), errors);
    errors.append(validate_pod_template(stored.template_, FieldPath("template")));
    return errors;
}
FieldErrors validate_update(const core::PodTemplate& now, const core::PodTemplate&, const RuleContext&) {
    return validate_pod_template(now.template_, FieldPath("template"));
}
void prepare_update(core::PodTemplate& now, const core::PodTemplate& before) {
    if (!is_equal(core::PodTemplateSpec::info(), &now.template_, &before.template_)) raise_generation(now.metadata);
}

void fill_defaults(core::LimitRange& range) { default_limit_range(range); }
FieldErrors validate_create(const core::LimitRange& range, const RuleContext&) {
    return validate_limit_range_create(range);
}
FieldErrors validate_update(const core::LimitRange& now, const core::LimitRange& before, const RuleContext&) {
    return validate_limit_range_update(now, before);
}

FieldErrors validate_create(const core::ResourceQuota& quota, const RuleContext&) {
    return validate_resource_quota_create(quota);
}
FieldErrors validate_update(const core::ResourceQuota& now, const core::ResourceQuota& before, const RuleContext&) {
    return validate_resource_quota_update(now, before);
}
FieldErrors validate_status_update(const core::ResourceQuota& now, const core::ResourceQuota& before,
                                   const RuleContext&) {
    return validate_resource_quota_status_update(now, before);
}

FieldErrors validate_create(const core::Event& event, const RuleContext&) { return validate_event_create(event); }
FieldErrors validate_update(const core::Event& now, const core::Event& before, const RuleContext&) {
    return validate_event_update(now, before);
}
FieldErrors validate_create(const events::Event& event, const RuleContext&) { return validate_event_create(event); }
FieldErrors validate_update(const events::Event& now, const events::Event& before, const RuleContext&) {
    return validate_event_update(now, before);
}

FieldErrors validate_create(const coordination::Lease& lease, const RuleContext&) {
    return validate_lease_create(lease);
}
FieldErrors validate_update(const coordination::Lease& now, const coordination::Lease& before, const RuleContext&) {
    return validate_lease_update(now, before);
}

void fill_defaults(scheduling::PriorityClass& priority_class) {
    if (!priority_class.preemption_policy) priority_class.preemption_policy = "PreemptLowerPriority";
}
void prepare_create(scheduling::PriorityClass& priority_class) { priority_class.metadata.generation = 1; }
FieldErrors validate_create(const scheduling::PriorityClass& priority_class, const RuleContext&) {
    return validate_priority_class_create(priority_class);
}
FieldErrors validate_update(const scheduling::PriorityClass& now, const scheduling::PriorityClass& before,
                            const RuleContext&) {
    return validate_priority_class_update(now, before);
}

void fill_defaults(runtime::RuntimeClass& runtime_class) {
    change_box(runtime_class.overhead, [](runtime::Overhead& overhead) { round_resources(overhead.pod_fixed); });
}
FieldErrors validate_create(const runtime::RuntimeClass& runtime_class, const RuleContext&) {
    return validate_runtime_class_create(runtime_class);
}
FieldErrors validate_update(const runtime::RuntimeClass& now, const runtime::RuntimeClass& before, const RuleContext&) {
    return validate_runtime_class_update(now, before);
}

using policy::PodDisruptionBudget;
void prepare_create(PodDisruptionBudget& budget) {
    budget.status = {};
    budget.metadata.generation = 1;
}
FieldErrors validate_create(const PodDisruptionBudget& budget, const RuleContext&) {
    return validate_disruption_budget_create(budget);
}
void prepare_update(PodDisruptionBudget& now, const PodDisruptionBudget& before) {
    now.status = before.status;
    if (!is_equal(policy::PodDisruptionBudgetSpec::info(), &now.spec, &before.spec)) raise_generation(now.metadata);
}
FieldErrors validate_update(const PodDisruptionBudget& now, const PodDisruptionBudget& before, const RuleContext&) {
    return validate_disruption_budget_update(now, before);
}
FieldErrors validate_status_update(const PodDisruptionBudget& now, const PodDisruptionBudget& before,
                                   const RuleContext&) {
    return validate_disruption_budget_status_update(now, before);
}

void fill_defaults(rbac::RoleBinding& binding) { default_role_binding(binding); }
void fill_defaults(rbac::ClusterRoleBinding& binding) { default_role_binding(binding); }
FieldErrors validate_create(const rbac::Role& role, const RuleContext&) { return validate_role_create(role); }
FieldErrors validate_create(const rbac::ClusterRole& role, const RuleContext&) { return validate_role_create(role); }
FieldErrors validate_create(const rbac::RoleBinding& binding, const RuleContext&) {
    return validate_role_binding_create(binding);
}
FieldErrors validate_create(const rbac::ClusterRoleBinding& binding, const RuleContext&) {
    return validate_role_binding_create(binding);
}
FieldErrors validate_update(const rbac::Role& now, const rbac::Role& before, const RuleContext&) {
    return validate_role_update(now, before);
}
FieldErrors validate_update(const rbac::ClusterRole& now, const rbac::ClusterRole& before, const RuleContext&) {
    return validate_role_update(now, before);
}
FieldErrors validate_update(const rbac::RoleBinding& now, const rbac::RoleBinding& before, const RuleContext&) {
    return validate_role_binding_update(now, before);
}
FieldErrors validate_update(const rbac::ClusterRoleBinding& now, const rbac::ClusterRoleBinding& before,
                            const RuleContext&) {
    return validate_role_binding_update(now, before);
}

// The queueing kinds. Like all custom resources they count the changes of everything but metadata and status.
template <class K>
concept OfQueueing = requires(const K& object) {
    check_queueing_create(object);
};
template <class K>
bool has_changed(const K& now, const K& before) {
    if constexpr (requires { now.spec; }) {
        return !is_equal(std::remove_cvref_t<decltype(now.spec)>::info(), &now.spec, &before.spec);
    } else {
        K same = before;
        same.metadata = now.metadata;
        return !is_equal(K::info(), &now, &same);
    }
}
template <OfQueueing K>
void fill_defaults(K& object) {
    default_queueing(object);
}
template <OfQueueing K>
void prepare_create(K& object) {
    if constexpr (HasStatus<K>) object.status = {};
    object.metadata.generation = 1;
}
template <OfQueueing K>
FieldErrors validate_create(const K& object, const RuleContext&) {
    return check_queueing_create(object).definition;
}
template <OfQueueing K>
void prepare_update(K& now, const K& before) {
    if constexpr (HasStatus<K>) now.status = before.status;
    if (has_changed(now, before)) raise_generation(now.metadata);
}
template <OfQueueing K>
FieldErrors validate_update(const K& now, const K& before, const RuleContext&) {
    return check_queueing_update(now, before).definition;
}
template <OfQueueing K>
FieldErrors validate_status_update(const K& now, const K& before, const RuleContext&) {
    if constexpr (std::is_same_v<K, kueue::Workload>) return check_workload_status_update(now, before).definition;
    return check_queueing_update(now, before).definition;
}

// Volumes and claims wait until they are bound.
void prepare_create(core::PersistentVolume& volume) {
    volume.status = {};
    volume.status.phase = "Pending";
}
void prepare_create(core::PersistentVolumeClaim& claim) {
    claim.status = {};
    claim.status.phase = "Pending";
}

template <class K>
K& as(void* object) {
    return *static_cast<K*>(object);
}
template <class K>
const K& as(const void* object) {
    return *static_cast<const K*>(object);
}

// As a kube-apiserver does, a refusal for metadata says nothing about the rest of the object.
template <class K>
FieldErrors metadata_update_errors(const K& now, const K& before) {
    FieldErrors errors;
    check_metadata_update(now.metadata, before.metadata, kMetadata, errors);
    return errors;
}

template <class K>
KindRules rules_for() {
    KindRules rules{};
    rules.kind = &kind_info<K>();
    rules.metadata = [](void* object) -> meta::ObjectMeta& { return as<K>(object).metadata; };
    rules.fill_defaults = [](void* object) { fill_defaults(as<K>(object)); };
    rules.prepare_create = [](void* object) {
        prepare_metadata_create(as<K>(object).metadata);
        prepare_create(as<K>(object));
    };
    rules.validate_create = [](const void* object, const RuleContext& context) {
        return validate_create(as<K>(object), context);
    };
    rules.prepare_update = [](void* now, const void* before) {
        prepare_metadata_update(as<K>(now).metadata, as<K>(before).metadata);
        prepare_update(as<K>(now), as<K>(before));
    };
    rules.validate_update = [](const void* now, const void* before, const RuleContext& context) {
        FieldErrors errors = metadata_update_errors(as<K>(now), as<K>(before));
        return errors.empty() ? validate_update(as<K>(now), as<K>(before), context) : errors;
    };
    rules.warnings = [](const void* now, const void* before) {
        return warnings_of(as<K>(now), static_cast<const K*>(before));
    };
    if constexpr (HasStatus<K>) {
        rules.prepare_status_update = [](void* now, const void* before) {
            prepare_metadata_update(as<K>(now).metadata, as<K>(before).metadata);
            prepare_status_update(as<K>(now), as<K>(before));
        };
        rules.validate_status_update = [](const void* now, const void* before, const RuleContext& context) {
            FieldErrors errors = metadata_update_errors(as<K>(now), as<K>(before));
            return errors.empty() ? validate_status_update(as<K>(now), as<K>(before), context) : errors;
        };
    }
    return rules;
}

template <class... K>
std::vector<KindRules> make_table() {
    return {rules_for<K>()...};
}

const std::vector<KindRules>& table() {
    static const std::vector<KindRules> rows =
        make_table<core::ConfigMap, core::Event, core::LimitRange, Namespace, core::Node, core::PersistentVolume,
                   core::PersistentVolumeClaim, Pod, core::PodTemplate, core::ResourceQuota, core::Secret,
                   core::Service, core::ServiceAccount, CronJob, Job, coordination::Lease, discovery::EndpointSlice,
                   events::Event, kueue::AdmissionCheck, kueue::ClusterQueue, kueue::Cohort, kueue::LocalQueue,
                   kueue::ResourceFlavor, kueue::Workload, kueue::WorkloadPriorityClass, policy::PodDisruptionBudget,
                   rbac::ClusterRole, rbac::ClusterRoleBinding, rbac::Role, rbac::RoleBinding, runtime::RuntimeClass,
                   scheduling::PriorityClass>();
    return rows;
}

}  // namespace

const KindRules* find_rules(const KindInfo& kind) {
    for (const KindRules& rules : table())
        if (rules.kind == &kind) return &rules;
    return nullptr;
}

}  // namespace muster::api
