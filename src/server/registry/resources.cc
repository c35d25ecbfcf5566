#include "server/registry/resources.h"

#include <iterator>

#include "api/kinds/kind_list.h"

namespace muster::server {
namespace {

using api::kind_info;
using api::KindInfo;
namespace kinds = api;

constexpr Verbs kNoCollection{Verb::kCreate, Verb::kDelete, Verb::kGet,  Verb::kList,
                              Verb::kPatch,  Verb::kUpdate, Verb::kWatch};
constexpr Verbs kReadOnly{Verb::kGet, Verb::kList, Verb::kWatch};
constexpr Verbs kCreateOnly{Verb::kCreate};

// A kind by name alone, for what has no declaration here: nothing of it is ever stored.
constexpr KindInfo named(const char* group, const char* version, const char* kind, api::KindOptions options = {}) {
    return {group, version, kind, options, &api::meta::PartialObjectMetadata::info};
}

// The subresources of a kind: most have at most `status`.
template <class K>
std::span<const ServedSubresource> parts_of() {
    if constexpr (requires(K object) { object.status; }) {
        static const ServedSubresource only[] = {{"status", &kind_info<K>(), kStatusVerbs}};
        return only;
    }
    return {};
}

template <>
std::span<const ServedSubresource> parts_of<kinds::core::Namespace>() {
    static const KindInfo& self = kind_info<kinds::core::Namespace>();
    static const ServedSubresource parts[] = {{"finalize", &self, {Verb::kUpdate}}, {"status", &self, kStatusVerbs}};
    return parts;
}

// A stream's options come in its query and are never an object, but discovery names them.
KindInfo named_as(const KindInfo& kind, const char* name) {
    KindInfo named = kind;
    named.kind = name;
    return named;
}

template <>
std::span<const ServedSubresource> parts_of<kinds::core::Pod>() {
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
        {"status", &self, kStatusVerbs},
    };
    return parts;
}

template <>
std::span<const ServedSubresource> parts_of<kinds::core::ServiceAccount>() {
    static const ServedSubresource parts[] = {
        {"token", &kind_info<kinds::authentication::TokenRequest>(), kCreateOnly}};
    return parts;
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

// In the order of upstream's discovery; the versions of a group stand together, the preferred one first.
constexpr GroupVersion kVersions[] = {
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

constexpr bool is_same(const GroupVersion& a, const GroupVersion& b) {
    return a.group == b.group && a.version == b.version;
}
constexpr bool has_place(const GroupVersion& wanted) {
    for (const GroupVersion& known : kVersions)
        if (is_same(known, wanted)) return true;
    return false;
}

template <class K>
constexpr GroupVersion version_of() {
    return {K::kKindOptions.group ? K::kKindOptions.group : K::kKindGroup, K::kKindVersion};
}
template <class... K>
constexpr bool all_have_place(api::KindList<K...>) {
    for (const KindInfo& kind : kUnserved)
        if (!has_place({kind.group, kind.version})) return false;
    return (has_place(version_of<K>()) && ...);
}
static_assert(all_have_place(api::ServedKinds{}), "every version of a kind has its place in discovery");

template <class... K>
constexpr bool is_served(const GroupVersion& version, api::KindList<K...>) {
    for (const KindInfo& kind : kUnserved)
        if (is_same(version, {kind.group, kind.version})) return true;
    return (is_same(version, version_of<K>()) || ...);
}
constexpr bool all_are_served() {
    for (const GroupVersion& version : kVersions)
        if (!is_served(version, api::ServedKinds{})) return false;
    return true;
}
static_assert(all_are_served(), "a version in discovery has kinds");

// A group appears once in discovery: with all its versions.
constexpr bool groups_stand_together() {
    for (std::size_t i = 0; i < std::size(kVersions); ++i)
        for (std::size_t j = i + 1; j < std::size(kVersions); ++j)
            if (kVersions[i].group == kVersions[j].group && kVersions[j].group != kVersions[j - 1].group) return false;
    return true;
}
static_assert(groups_stand_together());

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

std::vector<ServedResource> declared_resources() {
    std::vector<ServedResource> all;
    api::for_each_kind<api::Joined<api::StoredKinds, api::ViewKinds>>([&]<class K>() {
        const Verbs verbs = K::kKindOptions.delete_collection ? kFullVerbs : kNoCollection;
        all.push_back({&kind_info<K>(), verbs, parts_of<K>()});
    });
    api::for_each_kind<api::QuestionKinds>(
        [&]<class K>() { all.push_back({.kind = &kind_info<K>(), .verbs = kCreateOnly, .virtual_only = true}); });
    for (const KindInfo& kind : kUnserved) all.push_back(empty(kind));
    return all;
}

std::span<const GroupVersion> declared_versions() { return kVersions; }

}  // namespace muster::server
