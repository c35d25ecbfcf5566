#include "cli/queue/findings.h"

#include <algorithm>

#include "api/codec/dom.h"
#include "api/configuration/kueue_configuration.h"
#include "api/kinds/conditions.h"
#include "api/kinds/kueue/kueue.h"
#include "api/kinds/kueue/kueue_names.h"
#include "api/kinds/kueue/v1beta1_conversion.h"
#include "api/kinds/meta/status.h"
#include "api/validation/queueing/queueing.h"
#include "api/validation/queueing/queueing_warnings.h"

namespace muster::cli {
namespace {

namespace json = boost::json;
namespace kn = api::kueue;
using api::meta::ObjectMeta;

constexpr const char* kTopology = "topology-aware scheduling is not served";
constexpr const char* kMultiKueue = "MultiKueue is not served";
constexpr const char* kSlices = "elastic workload slices are not served";
constexpr const char* kSliceAnnotation = "kueue.x-k8s.io/workload-slice-replacement-for";
constexpr std::string_view kBuiltInChecks[] = {"kueue.x-k8s.io/multikueue", "kueue.x-k8s.io/provisioning-request"};

class Rows {
public:
    Rows(std::string_view kind, const ObjectMeta& metadata, QueueFindings& findings)
        : kind_(kind), metadata_(metadata), findings_(findings) {}
    void add(std::string what) {
        findings_.push_back({std::string(kind_), metadata_.namespace_.str(), metadata_.name.str(), std::move(what)});
    }
    void add_all(const std::vector<std::string>& sentences) {
        for (const std::string& sentence : sentences) add(sentence);
    }
    void add_all(const api::FieldErrors& errors) {
        for (const Cause& cause : errors.causes()) add(cause.field + ": " + cause.message);
    }

private:
    std::string_view kind_;
    const ObjectMeta& metadata_;
    QueueFindings& findings_;
};

// The typed object of v1beta2, from either version.
template <class Newer, class Older>
std::optional<Newer> read_either(const json::object& object) {
    const json::value* version = object.if_contains("apiVersion");
    const bool older = version && version->is_string() && version->get_string().ends_with("/v1beta1");
    api::DecodeLimits limits;
    limits.keep_unknown = true;
    if (older) {
        Older read{};
        if (!api::decode_dom(Older::info(), &read, object, limits).ok()) return std::nullopt;
        if constexpr (std::is_base_of_v<Newer, Older>)
            return static_cast<const Newer&>(read);
        else
            return kn::to_stored(read);
    }
    Newer read{};
    if (!api::decode_dom(Newer::info(), &read, object, limits).ok()) return std::nullopt;
    return read;
}

bool asks_for_topology(const Map<Text>& annotations) {
    return annotations.contains(kn::kPodSetRequiredTopologyAnnotation) ||
           annotations.contains(kn::kPodSetPreferredTopologyAnnotation) ||
           annotations.contains(kn::kPodSetUnconstrainedTopologyAnnotation);
}

void find_in(const kn::ClusterQueue& queue, Rows& rows) {
    rows.add_all(api::cluster_queue_warnings(queue, nullptr));
    const api::QueueingErrors errors = api::check_queueing_create(queue);
    rows.add_all(errors.definition);
    rows.add_all(errors.webhook);
}
void find_in(const kn::LocalQueue& queue, Rows& rows) { rows.add_all(api::local_queue_warnings(queue, nullptr)); }
void find_in(const kn::ResourceFlavor& flavor, Rows& rows) {
    rows.add_all(api::resource_flavor_warnings(flavor, nullptr));
}
void find_in(const kn::AdmissionCheck& check, Rows& rows) {
    for (const std::string_view name : kBuiltInChecks)
        if (check.spec.controller_name == name)
            rows.add("controllerName " + std::string(name) + ": that controller is a part of Kueue's manager");
}

bool is_served_owner(const api::meta::OwnerReference& owner) {
    return (owner.kind == "Job" && owner.api_version == "batch/v1") ||
           (owner.kind == "Pod" && owner.api_version == "v1");
}

void find_in(const kn::Workload& workload, Rows& rows) {
    if (api::is_condition_true(workload.status.conditions, kn::kWorkloadFinished)) return;
    for (const api::meta::OwnerReference& owner : workload.metadata.owner_references)
        if (owner.controller.value_or(false) && !is_served_owner(owner))
            rows.add("it belongs to " + owner.kind.str() + " " + owner.name.str() + " of " + owner.api_version.str() +
                     ": only batch/v1 Jobs and pods are queued");
    if (workload.metadata.annotations.contains(kSliceAnnotation) ||
        workload.metadata.annotations.contains(kn::kElasticJobAnnotation))
        rows.add(kSlices);
    bool topology = false;
    for (const kn::PodSet& set : workload.spec.pod_sets)
        topology = topology || set.topology_request || asks_for_topology(set.template_.metadata.annotations);
    if (workload.status.admission)
        for (const kn::PodSetAssignment& assignment : workload.status.admission->pod_set_assignments)
            topology = topology || assignment.topology_assignment;
    if (topology) rows.add(kTopology);
    if (workload.status.cluster_name || !workload.status.nominated_cluster_names.empty()) rows.add(kMultiKueue);
    rows.add_all(api::workload_warnings(workload, nullptr));
}

template <class Newer, class Older>
void find_in_kind(std::string_view kind, const json::object& object, QueueFindings& findings) {
    const std::optional<Newer> read = read_either<Newer, Older>(object);
    if (!read) {
        findings.push_back({std::string(kind), "", "", "an object cannot be read as one of this kind"});
        return;
    }
    Rows rows(kind, read->metadata, findings);
    find_in(*read, rows);
}

// Annotations of pods and Jobs that ask for more than there is.
void find_in_work(std::string_view kind, const json::object& object, QueueFindings& findings) {
    api::meta::PartialObjectMetadata partial;
    api::DecodeLimits limits;
    if (!api::decode_dom(api::meta::PartialObjectMetadata::info(), &partial, object, limits).ok()) return;
    Rows rows(kind, partial.metadata, findings);
    const Text* elastic = partial.metadata.annotations.find(kn::kElasticJobAnnotation);
    if (elastic && *elastic == kn::kTrue) rows.add(kSlices);
    bool topology = asks_for_topology(partial.metadata.annotations);
    const auto find_annotations = [&](std::initializer_list<std::string_view> path) {
        const json::value* at = nullptr;
        const json::object* in = &object;
        for (const std::string_view step : path) {
            at = in ? in->if_contains(step) : nullptr;
            in = at ? at->if_object() : nullptr;
        }
        return in;
    };
    if (const json::object* annotations = find_annotations({"spec", "template", "metadata", "annotations"}))
        for (const char* key : {kn::kPodSetRequiredTopologyAnnotation, kn::kPodSetPreferredTopologyAnnotation,
                                kn::kPodSetUnconstrainedTopologyAnnotation})
            topology = topology || annotations->contains(key);
    if (topology) rows.add(kTopology);
}

}  // namespace

const std::vector<UnservedResource>& unserved_resources() {
    static const char* const kFramework = "this framework is not queued: only batch/v1 Jobs and pods are";
    static const std::vector<UnservedResource> all{
        {"kueue.x-k8s.io", "topologies", kTopology, false},
        {"kueue.x-k8s.io", "multikueueclusters", kMultiKueue, false},
        {"kueue.x-k8s.io", "multikueueconfigs", kMultiKueue, false},
        {"kueue.x-k8s.io", "provisioningrequestconfigs", "provisioning requests are not served", false},
        {"apps", "deployments", kFramework, true},
        {"apps", "statefulsets", kFramework, true},
        {"jobset.x-k8s.io", "jobsets", kFramework, true},
        {"leaderworkerset.x-k8s.io", "leaderworkersets", kFramework, true},
        {"ray.io", "rayclusters", kFramework, true},
        {"ray.io", "rayjobs", kFramework, true},
        {"ray.io", "rayservices", kFramework, true},
        {"kubeflow.org", "jaxjobs", kFramework, true},
        {"kubeflow.org", "mpijobs", kFramework, true},
        {"kubeflow.org", "paddlejobs", kFramework, true},
        {"kubeflow.org", "pytorchjobs", kFramework, true},
        {"kubeflow.org", "tfjobs", kFramework, true},
        {"kubeflow.org", "xgboostjobs", kFramework, true},
        {"trainer.kubeflow.org", "trainjobs", kFramework, true},
        {"workload.codeflare.dev", "appwrappers", kFramework, true},
        {"sparkoperator.k8s.io", "sparkapplications", kFramework, true},
    };
    return all;
}

void find_in_object(std::string_view kind, const json::object& object, QueueFindings& findings) {
    namespace older = kn::v1beta1;
    if (kind == "ClusterQueue") return find_in_kind<kn::ClusterQueue, older::ClusterQueue>(kind, object, findings);
    if (kind == "LocalQueue") return find_in_kind<kn::LocalQueue, older::LocalQueue>(kind, object, findings);
    if (kind == "ResourceFlavor")
        return find_in_kind<kn::ResourceFlavor, older::ResourceFlavor>(kind, object, findings);
    if (kind == "AdmissionCheck")
        return find_in_kind<kn::AdmissionCheck, older::AdmissionCheck>(kind, object, findings);
    if (kind == "Workload") return find_in_kind<kn::Workload, older::Workload>(kind, object, findings);
    if (kind == "Job" || kind == "Pod") find_in_work(kind, object, findings);
}

QueueFinding finding_of(const UnservedResource& resource, std::string_view kind, const json::object& object) {
    api::meta::PartialObjectMetadata partial;
    (void)api::decode_dom(api::meta::PartialObjectMetadata::info(), &partial, object);
    return {std::string(kind), partial.metadata.namespace_.str(), partial.metadata.name.str(), resource.what};
}

void find_in_configuration(std::string_view yaml, QueueFindings& findings) {
    const Result<kn::QueueConfiguration> read = kn::parse_queue_configuration(yaml);
    if (!read.ok()) findings.push_back({"Configuration", "kueue-system", "kueue-manager-config", read.error().message});
}

}  // namespace muster::cli
