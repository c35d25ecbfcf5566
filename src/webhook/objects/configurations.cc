#include "webhook/objects/configurations.h"

#include <boost/json/array.hpp>

#include "api/codec/base64.h"
#include "webhook/objects/expressions.h"

namespace muster::webhook {
namespace {

namespace json = boost::json;

constexpr int kTimeoutSeconds = 5;  // an answer comes from memory

struct Hook {
    std::string name;
    std::string path;
    json::array rules;
    json::object namespaces;
    std::vector<std::pair<std::string, std::string>> conditions;  // name and expression
    bool asked_again = false;                                     // after another webhook has changed the object
};

json::array texts(std::initializer_list<std::string_view> items) {
    json::array list;
    for (const std::string_view item : items) list.emplace_back(item);
    return list;
}

json::object rule(std::string_view group, std::string_view version, json::array resources, json::array operations,
                  std::string_view scope) {
    return {{"apiGroups", texts({group})},
            {"apiVersions", texts({version})},
            {"resources", std::move(resources)},
            {"operations", std::move(operations)},
            {"scope", scope}};
}
json::array pod_rules(json::array operations) {
    return {rule("", "v1", texts({"pods"}), std::move(operations), "Namespaced")};
}
json::array job_rules(json::array operations) {
    return {rule("batch", "v1", texts({"jobs"}), std::move(operations), "Namespaced")};
}

json::object expression(std::string_view key, std::string_view operation, json::array values) {
    return {{"key", key}, {"operator", operation}, {"values", std::move(values)}};
}

// The namespaces of the options without those that are never touched; with those only that have the label.
json::object namespaces(const ConfigurationOptions& options, const char* label = nullptr, const char* value = "") {
    json::object selector = options.namespace_selector;
    json::value& expressions = selector["matchExpressions"];
    if (!expressions.is_array()) expressions = json::array();
    expressions.as_array().push_back(expression("kubernetes.io/metadata.name", "NotIn",
                                                texts({"kube-system", "kueue-system", options.identity.namespace_})));
    if (label) expressions.as_array().push_back(expression(label, "In", texts({value})));
    return selector;
}

json::object to_object(const Hook& hook, const ConfigurationOptions& options, bool mutating) {
    json::object out{{"name", hook.name},
                     {"admissionReviewVersions", texts({"v1"})},
                     {"clientConfig", client_config(options, hook.path)},
                     {"rules", hook.rules},
                     {"namespaceSelector", hook.namespaces},
                     {"failurePolicy", "Fail"},
                     {"matchPolicy", "Equivalent"},
                     {"sideEffects", "None"},
                     {"timeoutSeconds", kTimeoutSeconds}};
    json::array conditions;
    for (const auto& [name, text] : hook.conditions)
        conditions.push_back(json::object{{"name", name}, {"expression", text}});
    if (!conditions.empty()) out["matchConditions"] = std::move(conditions);
    if (mutating) out["reinvocationPolicy"] = hook.asked_again ? "IfNeeded" : "Never";
    return out;
}

json::object to_configuration(const char* kind, const std::vector<Hook>& hooks, const ConfigurationOptions& options,
                              bool mutating) {
    json::object metadata{{"name", kConfigurationName}};
    if (!options.inject_authority_from.empty())
        metadata["annotations"] = json::object{{"cert-manager.io/inject-ca-from", options.inject_authority_from}};
    json::array webhooks;
    for (const Hook& hook : hooks) webhooks.push_back(to_object(hook, options, mutating));
    return {{"apiVersion", "admissionregistration.k8s.io/v1"},
            {"kind", kind},
            {"metadata", std::move(metadata)},
            {"webhooks", std::move(webhooks)}};
}

const std::pair<std::string, std::string>& no_mirror_pods() {
    static const std::pair<std::string, std::string> condition{"not-a-mirror-pod", cel_not(cel_mirror_pod("object"))};
    return condition;
}

// Work that names no queue: of namespaces that ask for it, or of all when the configuration says so.
Hook unnamed(Hook hook, const ConfigurationOptions& options) {
    hook.namespaces = options.all_work ? namespaces(options) : namespaces(options, kDefaultQueueLabel, kEnabled);
    return hook;
}

// Muster makes the pods of Jobs and the Jobs of CronJobs, and these may name a queue: its creations are looked at.
std::string foreign_request(const ConfigurationOptions& options) {
    return cel_or({"request.operation == 'CREATE'", cel_not(cel_own_request(options.identity))});
}

std::vector<Hook> mutating_hooks(const ConfigurationOptions& options) {
    const std::string pod = cel_queued_pod("object");
    const std::string job = cel_or({cel_queued_job("object"), cel_queued_job("oldObject")});
    std::vector<Hook> hooks;
    hooks.push_back({"pods.queue.muster.dev",
                     kMutatePath,
                     pod_rules(texts({"CREATE"})),
                     namespaces(options),
                     {{"has-a-queue", pod}, no_mirror_pods()},
                     true});
    hooks.push_back(unnamed({"other-pods.queue.muster.dev",
                             kMutatePath,
                             pod_rules(texts({"CREATE"})),
                             {},
                             {{"has-no-queue", cel_not(pod)}, no_mirror_pods()},
                             true},
                            options));
    hooks.push_back({"jobs.queue.muster.dev",
                     kMutatePath,
                     job_rules(texts({"CREATE", "UPDATE"})),
                     namespaces(options),
                     {{"has-a-queue", job}, {"not-muster-itself", foreign_request(options)}}});
    hooks.push_back(unnamed({"other-jobs.queue.muster.dev",
                             kMutatePath,
                             job_rules(texts({"CREATE"})),
                             {},
                             {{"has-no-queue", cel_not(job)}}},
                            options));
    hooks.push_back({"jobs.managed-by.muster.dev",
                     kMutatePath,
                     job_rules(texts({"CREATE"})),
                     namespaces(options, kJobsLabel, kJobsManaged),
                     {{"names-no-manager", "!has(object.spec.managedBy)"}}});
    hooks.push_back({"objects.queue.muster.dev",
                     kMutatePath,
                     {rule("kueue.x-k8s.io", "v1beta2",
                           texts({"admissionchecks", "clusterqueues", "cohorts", "localqueues", "resourceflavors",
                                  "workloads", "workloadpriorityclasses"}),
                           texts({"CREATE"}), "*")},
                     {},
                     {{"not-muster-itself", cel_not(cel_own_request(options.identity))}}});
    return hooks;
}

std::vector<Hook> validating_hooks(const ConfigurationOptions& options) {
    const std::string others = cel_not(cel_own_request(options.identity));
    const std::string pod = cel_or({cel_queued_pod("object"), cel_queued_pod("oldObject")});
    const std::string job = cel_or({cel_job_of_queues("object"), cel_job_of_queues("oldObject")});
    const std::string foreign = foreign_request(options);
    std::vector<Hook> hooks;
    hooks.push_back({"pods.check.queue.muster.dev",
                     kValidatePath,
                     pod_rules(texts({"CREATE", "UPDATE"})),
                     namespaces(options),
                     {{"has-a-queue", pod}, {"not-muster-itself", foreign}, no_mirror_pods()}});
    hooks.push_back({"jobs.check.queue.muster.dev",
                     kValidatePath,
                     job_rules(texts({"CREATE", "UPDATE"})),
                     namespaces(options),
                     {{"has-a-queue", job}, {"not-muster-itself", foreign}}});
    hooks.push_back({"objects.check.queue.muster.dev",
                     kValidatePath,
                     {rule("kueue.x-k8s.io", "v1beta2",
                           texts({"clusterqueues", "cohorts", "resourceflavors", "workloads", "workloads/status"}),
                           texts({"CREATE", "UPDATE"}), "*")},
                     {},
                     {{"not-muster-itself", others}}});
    return hooks;
}

}  // namespace

json::object client_config(const ConfigurationOptions& options, std::string_view path) {
    json::object config;
    const Identity& identity = options.identity;
    if (identity.url.empty())
        config["service"] = json::object{
            {"namespace", identity.namespace_}, {"name", identity.service}, {"path", path}, {"port", identity.port}};
    else
        config["url"] = identity.url + std::string(path);
    if (!options.authority.empty()) {
        std::string encoded;
        api::append_base64(options.authority, encoded);
        config["caBundle"] = encoded;
    }
    return config;
}

json::object conversion_spec(const ConfigurationOptions& options) {
    return {{"strategy", "Webhook"},
            {"webhook", json::object{{"conversionReviewVersions", texts({"v1"})},
                                     {"clientConfig", client_config(options, kConvertPath)}}}};
}

std::vector<json::object> webhook_configurations(const ConfigurationOptions& options) {
    return {to_configuration("MutatingWebhookConfiguration", mutating_hooks(options), options, true),
            to_configuration("ValidatingWebhookConfiguration", validating_hooks(options), options, false)};
}

}  // namespace muster::webhook
