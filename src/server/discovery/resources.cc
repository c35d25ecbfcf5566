#include "server/discovery/resources.h"

#include <algorithm>
#include <utility>

#include "api/kinds/kind_list.h"
#include "base/check.h"

namespace muster::server {
namespace {

using api::kind_info;
using api::KindInfo;
namespace kinds = api;

constexpr Verbs kFull{Verb::kCreate, Verb::kDelete, Verb::kDeleteCollection, Verb::kGet,
                      Verb::kList,   Verb::kPatch,  Verb::kUpdate,           Verb::kWatch};
constexpr Verbs kNoCollection{Verb::kCreate, Verb::kDelete, Verb::kGet,  Verb::kList,
                              Verb::kPatch,  Verb::kUpdate, Verb::kWatch};
constexpr Verbs kReadOnly{Verb::kGet, Verb::kList, Verb::kWatch};
constexpr Verbs kCreateOnly{Verb::kCreate};
constexpr Verbs kPart{Verb::kGet, Verb::kPatch, Verb::kUpdate};  // what a status can do

// A kind by name alone, for what has no declaration here: nothing of it is ever stored.
constexpr KindInfo named(const char* group, const char* version, const char* kind, api::KindOptions options = {}) {
    return {group, version, kind, options, &api::meta::PartialObjectMetadata::info};
}

// `status` of the resource's own kind.
template <class K>
std::span<const ServedSubresource> status_of() {
    static const ServedSubresource only[] = {{"status", &kind_info<K>(), kPart}};
    return only;
}

std::span<const ServedSubresource> namespace_parts() {
    static const KindInfo& self = kind_info<kinds::core::Namespace>();
    static const ServedSubresource parts[] = {{"finalize", &self, {Verb::kUpdate}}, {"status", &self, kPart}};
    return parts;
}

// A stream's options come in its query and are never an object, but discovery names them.
KindInfo named_as(const KindInfo& kind, const char* name) {
    KindInfo named = kind;
    named.kind = name;
    return named;
}

std::span<const ServedSubresource> pod_parts() {
    static const KindInfo& self = kind_info<kinds::core::Pod>();
    static const KindInfo attach = named_as(self, "PodAttachOptions");
    static const KindInfo forward = named_as(self, "PodPortForwardOptions");
    static const KindInfo exec = named_as(self, "PodExecOptions");
    static const ServedSubresource parts[] = {
        {"attach", &attach, {Verb::kCreate, Verb::kGet}, true},
        {"binding", &kind_info<kinds::core::Binding>(), kCreateOnly},
        {"eviction", &kind_info<kinds::policy::Eviction>(), kCreateOnly},
        {"exec", &exec, {Verb::kCreate, Verb::kGet}, true},
        {"log", &self, {Verb::kGet}, true},
        {"portforward", &forward, {Verb::kCreate, Verb::kGet}, true},
        {"status", &self, kPart},
    };
    return parts;
}

std::span<const ServedSubresource> service_account_parts() {
    static const ServedSubresource parts[] = {
        {"token", &kind_info<kinds::authentication::TokenRequest>(), kCreateOnly}};
    return parts;
}

template <class K>
ServedResource stored(std::span<const ServedSubresource> parts = {}, Verbs verbs = kFull) {
    return {&kind_info<K>(), verbs, parts};
}
template <class K>
ServedResource question() {
    return {.kind = &kind_info<K>(), .verbs = kCreateOnly, .virtual_only = true};
}
ServedResource empty(const KindInfo& kind) { return {.kind = &kind, .verbs = kReadOnly, .empty = true}; }

// What this server has none of, by name alone. Clients list and watch these kinds and do not go on without them:
// kube-scheduler, kube-state-metrics, k9s, `kubectl apply --prune`, `kubectl cluster-info dump`, typed clients. Each is
// a list that is always empty.
constexpr KindInfo kUnserved[] = {
    named("", "v1", "Endpoints", {.plural = "endpoints", .short_names = "ep"}),
    named("", "v1", "ReplicationController",
          {.plural = "replicationcontrollers", .short_names = "rc", .categories = "all"}),
    named("admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration",
          {.plural = "mutatingwebhookconfigurations", .namespaced = false, .categories = "api-extensions"}),
    named("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy",
          {.plural = "validatingadmissionpolicies", .namespaced = false, .categories = "api-extensions"}),
    named("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicyBinding",
          {.plural = "validatingadmissionpolicybindings", .namespaced = false, .categories = "api-extensions"}),
    named("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration",
          {.plural = "validatingwebhookconfigurations", .namespaced = false, .categories = "api-extensions"}),
    // kubectl looks here before it says that there is no such kind.
    named("apiextensions.k8s.io", "v1", "CustomResourceDefinition",
          {.plural = "customresourcedefinitions",
           .namespaced = false,
           .short_names = "crd,crds",
           .categories = "api-extensions"}),
    named("apps", "v1", "ControllerRevision", {.plural = "controllerrevisions"}),
    named("apps", "v1", "DaemonSet", {.plural = "daemonsets", .short_names = "ds", .categories = "all"}),
    named("apps", "v1", "Deployment", {.plural = "deployments", .short_names = "deploy", .categories = "all"}),
    named("apps", "v1", "ReplicaSet", {.plural = "replicasets", .short_names = "rs", .categories = "all"}),
    named("apps", "v1", "StatefulSet", {.plural = "statefulsets", .short_names = "sts", .categories = "all"}),
    named("autoscaling", "v2", "HorizontalPodAutoscaler",
          {.plural = "horizontalpodautoscalers", .short_names = "hpa", .categories = "all"}),
    named("autoscaling", "v1", "HorizontalPodAutoscaler",
          {.plural = "horizontalpodautoscalers", .short_names = "hpa", .categories = "all"}),
    named("certificates.k8s.io", "v1", "CertificateSigningRequest",
          {.plural = "certificatesigningrequests", .namespaced = false, .short_names = "csr"}),
    named("networking.k8s.io", "v1", "Ingress", {.plural = "ingresses", .short_names = "ing"}),
    named("networking.k8s.io", "v1", "IngressClass", {.plural = "ingressclasses", .namespaced = false}),
    named("networking.k8s.io", "v1", "NetworkPolicy", {.plural = "networkpolicies", .short_names = "netpol"}),
    named("resource.k8s.io", "v1", "DeviceClass", {.plural = "deviceclasses", .namespaced = false}),
    named("resource.k8s.io", "v1", "ResourceClaim", {.plural = "resourceclaims"}),
    named("resource.k8s.io", "v1", "ResourceSlice", {.plural = "resourceslices", .namespaced = false}),
    named("storage.k8s.io", "v1", "CSIDriver", {.plural = "csidrivers", .namespaced = false}),
    named("storage.k8s.io", "v1", "CSINode", {.plural = "csinodes", .namespaced = false}),
    named("storage.k8s.io", "v1", "CSIStorageCapacity", {.plural = "csistoragecapacities"}),
    named("storage.k8s.io", "v1", "StorageClass",
          {.plural = "storageclasses", .namespaced = false, .short_names = "sc"}),
    named("storage.k8s.io", "v1", "VolumeAttachment", {.plural = "volumeattachments", .namespaced = false}),
};

std::span<const ServedResource> core_resources() {
    using namespace kinds::core;  // NOLINT(google-build-using-namespace): fourteen of its kinds stand below
    static const ServedResource resources[] = {
        question<Binding>(),
        stored<ConfigMap>(),
        stored<Event>(),
        stored<LimitRange>(),
        stored<Namespace>(namespace_parts(), kNoCollection),
        stored<Node>(status_of<Node>()),
        stored<PersistentVolumeClaim>(status_of<PersistentVolumeClaim>()),
        stored<PersistentVolume>(status_of<PersistentVolume>()),
        stored<Pod>(pod_parts()),
        stored<PodTemplate>(),
        stored<ResourceQuota>(status_of<ResourceQuota>()),
        stored<Secret>(),
        stored<ServiceAccount>(service_account_parts()),
        stored<Service>(status_of<Service>()),
    };
    return resources;
}

template <class... K>
std::vector<ServedResource> queueing_resources() {
    return {[] {
        if constexpr (requires(K object) { object.status; })
            return stored<K>(status_of<K>());
        else
            return stored<K>();
    }()...};
}

// What has a type of ours, by version.
std::vector<std::vector<ServedResource>> declared_resources() {
    namespace older = kinds::kueue::v1beta1;
    const std::span<const ServedResource> core = core_resources();
    return {
        {core.begin(), core.end()},
        {stored<kinds::events::Event>()},
        {question<kinds::authentication::SelfSubjectReview>(), question<kinds::authentication::TokenReview>()},
        {question<kinds::authorization::LocalSubjectAccessReview>(),
         question<kinds::authorization::SelfSubjectAccessReview>(),
         question<kinds::authorization::SelfSubjectRulesReview>(),
         question<kinds::authorization::SubjectAccessReview>()},
        {stored<kinds::batch::CronJob>(status_of<kinds::batch::CronJob>()),
         stored<kinds::batch::Job>(status_of<kinds::batch::Job>())},
        {stored<kinds::policy::PodDisruptionBudget>(status_of<kinds::policy::PodDisruptionBudget>())},
        {stored<kinds::rbac::ClusterRoleBinding>(), stored<kinds::rbac::ClusterRole>(),
         stored<kinds::rbac::RoleBinding>(), stored<kinds::rbac::Role>()},
        {stored<kinds::scheduling::PriorityClass>()},
        {stored<kinds::coordination::Lease>()},
        {stored<kinds::runtime::RuntimeClass>()},
        {stored<kinds::discovery::EndpointSlice>()},
        queueing_resources<kinds::kueue::AdmissionCheck, kinds::kueue::ClusterQueue, kinds::kueue::Cohort,
                           kinds::kueue::LocalQueue, kinds::kueue::ResourceFlavor, kinds::kueue::WorkloadPriorityClass,
                           kinds::kueue::Workload>(),
        queueing_resources<older::AdmissionCheck, older::ClusterQueue, older::Cohort, older::LocalQueue,
                           older::ResourceFlavor, older::WorkloadPriorityClass, older::Workload>(),
    };
}

// In the order of upstream's discovery; the versions of a group stand together, the preferred one first.
constexpr std::pair<std::string_view, std::string_view> kVersions[] = {
    {"", "v1"},
    {"apps", "v1"},
    {"events.k8s.io", "v1"},
    {"authentication.k8s.io", "v1"},
    {"authorization.k8s.io", "v1"},
    {"autoscaling", "v2"},
    {"autoscaling", "v1"},
    {"batch", "v1"},
    {"certificates.k8s.io", "v1"},
    {"networking.k8s.io", "v1"},
    {"policy", "v1"},
    {"rbac.authorization.k8s.io", "v1"},
    {"storage.k8s.io", "v1"},
    {"admissionregistration.k8s.io", "v1"},
    {"apiextensions.k8s.io", "v1"},
    {"scheduling.k8s.io", "v1"},
    {"coordination.k8s.io", "v1"},
    {"node.k8s.io", "v1"},
    {"discovery.k8s.io", "v1"},
    {"resource.k8s.io", "v1"},
    {"kueue.x-k8s.io", "v1beta2"},
    {"kueue.x-k8s.io", "v1beta1"},
};

// Every resource, by version and in it by name.
std::vector<std::vector<ServedResource>> all_resources() {
    std::vector<ServedResource> all;
    for (const std::vector<ServedResource>& some : declared_resources())
        all.insert(all.end(), some.begin(), some.end());
    for (const KindInfo& kind : kUnserved) all.push_back(empty(kind));
    std::sort(all.begin(), all.end(), [](const ServedResource& a, const ServedResource& b) {
        return std::string_view(a.kind->options.plural) < std::string_view(b.kind->options.plural);
    });
    std::vector<std::vector<ServedResource>> by_version(std::size(kVersions));
    for (const ServedResource& resource : all) {
        const auto version =
            std::find(std::begin(kVersions), std::end(kVersions),
                      std::pair<std::string_view, std::string_view>(resource.kind->group, resource.kind->version));
        CHECK(version != std::end(kVersions), resource.kind->kind);
        by_version[static_cast<std::size_t>(version - std::begin(kVersions))].push_back(resource);
    }
    return by_version;
}

std::vector<ServedVersion> make_versions() {
    static const std::vector<std::vector<ServedResource>> resources = all_resources();
    std::vector<ServedVersion> versions;
    for (std::size_t i = 0; i < resources.size(); ++i)
        versions.push_back({kVersions[i].first, kVersions[i].second, resources[i]});
    return versions;
}

}  // namespace

std::string_view name_of(Verb verb) {
    static constexpr std::string_view kNames[] = {"create", "delete", "deletecollection", "get",
                                                  "list",   "patch",  "update",           "watch"};
    return kNames[static_cast<std::size_t>(verb)];
}

const ServedSubresource* ServedResource::find_subresource(std::string_view name) const {
    for (const ServedSubresource& part : subresources)
        if (part.name == name) return &part;
    return nullptr;
}

std::string ServedResource::singular() const {
    std::string name = kind->kind;
    for (char& c : name)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return name;
}

std::string ServedVersion::group_version() const {
    return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
}

std::string ServedVersion::path() const { return (group.empty() ? "api/" : "apis/") + group_version(); }

const ServedResource* ServedVersion::find(std::string_view plural) const {
    for (const ServedResource& resource : resources)
        if (plural == resource.kind->options.plural) return &resource;
    return nullptr;
}

std::span<const ServedVersion> served_versions() {
    static const std::vector<ServedVersion> versions = make_versions();
    return versions;
}

const ServedVersion* find_version(std::string_view group, std::string_view version) {
    for (const ServedVersion& served : served_versions())
        if (served.group == group && served.version == version) return &served;
    return nullptr;
}

const ServedVersion* find_group(std::string_view group) {
    for (const ServedVersion& served : served_versions())
        if (served.group == group) return &served;
    return nullptr;
}

const ServedResource* find_served(std::string_view group, std::string_view version, std::string_view plural) {
    const ServedVersion* served = find_version(group, version);
    return served ? served->find(plural) : nullptr;
}

}  // namespace muster::server
