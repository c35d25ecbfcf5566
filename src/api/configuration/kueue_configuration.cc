#include "api/configuration/kueue_configuration.h"

#include "api/codec/decode.h"
#include "api/kinds/kueue/configuration.h"
#include "api/validation/rules/field_errors.h"
#include "api/validation/rules/metadata.h"

namespace muster::api::kueue {
namespace config {

DEFINE_TYPE(RequeuingStrategy)
DEFINE_TYPE(WaitForPodsReady)
DEFINE_TYPE(PodOptions)
DEFINE_TYPE(Integrations)
DEFINE_TYPE(FairSharing)
DEFINE_TYPE(Resources)
DEFINE_TYPE(Configuration)

}  // namespace config

namespace {

constexpr std::string_view kNamespaceNameLabel = "kubernetes.io/metadata.name";
constexpr std::string_view kSystemNamespace = "kube-system";
constexpr std::string_view kKueueNamespace = "kueue-system";
constexpr const char* kNotSupported = "is not supported by this server";

LabelSelector all_namespaces_but(std::string_view first, std::string_view second) {
    const Text names[] = {Text(first), Text(second)};
    LabelSelector selector;
    CHECK(selector.add(kNamespaceNameLabel, LabelSelector::Op::kNotIn, names).ok());
    return selector;
}

// One reading of a file: what it says in `file_`, what comes of it in `out`, what is wrong in `errors`.
class Reading {
public:
    Reading(const config::Configuration& file, bool older) : file_(file), older_(older) {}

    void read() {
        refuse_unsupported();
        read_integrations();
        read_namespaces();
        if (file_.wait_for_pods_ready) read_pods_ready(*file_.wait_for_pods_ready);
        if (file_.fair_sharing) read_fair_sharing(*file_.fair_sharing);
    }

    std::vector<std::string> ignored() const;

    QueueConfiguration out;
    FieldErrors errors;

private:
    void refuse(bool is_there, const FieldPath& path) {
        if (is_there) errors.add_forbidden(path, kNotSupported);
    }
    void refuse_unsupported();
    void read_integrations();
    void read_pod_options(const config::PodOptions& options, const FieldPath& path);
    void read_namespaces();
    bool read_switch(const std::optional<bool>& enable, const FieldPath& path);
    void read_pods_ready(const config::WaitForPodsReady& from);
    void read_requeuing(const config::RequeuingStrategy& from, const FieldPath& path, PodsReadyRules& rules);
    void read_fair_sharing(const config::FairSharing& from);
    LabelSelector read_selector(const meta::LabelSelector& from, const FieldPath& path);
    Duration read_duration(const Span& span, const FieldPath& path);
    int read_seconds(const std::optional<std::int32_t>& from, int otherwise, const FieldPath& path);

    const config::Configuration& file_;
    const bool older_;  // v1beta1
};

void Reading::refuse_unsupported() {
    refuse(!file_.multi_kueue.json.empty(), FieldPath("multiKueue"));
    refuse(!file_.admission_fair_sharing.json.empty(), FieldPath("admissionFairSharing"));
    refuse(!file_.object_retention_policies.json.empty(), FieldPath("objectRetentionPolicies"));
    refuse(!file_.feature_gates.empty(), FieldPath("featureGates"));
    refuse(!file_.queue_visibility.json.empty(), FieldPath("queueVisibility"));
    const config::Resources* resources = file_.resources.get();
    if (!resources) return;
    const FieldPath path("resources");
    if (resources->quota_check_strategy && !(*resources->quota_check_strategy == "BlockUndeclared"))
        errors.add_not_supported(path.child("quotaCheckStrategy"), *resources->quota_check_strategy,
                                 {"BlockUndeclared"});
    refuse(!resources->exclude_resource_prefixes.empty(), path.child("excludeResourcePrefixes"));
    refuse(!resources->transformations.json.empty(), path.child("transformations"));
    refuse(!resources->device_class_mappings.json.empty(), path.child("deviceClassMappings"));
}

void Reading::read_integrations() {
    const config::Integrations* from = file_.integrations.get();
    if (!from) return;
    const FieldPath path("integrations");
    if (!from->frameworks.empty()) {
        out.jobs = out.pods = false;
        for (std::size_t i = 0; i < from->frameworks.size(); ++i) {
            const Text& name = from->frameworks[i];
            const FieldPath at = path.child("frameworks").index(i);
            bool* known = name == "batch/job" ? &out.jobs : name == "pod" ? &out.pods : nullptr;
            if (!known) errors.add_not_supported(at, name, {"batch/job", "pod"});
            if (known && *known) errors.add_duplicate(at, name);
            if (known) *known = true;
        }
    }
    refuse(!from->external_frameworks.empty(), path.child("externalFrameworks"));
    for (std::size_t i = 0; i < from->label_keys_to_copy.size(); ++i) {
        const Text& key = from->label_keys_to_copy[i];
        errors.add_problems(path.child("labelKeysToCopy").index(i), key, is_qualified_name(key));
        out.label_keys_to_copy.push_back(key);
    }
    if (from->pod_options) read_pod_options(*from->pod_options, path.child("podOptions"));
}

void Reading::read_pod_options(const config::PodOptions& options, const FieldPath& path) {
    if (options.namespace_selector)
        out.pod_namespace_selector = read_selector(*options.namespace_selector, path.child("namespaceSelector"));
    if (options.pod_selector) out.pod_selector = read_selector(*options.pod_selector, path.child("podSelector"));
}

void Reading::read_namespaces() {
    out.manage_jobs_without_queue_name = file_.manage_jobs_without_queue_name;
    const std::string_view own =
        file_.namespace_ && !file_.namespace_->empty() ? file_.namespace_->view() : kKueueNamespace;
    if (!file_.managed_jobs_namespace_selector) {
        out.managed_jobs_namespace_selector = all_namespaces_but(kSystemNamespace, own);
        return;
    }
    const FieldPath path("managedJobsNamespaceSelector");
    out.managed_jobs_namespace_selector = read_selector(*file_.managed_jobs_namespace_selector, path);
    if (!out.pods || !errors.empty()) return;
    for (const std::string_view name : {kSystemNamespace, own}) {
        Map<Text> labels;
        labels.set(kNamespaceNameLabel, Text(name));
        if (out.managed_jobs_namespace_selector.matches(labels))
            errors.add_invalid(path, shown_json(*file_.managed_jobs_namespace_selector),
                               "should not match the \"" + std::string(name) + "\" namespace");
    }
}

// v1beta1 turns a section on with `enable`, v1beta2 by having it.
bool Reading::read_switch(const std::optional<bool>& enable, const FieldPath& path) {
    if (older_) return enable.value_or(false);
    if (enable) errors.add_forbidden(path.child("enable"), "is of v1beta1; in v1beta2 the section itself turns it on");
    return true;
}

void Reading::read_pods_ready(const config::WaitForPodsReady& from) {
    const FieldPath path("waitForPodsReady");
    if (!read_switch(from.enable, path)) return;
    constexpr Duration kTimeoutInOlder = std::chrono::minutes(5);
    PodsReadyRules rules;
    if (from.timeout)
        rules.timeout = read_duration(*from.timeout, path.child("timeout"));
    else if (older_)
        rules.timeout = kTimeoutInOlder;
    if (rules.timeout == Duration() && (!from.timeout || *from.timeout == Span()))
        errors.add_required(path.child("timeout"), "must be specified");
    rules.recovery_timeout = rules.timeout;
    if (from.recovery_timeout) {
        rules.recovery_timeout = read_duration(*from.recovery_timeout, path.child("recoveryTimeout"));
        if (*rules.recovery_timeout == Duration()) rules.recovery_timeout.reset();
    }
    rules.block_admission = from.block_admission.value_or(older_);
    if (from.requeuing_strategy) read_requeuing(*from.requeuing_strategy, path.child("requeuingStrategy"), rules);
    out.wait_for_pods_ready = rules;
}

void Reading::read_requeuing(const config::RequeuingStrategy& from, const FieldPath& path, PodsReadyRules& rules) {
    if (from.timestamp && !(*from.timestamp == "Creation") && !(*from.timestamp == "Eviction"))
        errors.add_not_supported(path.child("timestamp"), *from.timestamp, {"Creation", "Eviction"});
    rules.requeue_by_eviction = !from.timestamp || *from.timestamp == "Eviction";
    if (from.backoff_limit_count)
        rules.backoff_limit_count = read_seconds(from.backoff_limit_count, 0, path.child("backoffLimitCount"));
    rules.backoff_base_seconds =
        read_seconds(from.backoff_base_seconds, rules.backoff_base_seconds, path.child("backoffBaseSeconds"));
    rules.backoff_max_seconds =
        read_seconds(from.backoff_max_seconds, rules.backoff_max_seconds, path.child("backoffMaxSeconds"));
}

void Reading::read_fair_sharing(const config::FairSharing& from) {
    const FieldPath path("fairSharing");
    if (!read_switch(from.enable, path)) return;
    constexpr std::string_view kFinal = "LessThanOrEqualToFinalShare";
    constexpr std::string_view kInitial = "LessThanInitialShare";
    const List<Text>& said = from.preemption_strategies;
    const FieldPath at = path.child("preemptionStrategies");
    FairSharingRules rules;
    const bool both = said.size() == 2 && said[0] == kFinal && said[1] == kInitial;
    if (said.empty() && !older_) {
        errors.add_required(at, "must be specified");
    } else if (said.empty() || both) {
        rules.strategies = {FairPreemption::kLessThanOrEqualToFinalShare, FairPreemption::kLessThanInitialShare};
    } else if (said.size() == 1 && (said[0] == kFinal || said[0] == kInitial)) {
        rules.strategies = {said[0] == kFinal ? FairPreemption::kLessThanOrEqualToFinalShare
                                              : FairPreemption::kLessThanInitialShare};
    } else {
        errors.add_not_supported(at, shown_json(said),
                                 {"LessThanOrEqualToFinalShare", "LessThanInitialShare",
                                  "LessThanOrEqualToFinalShare,LessThanInitialShare"});
    }
    out.fair_sharing = std::move(rules);
}

LabelSelector Reading::read_selector(const meta::LabelSelector& from, const FieldPath& path) {
    const std::size_t before = errors.size();
    check_label_selector(from, path, errors);
    if (errors.size() != before) return {};
    Result<LabelSelector> selector = LabelSelector::from(&from);
    if (selector.ok()) return *std::move(selector);
    errors.add_invalid(path, shown_json(from), selector.error().message);
    return {};
}

Duration Reading::read_duration(const Span& span, const FieldPath& path) {
    if (span < Span()) errors.add_invalid(path, span.text(), kNonNegativeSentence);
    return span.duration();
}

int Reading::read_seconds(const std::optional<std::int32_t>& from, int otherwise, const FieldPath& path) {
    if (from) check_non_negative(path, *from, errors);
    return from.value_or(otherwise);
}

std::vector<std::string> Reading::ignored() const {
    std::vector<std::string> notes;
    const auto note = [&](bool is_there, const char* field) {
        if (is_there) notes.push_back(std::string(field) + " tells how Kueue itself is set up, and is not used here");
    };
    note(!file_.webhook.json.empty(), "webhook");
    note(!file_.leader_election.json.empty(), "leaderElection");
    note(!file_.metrics.json.empty(), "metrics");
    note(!file_.health.json.empty(), "health");
    note(!file_.pprof_bind_address.empty(), "pprofBindAddress");
    note(!file_.controller.json.empty(), "controller");
    note(!file_.tls.json.empty(), "tls");
    note(!file_.internal_cert_management.json.empty(), "internalCertManagement");
    note(!file_.client_connection.json.empty(), "clientConnection");
    note(!file_.visibility_server.json.empty(), "visibilityServer");
    return notes;
}

// All mistakes in one message, for the user who starts the server.
Error as_start_error(const FieldErrors& errors) {
    std::string message;
    for (const Cause& cause : errors.causes())
        message += (message.empty() ? "" : "; ") + cause.field + ": " + cause.message;
    return {Code::kInvalid, message, errors.causes()};
}

}  // namespace

LabelSelector QueueConfiguration::default_namespaces() { return all_namespaces_but(kSystemNamespace, kKueueNamespace); }

Result<QueueConfiguration> parse_queue_configuration(std::string_view yaml, std::vector<std::string>* notes) {
    config::Configuration file;
    TRY_ASSIGN(const Decoded decoded, decode_yaml(config::Configuration::info(), &file, yaml));
    if (decoded.kind != "Configuration")
        return Error{Code::kBadRequest, "kind: must be Configuration, and is \"" + decoded.kind + "\""};
    const bool older = decoded.api_version == "config.kueue.x-k8s.io/v1beta1";
    if (!older && decoded.api_version != "config.kueue.x-k8s.io/v1beta2")
        return Error{Code::kBadRequest,
                     "apiVersion: must be config.kueue.x-k8s.io/v1beta2 or config.kueue.x-k8s.io/v1beta1, and is \"" +
                         decoded.api_version + "\""};
    TRY(check_strict(decoded));
    Reading reading(file, older);
    reading.read();
    if (!reading.errors.empty()) return as_start_error(reading.errors);
    if (notes) *notes = reading.ignored();
    return std::move(reading.out);
}

}  // namespace muster::api::kueue
