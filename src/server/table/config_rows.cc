// What pods are given: configuration, services and their endpoints, quota, storage.
#include <set>

#include "api/kinds/core/config.h"
#include "api/kinds/core/persistent_volume_claim.h"
#include "api/kinds/core/quota.h"
#include "api/kinds/core/service.h"
#include "api/kinds/core/service_account.h"
#include "api/kinds/core/storage/persistent_volume.h"
#include "api/kinds/discovery.h"
#include "server/table/print.h"

namespace muster::server {
namespace {

using api::Quantity;
using api::core::ConfigMap;
using api::core::PersistentVolume;
using api::core::PersistentVolumeClaim;
using api::core::ResourceQuota;
using api::core::Secret;
using api::core::Service;
using api::core::ServiceAccount;
using api::discovery::EndpointSlice;

constexpr Column kConfigMapColumns[] = {kNameColumn, {"Data", "string", "How many keys it has."}, kAgeColumn};
constexpr Column kSecretColumns[] = {kNameColumn,
                                     {"Type", "string", "What the secret is for."},
                                     {"Data", "string", "How many keys it has."},
                                     kAgeColumn};
constexpr Column kServiceAccountColumns[] = {kNameColumn, kAgeColumn};
constexpr Column kServiceColumns[] = {
    kNameColumn,
    {"Type", "string", "How the service is reached."},
    {"Cluster-IP", "string", "Its address inside the cluster."},
    {"External-IP", "string", "Its addresses outside the cluster."},
    {"Port(s)", "string", "Its ports, with the nodes' port after a colon."},
    kAgeColumn,
    {"Selector", "string", "Labels of the pods it leads to.", 1},
};
constexpr Column kEndpointSliceColumns[] = {
    kNameColumn,
    {"AddressType", "string", "Kind of the addresses."},
    {"Ports", "string", "Ports of the endpoints."},
    {"Endpoints", "string", "Addresses of the endpoints."},
    kAgeColumn,
};
constexpr Column kQuotaColumns[] = {
    kNameColumn,
    {"Request", "string", "What is in use of what may be, for requests and counts."},
    {"Limit", "string", "What is in use of what may be, for limits."},
    kAgeColumn,
};
constexpr Column kVolumeColumns[] = {
    kNameColumn,
    {"Capacity", "string", "Size of the volume."},
    {"Access Modes", "string", "How it can be mounted."},
    {"Reclaim Policy", "string", "What becomes of it when its claim is gone."},
    {"Status", "string", "Whether it is free or bound to a claim."},
    {"Claim", "string", "The claim it is bound to."},
    {"StorageClass", "string", "Its storage class."},
    {"VolumeAttributesClass", "string", "Its class of attributes."},
    {"Reason", "string", "Why it is in this state."},
    kAgeColumn,
    {"VolumeMode", "string", "Filesystem or Block.", 1},
};
constexpr Column kClaimColumns[] = {
    kNameColumn,
    {"Status", "string", "Whether it has a volume."},
    {"Volume", "string", "The volume it is bound to."},
    {"Capacity", "string", "Size of that volume."},
    {"Access Modes", "string", "How that volume can be mounted."},
    {"StorageClass", "string", "The storage class it asks for."},
    {"VolumeAttributesClass", "string", "The class of attributes it asks for."},
    kAgeColumn,
    {"VolumeMode", "string", "Filesystem or Block.", 1},
};

void print_config_map(const ConfigMap& object, Row& row) {
    row.text(object.metadata.name)
        .number(static_cast<std::int64_t>(object.data.size() + object.binary_data.size()))
        .age(object.metadata.creation_timestamp);
}

void print_secret(const Secret& object, Row& row) {
    row.text(object.metadata.name)
        .text(object.type)
        .number(static_cast<std::int64_t>(object.data.size()))
        .age(object.metadata.creation_timestamp);
}

void print_service_account(const ServiceAccount& object, Row& row) {
    row.text(object.metadata.name).age(object.metadata.creation_timestamp);
}

std::string external_ip(const Service& service) {
    const auto& spec = service.spec;
    const std::string own = join(spec.external_ips, ",", [](const Text& ip) { return ip.view(); });
    if (spec.type == "ClusterIP" || spec.type == "NodePort") return own.empty() ? "<none>" : own;
    if (spec.type == "ExternalName") return spec.external_name.str();
    if (spec.type != "LoadBalancer") return "<unknown>";
    std::set<std::string_view> points;
    for (const auto& point : service.status.load_balancer.ingress) {
        const std::string_view where = or_else(point.ip, point.hostname);
        if (!where.empty()) points.insert(where);
    }
    std::string all = join(points, ",", [](std::string_view point) { return point; });
    if (!own.empty()) all += (all.empty() ? "" : ",") + own;
    return all.empty() ? "<pending>" : all;
}

std::string ports_text(const Service& service) {
    return join(service.spec.ports, ",", [](const api::core::ServicePort& port) {
        std::string text = std::to_string(port.port);
        if (port.node_port > 0) text += ":" + std::to_string(port.node_port);
        return text + "/" + port.protocol.str();
    });
}

void print_service(const Service& service, Row& row) {
    const auto& spec = service.spec;
    const std::string labels =
        join(spec.selector, ",", [](const auto& label) { return label.key.str() + "=" + label.value.str(); });
    row.text(service.metadata.name)
        .text(spec.type)
        .text(or_else(spec.cluster_ips.empty() ? spec.cluster_ip : spec.cluster_ips[0], "<none>"))
        .text(external_ip(service))
        .text(or_else(ports_text(service), "<none>"))
        .age(service.metadata.creation_timestamp)
        .text(or_else(labels, "<none>"));
}

// The first three, and how many more there are.
std::string first_three(const std::vector<std::string>& all) {
    if (all.empty()) return "<unset>";
    std::string out;
    for (std::size_t i = 0; i < all.size() && i < 3; ++i) out += (i ? "," : "") + all[i];
    if (all.size() > 3) out += " + " + std::to_string(all.size() - 3) + " more...";
    return out;
}

void print_endpoint_slice(const EndpointSlice& slice, Row& row) {
    std::vector<std::string> ports;
    for (const auto& port : slice.ports)
        ports.push_back(port.port ? std::to_string(*port.port) : port.name ? port.name->str() : "*");
    std::vector<std::string> addresses;
    for (const auto& endpoint : slice.endpoints)
        for (const Text& address : endpoint.addresses) addresses.push_back(address.str());
    row.text(slice.metadata.name)
        .text(slice.address_type)
        .text(first_three(ports))
        .text(first_three(addresses))
        .age(slice.metadata.creation_timestamp);
}

void print_quota(const ResourceQuota& quota, Row& row) {
    std::string requests;
    std::string limits;
    for (const auto& hard : quota.status.hard) {
        std::string& column = hard.key.view().starts_with("limits.") ? limits : requests;
        const Quantity* used = quota.status.used.find(hard.key);
        if (!column.empty()) column += ", ";
        column += hard.key + (": " + (used ? used->text() : "0") + "/" + hard.value.text());
    }
    row.text(quota.metadata.name).text(requests).text(limits).age(quota.metadata.creation_timestamp);
}

std::string access_modes(const List<Text>& modes) {
    static constexpr std::pair<const char*, const char*> kShort[] = {
        {"ReadWriteOnce", "RWO"}, {"ReadOnlyMany", "ROX"}, {"ReadWriteMany", "RWX"}, {"ReadWriteOncePod", "RWOP"}};
    std::string out;
    for (const auto& [name, shorter] : kShort)
        for (const Text& mode : modes) {
            if (mode != name) continue;
            out += (out.empty() ? "" : ",") + std::string(shorter);
            break;
        }
    return out;
}

std::string storage_of(const Map<Quantity>& resources) {
    const Quantity* storage = resources.find("storage");
    return storage ? storage->text() : "0";
}

// The annotation is how a class was named before it had a field.
std::string_view storage_class(const api::meta::ObjectMeta& metadata, std::string_view field) {
    const Text* annotation = metadata.annotations.find("volume.beta.kubernetes.io/storage-class");
    return annotation ? annotation->view() : field;
}

void print_volume(const PersistentVolume& volume, Row& row) {
    const auto& spec = volume.spec;
    std::string claim;
    if (spec.claim_ref) claim = spec.claim_ref->namespace_ + ("/" + spec.claim_ref->name);
    row.text(volume.metadata.name)
        .text(storage_of(spec.capacity))
        .text(access_modes(spec.access_modes))
        .text(spec.persistent_volume_reclaim_policy)
        .text(volume.metadata.deletion_timestamp ? "Terminating" : volume.status.phase.view())
        .text(claim)
        .text(storage_class(volume.metadata, spec.storage_class_name))
        .text(spec.volume_attributes_class_name ? spec.volume_attributes_class_name->view() : "<unset>")
        .text(volume.status.reason)
        .age(volume.metadata.creation_timestamp)
        .text(spec.volume_mode ? spec.volume_mode->view() : "<unset>");
}

void print_claim(const PersistentVolumeClaim& claim, Row& row) {
    const auto& spec = claim.spec;
    const bool bound = !spec.volume_name.empty();
    row.text(claim.metadata.name)
        .text(claim.metadata.deletion_timestamp ? "Terminating" : claim.status.phase.view())
        .text(spec.volume_name)
        .text(bound ? storage_of(claim.status.capacity) : "")
        .text(bound ? access_modes(claim.status.access_modes) : "")
        .text(storage_class(claim.metadata, spec.storage_class_name ? spec.storage_class_name->view() : ""))
        .text(spec.volume_attributes_class_name ? spec.volume_attributes_class_name->view() : "<unset>")
        .age(claim.metadata.creation_timestamp)
        .text(spec.volume_mode ? spec.volume_mode->view() : "<unset>");
}

}  // namespace

Printer config_map_printer() { return make_printer<ConfigMap, print_config_map>(kConfigMapColumns); }
Printer secret_printer() { return make_printer<Secret, print_secret>(kSecretColumns); }
Printer service_account_printer() {
    return make_printer<ServiceAccount, print_service_account>(kServiceAccountColumns);
}
Printer service_printer() { return make_printer<Service, print_service>(kServiceColumns); }
Printer endpoint_slice_printer() { return make_printer<EndpointSlice, print_endpoint_slice>(kEndpointSliceColumns); }
Printer resource_quota_printer() { return make_printer<ResourceQuota, print_quota>(kQuotaColumns); }
Printer persistent_volume_printer() { return make_printer<PersistentVolume, print_volume>(kVolumeColumns); }
Printer persistent_volume_claim_printer() { return make_printer<PersistentVolumeClaim, print_claim>(kClaimColumns); }

}  // namespace muster::server
