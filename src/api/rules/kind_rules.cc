#include "api/rules/kind_rules.h"

#include "api/defaults/config.h"
#include "api/defaults/defined.h"
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
#include "api/kinds/core/pod_phase.h"
#include "api/registry/defined_kind.h"
#include "api/registry/kind_column.h"
#include "api/rules/typed_rules.h"
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
#include "api/validation/queueing/queueing_warnings.h"
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
using policy::PodDisruptionBudget;

// The row of each kind that has rules.
template <class K>
constexpr Rules<K> rules_of() = delete;

// A pod that was made before generations were counted has none to count from.
void prepare_pod_update(Pod& now, const Pod& before) {
    now.status = before.status;
    if (before.metadata.generation > 0 && !is_equal(core::PodSpec::info(), &now.spec, &before.spec))
        raise_generation(now.metadata);
}
// A status update changes neither the owners of a pod nor its class of service.
void prepare_pod_status_update(Pod& now, const Pod& before) {
    now.spec = before.spec;
    now.metadata.owner_references = before.metadata.owner_references;
    if (now.status.qos_class.empty()) now.status.qos_class = before.status.qos_class;
    keep_observed_generations(now.status, before.status);
}
GraceRules pod_grace(const Pod& pod) {
    return {true, pod.spec.termination_grace_period_seconds.value_or(0), pod.spec.node_name.empty() || has_ended(pod)};
}
template <>
constexpr Rules<Pod> rules_of() {
    return {.fill_defaults = default_pod,
            .prepare_create = prepare_pod_create,
            .validate_create = validate_pod_create,
            .prepare_update = prepare_pod_update,
            .validate_update = validate_pod_update,
            .prepare_status_update = prepare_pod_status_update,
            .validate_status_update = validate_pod_status_update,
            .grace = pod_grace};
}

template <>
constexpr Rules<Job> rules_of() {
    return {.fill_defaults = default_job,
            .prepare_create = prepare_job_create,
            .validate_create = validate_job_create,
            .prepare_update = prepare_job_update,
            .validate_update = validate_job_update,
            .warnings = job_warnings,
            .prepare_status_update = prepare_job_status_update,
            .validate_status_update = validate_job_status_update};
}

FieldErrors validate_new_cron_job(const CronJob& cron_job, const RuleContext& context) {
    return validate_cron_job_create(cron_job, context.knows_time_zone);
}
FieldErrors validate_changed_cron_job(const CronJob& now, const CronJob& before, const RuleContext& context) {
    return validate_cron_job_update(now, before, context.knows_time_zone);
}
template <>
constexpr Rules<CronJob> rules_of() {
    return {.fill_defaults = default_cron_job,
            .prepare_create = prepare_cron_job_create,
            .validate_create = validate_new_cron_job,
            .prepare_update = prepare_cron_job_update,
            .validate_update = validate_changed_cron_job,
            .warnings = cron_job_warnings,
            .prepare_status_update = prepare_cron_job_status_update};
}

template <class K>
K& as(void* object) {
    return *static_cast<K*>(object);
}
template <class K>
const K& as(const void* object) {
    return *static_cast<const K*>(object);
}

constexpr SpecFinalizers kNamespaceFinalizers{
    .any = [](const void* space) { return !as<Namespace>(space).spec.finalizers.empty(); },
    .validate = [](const void* space) { return validate_namespace_finalize(as<Namespace>(space)); },
    .copy = [](void* to, const void* from) { as<Namespace>(to).spec.finalizers = as<Namespace>(from).spec.finalizers; },
    .mark_deleted = [](void* space) { as<Namespace>(space).status.phase = "Terminating"; }};
template <>
constexpr Rules<Namespace> rules_of() {
    return {.fill_defaults = default_namespace,
            .prepare_create = prepare_namespace_create,
            .validate_create = validate_namespace_create,
            .prepare_update = prepare_namespace_update,
            .validate_update = validate_namespace_update,
            .validate_status_update = validate_namespace_status_update,
            .spec_finalizers = &kNamespaceFinalizers};
}

// A node brings its own status when it registers.
template <>
constexpr Rules<core::Node> rules_of() {
    return {.prepare_create = plain_rules::fill_nothing<core::Node>};
}

template <>
constexpr Rules<core::ConfigMap> rules_of() {
    return {.validate_create = validate_config_map_create, .validate_update = validate_config_map_update};
}

template <>
constexpr Rules<core::Secret> rules_of() {
    return {.fill_defaults = default_secret,
            .validate_create = validate_secret_create,
            .validate_update = validate_secret_update};
}

template <>
constexpr Rules<core::Service> rules_of() {
    return {.fill_defaults = default_service,
            .prepare_create = prepare_service_create,
            .validate_create = validate_service_create,
            .validate_update = validate_service_update};
}

template <>
constexpr Rules<core::ServiceAccount> rules_of() {
    return {};
}

void default_stored_template(core::PodTemplate& stored) { default_pod_template(stored.template_); }
void prepare_new_template(core::PodTemplate& stored) { stored.metadata.generation = 1; }
FieldErrors validate_new_template(const core::PodTemplate& stored) {
    FieldErrors errors = plain_rules::check_new_metadata(stored);
    errors.append(validate_pod_template(stored.template_, FieldPath("template")));
    return errors;
}
void prepare_changed_template(core::PodTemplate& now, const core::PodTemplate& before) {
    if (!is_equal(core::PodTemplateSpec::info(), &now.template_, &before.template_)) raise_generation(now.metadata);
}
FieldErrors validate_changed_template(const core::PodTemplate& now, const core::PodTemplate&) {
    return validate_pod_template(now.template_, FieldPath("template"));
}
template <>
constexpr Rules<core::PodTemplate> rules_of() {
    return {.fill_defaults = default_stored_template,
            .prepare_create = prepare_new_template,
            .validate_create = validate_new_template,
            .prepare_update = prepare_changed_template,
            .validate_update = validate_changed_template};
}

template <>
constexpr Rules<core::LimitRange> rules_of() {
    return {.fill_defaults = default_limit_range,
            .validate_create = validate_limit_range_create,
            .validate_update = validate_limit_range_update};
}

template <>
constexpr Rules<core::ResourceQuota> rules_of() {
    return {.validate_create = validate_resource_quota_create,
            .validate_update = validate_resource_quota_update,
            .validate_status_update = validate_resource_quota_status_update};
}

template <>
constexpr Rules<core::Event> rules_of() {
    return {.validate_create = validate_event_create, .validate_update = validate_event_update};
}
template <>
constexpr Rules<events::Event> rules_of() {
    return {.validate_create = validate_event_create, .validate_update = validate_event_update};
}

template <>
constexpr Rules<coordination::Lease> rules_of() {
    return {.validate_create = validate_lease_create, .validate_update = validate_lease_update};
}

template <>
constexpr Rules<discovery::EndpointSlice> rules_of() {
    return {};
}

void default_priority_class(scheduling::PriorityClass& priority_class) {
    if (!priority_class.preemption_policy) priority_class.preemption_policy = "PreemptLowerPriority";
}
void prepare_new_priority_class(scheduling::PriorityClass& priority_class) { priority_class.metadata.generation = 1; }
template <>
constexpr Rules<scheduling::PriorityClass> rules_of() {
    return {.fill_defaults = default_priority_class,
            .prepare_create = prepare_new_priority_class,
            .validate_create = validate_priority_class_create,
            .validate_update = validate_priority_class_update};
}

void default_runtime_class(runtime::RuntimeClass& runtime_class) {
    change_box(runtime_class.overhead, [](runtime::Overhead& overhead) { round_resources(overhead.pod_fixed); });
}
template <>
constexpr Rules<runtime::RuntimeClass> rules_of() {
    return {.fill_defaults = default_runtime_class,
            .validate_create = validate_runtime_class_create,
            .validate_update = validate_runtime_class_update};
}

void prepare_new_budget(PodDisruptionBudget& budget) {
    budget.status = {};
    budget.metadata.generation = 1;
}
void prepare_changed_budget(PodDisruptionBudget& now, const PodDisruptionBudget& before) {
    now.status = before.status;
    if (!is_equal(policy::PodDisruptionBudgetSpec::info(), &now.spec, &before.spec)) raise_generation(now.metadata);
}
template <>
constexpr Rules<PodDisruptionBudget> rules_of() {
    return {.prepare_create = prepare_new_budget,
            .validate_create = validate_disruption_budget_create,
            .prepare_update = prepare_changed_budget,
            .validate_update = validate_disruption_budget_update,
            .validate_status_update = validate_disruption_budget_status_update};
}

template <>
constexpr Rules<rbac::Role> rules_of() {
    return {.validate_create = validate_role_create, .validate_update = validate_role_update};
}
template <>
constexpr Rules<rbac::ClusterRole> rules_of() {
    return {.validate_create = validate_role_create, .validate_update = validate_role_update};
}
template <>
constexpr Rules<rbac::RoleBinding> rules_of() {
    return {.fill_defaults = default_role_binding,
            .validate_create = validate_role_binding_create,
            .validate_update = validate_role_binding_update};
}
template <>
constexpr Rules<rbac::ClusterRoleBinding> rules_of() {
    return {.fill_defaults = default_role_binding,
            .validate_create = validate_role_binding_create,
            .validate_update = validate_role_binding_update};
}

// Volumes and claims wait until they are bound.
template <class K>
void prepare_unbound(K& object) {
    object.status = {};
    object.status.phase = "Pending";
}
template <>
constexpr Rules<core::PersistentVolume> rules_of() {
    return {.prepare_create = prepare_unbound<core::PersistentVolume>};
}
template <>
constexpr Rules<core::PersistentVolumeClaim> rules_of() {
    return {.prepare_create = prepare_unbound<core::PersistentVolumeClaim>};
}

// The queueing kinds. Like all custom resources they count the changes of everything but metadata and status.
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
template <class K>
void prepare_new_queueing(K& object) {
    plain_rules::clear_status(object);
    object.metadata.generation = 1;
}
template <class K>
FieldErrors validate_new_queueing(const K& object) {
    return check_queueing_create(object).definition;
}
template <class K>
void prepare_changed_queueing(K& now, const K& before) {
    plain_rules::keep_status(now, before);
    if (has_changed(now, before)) raise_generation(now.metadata);
}
template <class K>
FieldErrors validate_changed_queueing(const K& now, const K& before) {
    return check_queueing_update(now, before).definition;
}
template <class K>
constexpr Rules<K> queueing_rules() {
    return {.fill_defaults = default_queueing,
            .prepare_create = prepare_new_queueing<K>,
            .validate_create = validate_new_queueing<K>,
            .prepare_update = prepare_changed_queueing<K>,
            .validate_update = validate_changed_queueing<K>,
            .validate_status_update = validate_changed_queueing<K>};
}
FieldErrors validate_workload_status(const kueue::Workload& now, const kueue::Workload& before) {
    return check_workload_status_update(now, before).definition;
}
template <>
constexpr Rules<kueue::Workload> rules_of() {
    Rules<kueue::Workload> rules = queueing_rules<kueue::Workload>();
    rules.validate_status_update = validate_workload_status;
    rules.warnings = workload_warnings;
    return rules;
}
template <>
constexpr Rules<kueue::AdmissionCheck> rules_of() {
    return queueing_rules<kueue::AdmissionCheck>();
}
template <>
constexpr Rules<kueue::ClusterQueue> rules_of() {
    Rules<kueue::ClusterQueue> rules = queueing_rules<kueue::ClusterQueue>();
    rules.warnings = cluster_queue_warnings;
    return rules;
}
template <>
constexpr Rules<kueue::Cohort> rules_of() {
    return queueing_rules<kueue::Cohort>();
}
template <>
constexpr Rules<kueue::LocalQueue> rules_of() {
    Rules<kueue::LocalQueue> rules = queueing_rules<kueue::LocalQueue>();
    rules.warnings = local_queue_warnings;
    return rules;
}
template <>
constexpr Rules<kueue::ResourceFlavor> rules_of() {
    Rules<kueue::ResourceFlavor> rules = queueing_rules<kueue::ResourceFlavor>();
    rules.warnings = resource_flavor_warnings;
    return rules;
}
template <>
constexpr Rules<kueue::WorkloadPriorityClass> rules_of() {
    return queueing_rules<kueue::WorkloadPriorityClass>();
}

// Those of defined kinds, which differ in their scope and in whether status is a subresource.
template <bool kNamespaced>
FieldErrors validate_new_defined(const DefinedObject& object) {
    FieldErrors errors;
    check_metadata(object.metadata, kNamespaced, is_dns1123_subdomain, FieldPath("metadata"), errors);
    return errors;
}
template <bool kNamespaced, bool kHasStatus>
struct DefinedRules {
    static constexpr Rules<DefinedObject> kRules{
        .fill_defaults = default_defined,
        .prepare_create = [](DefinedObject& object) { prepare_defined_create(object, kHasStatus); },
        .validate_create = validate_new_defined<kNamespaced>,
        .prepare_update = [](DefinedObject& now,
                             const DefinedObject& before) { prepare_defined_update(now, before, kHasStatus); },
        .prepare_status_update = prepare_defined_status_update};
};
template <class K>
struct DeclaredRules {
    static constexpr Rules<K> kRules = rules_of<K>();
};

// As a kube-apiserver does, a refusal for metadata says nothing about the rest of the object.
template <class K>
FieldErrors metadata_update_errors(const K& now, const K& before) {
    FieldErrors errors;
    check_metadata_update(now.metadata, before.metadata, kMetadata, errors);
    return errors;
}

// The row for code that does not know the type.
template <class K, class Row>
KindRules untyped() {
    KindRules rules{};
    rules.metadata = [](void* object) -> meta::ObjectMeta& { return as<K>(object).metadata; };
    rules.fill_defaults = [](void* object) { Row::kRules.fill_defaults(as<K>(object)); };
    rules.prepare_create = [](void* object) {
        prepare_metadata_create(as<K>(object).metadata);
        Row::kRules.prepare_create(as<K>(object));
    };
    rules.validate_create = [](const void* object, const RuleContext& context) {
        return Row::kRules.validate_create(as<K>(object), context);
    };
    rules.prepare_update = [](void* now, const void* before) {
        prepare_metadata_update(as<K>(now).metadata, as<K>(before).metadata);
        Row::kRules.prepare_update(as<K>(now), as<K>(before));
    };
    rules.validate_update = [](const void* now, const void* before, const RuleContext& context) {
        FieldErrors errors = metadata_update_errors(as<K>(now), as<K>(before));
        return errors.empty() ? Row::kRules.validate_update(as<K>(now), as<K>(before), context) : errors;
    };
    rules.warnings = [](const void* now, const void* before) {
        return Row::kRules.warnings(as<K>(now), static_cast<const K*>(before));
    };
    if constexpr (HasStatus<K>) {
        rules.prepare_status_update = [](void* now, const void* before) {
            prepare_metadata_update(as<K>(now).metadata, as<K>(before).metadata);
            Row::kRules.prepare_status_update(as<K>(now), as<K>(before));
        };
        rules.validate_status_update = [](const void* now, const void* before, const RuleContext& context) {
            FieldErrors errors = metadata_update_errors(as<K>(now), as<K>(before));
            return errors.empty() ? Row::kRules.validate_status_update(as<K>(now), as<K>(before), context) : errors;
        };
    }
    rules.grace = [](const void* object) { return Row::kRules.grace(as<K>(object)); };
    rules.spec_finalizers = Row::kRules.spec_finalizers;
    return rules;
}

template <bool kNamespaced, bool kHasStatus>
void add_defined(KindColumn<KindRules>& column) {
    column.set(defined_row(kNamespaced, kHasStatus), untyped<DefinedObject, DefinedRules<kNamespaced, kHasStatus>>());
}

// Events are also written in their newer form, which has rules of its own.
KindColumn<KindRules> make_column() {
    KindColumn<KindRules> column(Joined<StoredKinds, KindList<events::Event>>{}, []<class K>() {
        KindRules rules = untyped<K, DeclaredRules<K>>();
        rules.kind = &kind_info<K>();
        return rules;
    });
    add_defined<false, false>(column);
    add_defined<false, true>(column);
    add_defined<true, false>(column);
    add_defined<true, true>(column);
    return column;
}

}  // namespace

const KindRules* find_rules(const KindInfo& kind) {
    static const KindColumn<KindRules> column = make_column();
    return column.find(kind);
}

}  // namespace muster::api
