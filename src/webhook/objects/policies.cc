#include "webhook/objects/policies.h"

#include <boost/json/array.hpp>

#include "api/kinds/kueue/kueue_names.h"
#include "webhook/objects/expressions.h"

namespace muster::webhook {
namespace {

namespace json = boost::json;
namespace names = api::kueue;
using Named = std::vector<std::pair<std::string, std::string>>;  // names and expressions

struct Policy {
    std::string name;
    std::string group;     // of the resource
    std::string resource;  // "pods"
    std::vector<std::string> operations;
    Named conditions{};
    Named variables{};
    // A mutating one: the objects whose fields are merged into the request's. A validating one: what must be true, and
    // the sentence for those that break it.
    std::vector<std::string> mutations{};
    Named validations{};
    std::string parameter_kind{};  // of the queueing group, named "default"
    const char* namespace_label = nullptr;
    const char* namespace_value = "";
    bool asked_again = false;
};

json::array list_of(const std::vector<std::string>& items) {
    json::array list;
    for (const std::string& item : items) list.emplace_back(item);
    return list;
}

json::array pairs_of(const Named& named, const char* first, const char* second) {
    json::array list;
    for (const auto& [name, text] : named) list.push_back(json::object{{first, name}, {second, text}});
    return list;
}

json::object selector_of(const Policy& policy, const PolicyOptions& options) {
    json::object selector = options.namespace_selector;
    json::value& expressions = selector["matchExpressions"];
    if (!expressions.is_array()) expressions = json::array();
    expressions.as_array().push_back(
        json::object{{"key", "kubernetes.io/metadata.name"},
                     {"operator", "NotIn"},
                     {"values", list_of({"kube-system", "kueue-system", options.identity.namespace_})}});
    if (policy.namespace_label)
        expressions.as_array().push_back(json::object{
            {"key", policy.namespace_label}, {"operator", "In"}, {"values", list_of({policy.namespace_value})}});
    return selector;
}

json::object spec_of(const Policy& policy, const PolicyOptions& options) {
    json::object rule{{"apiGroups", list_of({policy.group})},
                      {"apiVersions", list_of({"v1"})},
                      {"resources", list_of({policy.resource})},
                      {"operations", list_of(policy.operations)},
                      {"scope", "Namespaced"}};
    json::object spec{{"failurePolicy", "Fail"},
                      {"matchConstraints", json::object{{"namespaceSelector", selector_of(policy, options)},
                                                        {"resourceRules", json::array{std::move(rule)}}}}};
    if (!policy.conditions.empty()) spec["matchConditions"] = pairs_of(policy.conditions, "name", "expression");
    if (!policy.variables.empty()) spec["variables"] = pairs_of(policy.variables, "name", "expression");
    if (!policy.parameter_kind.empty())
        spec["paramKind"] = json::object{{"apiVersion", "kueue.x-k8s.io/v1beta2"}, {"kind", policy.parameter_kind}};
    if (policy.mutations.empty()) {
        json::array validations;
        for (const auto& [text, message] : policy.validations)
            validations.push_back(json::object{{"expression", text}, {"message", message}, {"reason", "Forbidden"}});
        spec["validations"] = std::move(validations);
        return spec;
    }
    json::array mutations;
    for (const std::string& text : policy.mutations)
        mutations.push_back(json::object{{"patchType", "ApplyConfiguration"},
                                         {"applyConfiguration", json::object{{"expression", text}}}});
    spec["mutations"] = std::move(mutations);
    spec["reinvocationPolicy"] = policy.asked_again ? "IfNeeded" : "Never";
    return spec;
}

void append_policy(const Policy& policy, const PolicyOptions& options, std::vector<json::object>& out) {
    const std::string kind = policy.mutations.empty() ? "ValidatingAdmissionPolicy" : "MutatingAdmissionPolicy";
    constexpr const char* kApi = "admissionregistration.k8s.io/v1";
    out.push_back({{"apiVersion", kApi},
                   {"kind", kind},
                   {"metadata", json::object{{"name", policy.name}}},
                   {"spec", spec_of(policy, options)}});
    json::object binding{{"policyName", policy.name}};
    if (policy.mutations.empty()) binding["validationActions"] = list_of({"Deny"});
    if (!policy.parameter_kind.empty())
        binding["paramRef"] = json::object{{"name", "default"}, {"parameterNotFoundAction", "Allow"}};
    out.push_back({{"apiVersion", kApi},
                   {"kind", kind + "Binding"},
                   {"metadata", json::object{{"name", policy.name}}},
                   {"spec", std::move(binding)}});
}

// {'key': 'value'}
std::string cel_map(std::string_view key, std::string_view value) {
    return "{" + cel_text(key) + ": " + cel_text(value) + "}";
}
std::string set_label(std::string_view key, std::string_view value) {
    return "Object{metadata: Object.metadata{labels: " + cel_map(key, value) + "}}";
}

std::string has_queue(std::string_view object) {
    return cel_value(object, "labels", names::kQueueNameLabel) + " != ''";
}

// The pods of a Job that has its quota: a Job controller makes them, from a template that says what it was admitted as.
std::string is_of_admitted_job(const Identity& identity) {
    return cel_and({cel_job_controller(identity), cel_has_any("object", "labels", {names::kPodSetLabel})});
}

std::vector<Policy> pod_mutations(const Identity& identity) {
    const std::pair<std::string, std::string> not_mirror{"not-a-mirror-pod", cel_not(cel_mirror_pod("object"))};
    const std::pair<std::string, std::string> not_admitted{"not-of-an-admitted-job",
                                                           cel_not(is_of_admitted_job(identity))};
    Policy queue{.name = "muster-queue-default-pods", .group = "", .resource = "pods", .operations = {"CREATE"}};
    queue.conditions = {{"has-no-queue", cel_not(has_queue("object"))},
                        {"not-of-a-job", cel_not(cel_and({cel_job_controller(identity), cel_owned_by_job("object")}))},
                        not_mirror};
    queue.parameter_kind = "LocalQueue";
    queue.mutations = {set_label(names::kQueueNameLabel, names::kDefaultLocalQueueName)};
    queue.namespace_label = kDefaultQueueLabel;
    queue.namespace_value = kEnabled;

    Policy priority{.name = "muster-queue-priority-pods", .group = "", .resource = "pods", .operations = {"CREATE"}};
    priority.conditions = {{"has-a-queue", has_queue("object")},
                           {"has-no-class", cel_not(cel_has_any("object", "labels", {names::kPriorityClassLabel}))},
                           not_admitted,
                           not_mirror};
    priority.parameter_kind = "WorkloadPriorityClass";
    priority.mutations = {set_label(names::kPriorityClassLabel, "default")};
    priority.asked_again = true;

    Policy gate{.name = "muster-queue-pods", .group = "", .resource = "pods", .operations = {"CREATE"}};
    gate.conditions = {{"has-a-queue", has_queue("object")}, not_admitted, not_mirror};
    const std::string source = cel_value("object", "annotations", names::kPodGroupPodIndexLabelAnnotation);
    gate.variables = {{"source", source},
                      {"index",
                       "has(object.metadata.labels) && variables.source in object.metadata.labels ? "
                       "object.metadata.labels[variables.source] : ''"}};
    gate.mutations = {"Object{metadata: Object.metadata{labels: variables.index != '' ? {" +
                      cel_text(names::kManagedLabel) + ": 'true', " + cel_text(names::kPodGroupPodIndexLabel) +
                      ": string(variables.index)} : " + cel_map(names::kManagedLabel, "true") +
                      ", annotations: " + cel_map(names::kQueuedAnnotation, "true") + ", finalizers: [" +
                      cel_text(names::kPodFinalizer) + "]}, spec: Object.spec{schedulingGates: " +
                      "[Object.spec.schedulingGates{name: " + cel_text(names::kAdmissionGate) + "}]}}"};
    gate.asked_again = true;
    return {queue, priority, gate};
}

std::vector<Policy> job_mutations(const Identity& identity) {
    const std::string own = cel_own_request(identity);
    Policy manager{.name = "muster-jobs-managed-by", .group = "batch", .resource = "jobs", .operations = {"CREATE"}};
    manager.conditions = {{"names-no-manager", "!has(object.spec.managedBy)"}};
    manager.mutations = {"Object{spec: Object.spec{managedBy: " + cel_text(identity.managed_by) + "}}"};
    manager.namespace_label = kJobsLabel;
    manager.namespace_value = kJobsManaged;

    Policy queue{.name = "muster-queue-default-jobs", .group = "batch", .resource = "jobs", .operations = {"CREATE"}};
    queue.conditions = {{"has-no-queue", cel_not(has_queue("object"))}};
    queue.parameter_kind = "LocalQueue";
    queue.mutations = {set_label(names::kQueueNameLabel, names::kDefaultLocalQueueName)};
    queue.namespace_label = kDefaultQueueLabel;
    queue.namespace_value = kEnabled;

    Policy priority{
        .name = "muster-queue-priority-jobs", .group = "batch", .resource = "jobs", .operations = {"CREATE"}};
    priority.conditions = {{"has-a-queue", has_queue("object")},
                           {"has-no-class", cel_not(cel_has_any("object", "labels", {names::kPriorityClassLabel}))}};
    priority.parameter_kind = "WorkloadPriorityClass";
    priority.mutations = {set_label(names::kPriorityClassLabel, "default")};
    priority.asked_again = true;

    Policy suspend{.name = "muster-queue-jobs", .group = "batch", .resource = "jobs", .operations = {"CREATE"}};
    suspend.conditions = {{"has-a-queue", has_queue("object")}};
    suspend.mutations = {"Object{spec: Object.spec{suspend: true}}"};
    suspend.asked_again = true;

    // A queued Job that runs and is made larger stops in the same write: it has no quota for the pods that were added.
    const auto pods = [](const std::string& object) {
        const std::string spec = object + ".spec";
        const std::string parallelism = "(has(" + spec + ".parallelism) ? " + spec + ".parallelism : 1)";
        return "has(" + spec + ".completions) && " + spec + ".completions < " + parallelism + " ? " + spec +
               ".completions : " + parallelism;
    };
    Policy larger{.name = "muster-queue-larger-jobs", .group = "batch", .resource = "jobs", .operations = {"UPDATE"}};
    const auto runs = [](const std::string& object) {
        return cel_not("has(" + object + ".spec.suspend) && " + object + ".spec.suspend");
    };
    larger.conditions = {
        {"has-a-queue", has_queue("oldObject")},
        {"not-muster-itself", cel_not(own)},
        {"runs", cel_and({runs("object"), runs("oldObject"), "!has(object.metadata.deletionTimestamp)"})},
        {"has-not-ended",
         "!has(oldObject.status.conditions) || !oldObject.status.conditions.exists(c, c.type in "
         "['Complete', 'Failed'] && c.status == 'True')"},
        {"is-larger", "(" + pods("object") + ") > (" + pods("oldObject") + ")"}};
    larger.mutations = {"Object{metadata: Object.metadata{annotations: " + cel_map(names::kStoppingAnnotation, "true") +
                        "}, spec: Object.spec{suspend: true}}"};
    return {manager, queue, priority, suspend, larger};
}

std::string is_gated(std::string_view object) {
    const std::string gates = std::string(object) + ".spec.schedulingGates";
    return "has(" + gates + ") && " + gates + ".exists(g, g.name == " + cel_text(names::kAdmissionGate) + ")";
}
std::string same_value(std::string_view map, std::string_view key) {
    return cel_value("object", map, key) + " == " + cel_value("oldObject", map, key);
}
std::string immutable(std::string_view what) { return std::string(what) + " cannot be changed"; }

std::string is_managed(std::string_view object) {
    return cel_and({cel_value(object, "labels", names::kManagedLabel) + " == 'true'",
                    cel_has_any(object, "annotations", {names::kQueuedAnnotation, names::kRoleHashAnnotation})});
}

std::vector<Policy> pod_validations(const Identity& identity) {
    Policy made{.name = "muster-queue-check-pods", .group = "", .resource = "pods", .operations = {"CREATE"}};
    made.conditions = {{"has-a-queue", cel_queued_pod("object")}};
    const std::string marked = cel_has_any("object", "annotations", {names::kQueuedAnnotation});
    const std::string label = cel_value("object", "labels", names::kManagedLabel);
    const std::string total = cel_value("object", "annotations", names::kPodGroupTotalCountAnnotation);
    const std::string group = cel_or({cel_value("object", "labels", names::kPodGroupName) + " != ''",
                                      cel_value("object", "annotations", names::kPodGroupName) + " != ''"});
    made.validations = {
        {cel_or({cel_not(marked), is_gated("object")}),
         std::string("annotation ") + names::kQueuedAnnotation + " is written when a pod is put into a queue"},
        {cel_or({cel_not(cel_has_any("object", "labels", {names::kManagedLabel})), label + " == 'true'"}),
         std::string("label ") + names::kManagedLabel + " can only be \"true\""},
        {total + " == '' || " + total + ".matches('^[1-9][0-9]{0,6}$')",
         std::string(names::kPodGroupTotalCountAnnotation) + " must be a whole number of pods, 1 or more"},
        {cel_or({total + " == ''", group}),
         std::string("label ") + names::kPodGroupName + " is needed by " + names::kPodGroupTotalCountAnnotation}};

    Policy changed{.name = "muster-queue-check-pod-updates", .group = "", .resource = "pods", .operations = {"UPDATE"}};
    changed.conditions = {{"has-a-queue", cel_or({cel_queued_pod("object"), cel_queued_pod("oldObject")})},
                          {"not-muster-itself", cel_not(cel_own_request(identity))},
                          {"not-being-deleted", "!has(object.metadata.deletionTimestamp)"}};
    changed.variables = {{"managed", is_managed("oldObject")}, {"gated", is_gated("object")}};
    const std::string group_before = cel_value("oldObject", "labels", names::kPodGroupName);
    changed.validations = {
        {cel_or({"variables.managed", same_value("labels", names::kManagedLabel)}),
         "only pods that are created can be put into a queue"},
        {cel_or({"!variables.managed", same_value("labels", names::kManagedLabel)}),
         immutable(std::string("label ") + names::kManagedLabel)},
        {same_value("annotations", names::kQueuedAnnotation),
         immutable(std::string("annotation ") + names::kQueuedAnnotation)},
        {same_value("annotations", names::kRoleHashAnnotation),
         immutable(std::string("annotation ") + names::kRoleHashAnnotation)},
        {cel_or({"!variables.managed", "variables.gated", same_value("labels", names::kQueueNameLabel)}),
         "the queue of a pod that runs cannot be changed"},
        {cel_or({"!variables.managed", cel_not(is_gated("oldObject")), "variables.gated"}),
         std::string("spec.schedulingGates: the gate ") + names::kAdmissionGate +
             " of a pod that is queued is removed by the queue controller when its Workload is admitted"},
        {cel_or({"!variables.managed", group_before + " == '' && variables.gated",
                 same_value("labels", names::kPodGroupName)}),
         immutable("the group of a pod")}};
    return {made, changed};
}

std::vector<Policy> job_validations(const Identity& identity) {
    Policy changed{
        .name = "muster-queue-check-job-updates", .group = "batch", .resource = "jobs", .operations = {"UPDATE"}};
    changed.conditions = {{"has-a-queue", cel_or({cel_job_of_queues("object"), cel_job_of_queues("oldObject")})},
                          {"not-muster-itself", cel_not(cel_own_request(identity))},
                          {"not-being-deleted", "!has(object.metadata.deletionTimestamp)"}};
    changed.variables = {{"suspended", "has(object.spec.suspend) && object.spec.suspend"},
                         {"was_suspended", "has(oldObject.spec.suspend) && oldObject.spec.suspend"}};
    changed.validations = {
        {cel_or({cel_not(has_queue("oldObject")), "!variables.was_suspended", "variables.suspended"}),
         "spec.suspend: a Job that is queued is resumed by the queue controller when its Workload is admitted"},
        {cel_or({"variables.suspended", same_value("labels", names::kQueueNameLabel)}),
         "the queue of a Job that runs cannot be changed"},
        {cel_or({"variables.suspended", cel_and({same_value("labels", names::kPrebuiltWorkloadName),
                                                 same_value("annotations", names::kPrebuiltWorkloadName)})}),
         "the Workload of a Job that runs cannot be changed"},
        {cel_or(
             {"variables.suspended && variables.was_suspended", same_value("labels", names::kMaxExecTimeSecondsLabel)}),
         "the time that a Job may take cannot be changed while it runs"}};
    return {changed};
}

}  // namespace

std::vector<json::object> admission_policies(const PolicyOptions& options) {
    std::vector<json::object> out;
    for (const auto& policies : {pod_mutations(options.identity), job_mutations(options.identity),
                                 pod_validations(options.identity), job_validations(options.identity)})
        for (const Policy& policy : policies) append_policy(policy, options, out);
    return out;
}

}  // namespace muster::webhook
