#include "api/quota/usage.h"

#include <algorithm>
#include <map>
#include <set>

#include "api/defaults/pod_resources.h"
#include "api/registry/kind_column.h"
#include "api/schema/resource_name.h"
#include "api/validation/pod/resource_names.h"

namespace muster::api {
namespace {

using core::PersistentVolumeClaim;
using core::Pod;
using core::PodSpec;
using core::Service;

constexpr std::string_view kRequests = "requests.";
constexpr std::string_view kLimits = "limits.";
constexpr std::string_view kStorageClass = ".storageclass.storage.k8s.io/";

std::string count_name(const KindInfo& kind) { return "count/" + format_resource(kind); }

bool is_compute(std::string_view name) { return name == "cpu" || name == "memory" || name == "ephemeral-storage"; }

bool is_pod_resource(std::string_view name) {
    if (name == "pods" || is_compute(name) || is_huge_pages(name)) return true;
    if (name.starts_with(kLimits)) return is_compute(name.substr(kLimits.size()));
    if (!name.starts_with(kRequests)) return false;
    const std::string_view of = name.substr(kRequests.size());
    return is_compute(of) || is_huge_pages(of) || !is_native_resource(name);
}

bool is_claim_resource(std::string_view name) {
    if (const std::size_t at = name.find(kStorageClass); at != std::string_view::npos)
        name.remove_prefix(at + kStorageClass.size());
    return name == "persistentvolumeclaims" || name == "requests.storage";
}

bool is_service_resource(std::string_view name) {
    return name == "services" || name == "services.nodeports" || name == "services.loadbalancers";
}

const Quantity kOne = Quantity::from_int(1);

// What the pod states as a whole goes before the sum of its containers; the overhead comes on top.
Map<Quantity> whole_requests(const PodSpec& spec) {
    Map<Quantity> out = container_requests(spec);
    if (spec.resources)
        for (const auto& [name, quantity] : spec.resources->requests)
            if (is_pod_level_resource(name)) out.set(name, quantity);
    for (const auto& [name, quantity] : spec.overhead) out.edit(name) += quantity;
    return out;
}
Map<Quantity> whole_limits(const PodSpec& spec) {
    Map<Quantity> out = container_limits(spec);
    if (spec.resources)
        for (const auto& [name, quantity] : spec.resources->limits)
            if (is_pod_level_resource(name)) out.set(name, quantity);
    for (const auto& [name, quantity] : spec.overhead)
        if (out.contains(name)) out.edit(name) += quantity;
    return out;
}

// Requests count under two names, limits and devices under one.
void add_compute(const Map<Quantity>& requests, const Map<Quantity>& limits, Map<Quantity>& usage) {
    for (const auto& [name, quantity] : requests) {
        const bool plain = is_compute(name) || is_huge_pages(name);
        if (plain) usage.set(name, quantity);
        if (plain || !is_native_resource(name)) usage.set(std::string(kRequests) + name.str(), quantity);
    }
    for (const auto& [name, quantity] : limits)
        if (is_compute(name)) usage.set(std::string(kLimits) + name.str(), quantity);
}

void add_pod(const Pod& pod, Map<Quantity>& usage) {
    if (pod.status.phase == "Failed" || pod.status.phase == "Succeeded") return;
    usage.set("pods", kOne);
    add_compute(whole_requests(pod.spec), whole_limits(pod.spec), usage);
}

void add_service(const Service& service, Map<Quantity>& usage) {
    usage.set("services", kOne);
    const bool balanced = service.spec.type == "LoadBalancer";
    std::int64_t node_ports = 0;
    if (balanced && !service.spec.allocate_load_balancer_node_ports.value_or(true)) {
        node_ports = std::count_if(service.spec.ports.begin(), service.spec.ports.end(),
                                   [](const core::ServicePort& port) { return port.node_port != 0; });
    } else if (balanced || service.spec.type == "NodePort") {
        node_ports = static_cast<std::int64_t>(service.spec.ports.size());
    }
    usage.set("services.nodeports", Quantity::from_int(node_ports));
    usage.set("services.loadbalancers", Quantity::from_int(balanced ? 1 : 0));
}

std::string storage_class_of(const PersistentVolumeClaim& claim) {
    if (const Text* old = claim.metadata.annotations.find("volume.beta.kubernetes.io/storage-class")) return old->str();
    return claim.spec.storage_class_name ? claim.spec.storage_class_name->str() : std::string();
}

void add_claim(const PersistentVolumeClaim& claim, Map<Quantity>& usage) {
    const std::string storage_class = storage_class_of(claim);
    const auto add = [&](const char* name, const Quantity& quantity) {
        usage.set(name, quantity);
        if (!storage_class.empty()) usage.set(storage_class + std::string(kStorageClass) + name, quantity);
    };
    add("persistentvolumeclaims", kOne);
    const Quantity* wanted = claim.spec.resources.requests.find("storage");
    if (!wanted) return;
    const Quantity* allocated = claim.status.allocated_resources.find("storage");
    Quantity storage = allocated && *allocated > *wanted ? *allocated : *wanted;
    storage.round_up(0);
    add("requests.storage", storage);
}

void add_content(const Pod& pod, Map<Quantity>& usage) { add_pod(pod, usage); }
void add_content(const Service& service, Map<Quantity>& usage) { add_service(service, usage); }
void add_content(const PersistentVolumeClaim& claim, Map<Quantity>& usage) { add_claim(claim, usage); }

}  // namespace

const std::vector<const KindInfo*>& counted_kinds() {
    static const std::vector<const KindInfo*> kinds = [] {
        std::vector<const KindInfo*> found;
        for_each_kind<StoredKinds>([&]<class K>() {
            if (K::kKindOptions.namespaced && K::kKindOptions.counted) found.push_back(&kind_info<K>());
        });
        return found;
    }();
    return kinds;
}

const KindInfo* user_of_resource(std::string_view resource) {
    if (resource.starts_with("count/")) {
        for (const KindInfo* kind : counted_kinds())
            if (resource == count_name(*kind)) return kind;
        return nullptr;
    }
    if (is_claim_resource(resource)) return &kind_info<PersistentVolumeClaim>();
    if (is_pod_resource(resource)) return &kind_info<Pod>();
    if (is_service_resource(resource)) return &kind_info<Service>();
    for (const KindInfo* kind : counted_kinds())
        if (kind->options.counted_by_plural && resource == kind->options.plural) return kind;
    return nullptr;
}

const QuotaContent* find_quota_content(const KindInfo& kind) {
    static const KindColumn<QuotaContent> column(KindList<Pod, Service, PersistentVolumeClaim>{}, []<class K>() {
        QuotaContent content{};
        content.metadata = [](const void* object) -> const meta::ObjectMeta& {
            return static_cast<const K*>(object)->metadata;
        };
        content.add = [](const void* object, Map<Quantity>& usage) {
            add_content(*static_cast<const K*>(object), usage);
        };
        content.check_stated = [](const void* object, const Map<Quantity>& hard) {
            if constexpr (std::is_same_v<K, Pod>) return check_stated(static_cast<const K*>(object)->spec, hard);
            return std::string();
        };
        return content;
    });
    return column.find(kind);
}

Map<Quantity> usage_of(const KindInfo& kind, const void* object) {
    Map<Quantity> usage;
    usage.set(count_name(kind), kOne);
    if (kind.options.counted_by_plural) usage.set(kind.options.plural, kOne);
    if (const QuotaContent* content = find_quota_content(kind)) content->add(object, usage);
    return usage;
}

std::string check_stated(const PodSpec& spec, const Map<Quantity>& hard) {
    if (spec.resources && (!spec.resources->requests.empty() || !spec.resources->limits.empty())) return {};
    std::map<std::string_view, std::set<std::string_view>> missing;  // containers by resource
    for (const char* name : {"cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"}) {
        if (!hard.contains(name)) continue;
        for (const List<core::Container>* containers : {&spec.containers, &spec.init_containers}) {
            for (const core::Container& container : *containers) {
                Map<Quantity> stated;
                add_compute(container.resources.requests, container.resources.limits, stated);
                if (!stated.contains(name)) missing[name].insert(container.name.view());
            }
        }
    }
    std::string text;
    for (const auto& [name, containers] : missing) {
        text.append(text.empty() ? "must specify " : "; ").append(name).append(" for: ");
        for (std::string_view container : containers)
            text.append(container == *containers.begin() ? "" : ",").append(container);
    }
    return text;
}

}  // namespace muster::api
