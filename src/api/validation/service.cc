#include "api/validation/service.h"

#include <algorithm>
#include <set>

#include "api/validation/rules/immutable.h"
#include "api/validation/rules/metadata.h"

namespace muster::api {
namespace {

using core::Service;
using core::ServicePort;
using core::ServiceSpec;

const FieldPath kSpec("spec");

bool is_headless(const ServiceSpec& spec) { return spec.cluster_ip == "None"; }

void check_choice(const Text& value, std::initializer_list<std::string_view> choices, const FieldPath& path,
                  FieldErrors& errors) {
    if (value.empty()) {
        errors.add_required(path, "");
    } else if (std::find(choices.begin(), choices.end(), value.view()) == choices.end()) {
        errors.add_not_supported(path, value, choices);
    }
}

void check_port_name(const ServicePort& port, bool needs_name, std::set<std::string_view>& names, const FieldPath& path,
                     FieldErrors& errors) {
    if (port.name.empty()) {
        if (needs_name) errors.add_required(path, "");
        return;
    }
    const Problems problems = is_dns1123_label(port.name);
    errors.add_problems(path, port.name, problems);
    if (problems.empty() && !names.insert(port.name.view()).second) errors.add_duplicate(path, port.name);
}

void check_ports(const ServiceSpec& spec, FieldErrors& errors) {
    const FieldPath path = kSpec.child("ports");
    std::set<std::string_view> names;
    std::set<std::pair<std::string_view, std::int32_t>> seen;
    for (std::size_t i = 0; i < spec.ports.size(); ++i) {
        const ServicePort& port = spec.ports[i];
        const FieldPath at = path.index(i);
        check_port_name(port, spec.ports.size() > 1, names, at.child("name"), errors);
        errors.add_problems(at.child("port"), port.port, is_port_number(port.port));
        check_choice(port.protocol, {"SCTP", "TCP", "UDP"}, at.child("protocol"), errors);
        if (port.target_port.is_string()) {
            errors.add_problems(at.child("targetPort"), port.target_port.string(),
                                is_port_name(port.target_port.string()));
        } else {
            errors.add_problems(at.child("targetPort"), port.target_port.number(),
                                is_port_number(port.target_port.number()));
        }
        if (spec.type == "ClusterIP" && port.node_port != 0)
            errors.add_forbidden(at.child("nodePort"), "may not be used when `type` is 'ClusterIP'");
        if (!seen.insert({port.protocol.view(), port.port}).second) errors.add_duplicate(at, shown_json(port));
    }
}

void check_external_name(const ServiceSpec& spec, FieldErrors& errors) {
    if (!spec.cluster_ips.empty())
        errors.add_forbidden(kSpec.child("clusterIPs"), "may not be set for ExternalName services");
    std::string_view name = spec.external_name;
    if (name.ends_with('.')) name.remove_suffix(1);
    if (name.empty()) {
        errors.add_required(kSpec.child("externalName"), "");
    } else {
        errors.add_problems(kSpec.child("externalName"), name, is_dns1123_subdomain(name));
    }
}

void check_spec(const ServiceSpec& spec, FieldErrors& errors) {
    if (spec.ports.empty() && !is_headless(spec) && !(spec.type == "ExternalName"))
        errors.add_required(kSpec.child("ports"), "");
    if (is_headless(spec) && (spec.type == "LoadBalancer" || spec.type == "NodePort")) {
        errors.add_invalid(kSpec.child("clusterIPs").index(0), "None",
                           "may not be set to 'None' for " + spec.type.str() + " services");
    }
    if (spec.type == "ExternalName") check_external_name(spec, errors);
    check_ports(spec, errors);
    check_labels(spec.selector, kSpec.child("selector"), errors);
    check_choice(spec.session_affinity, {"ClientIP", "None"}, kSpec.child("sessionAffinity"), errors);
    if (!spec.cluster_ip.empty() && !is_headless(spec))
        errors.add_problems(kSpec.child("clusterIPs").index(0), spec.cluster_ip, is_valid_ip(spec.cluster_ip));
    check_choice(spec.type, {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"}, kSpec.child("type"), errors);
}

}  // namespace

FieldErrors validate_service_create(const Service& service) {
    FieldErrors errors;
    check_metadata(service.metadata, true, is_dns1035_label, kMetadata, errors);
    check_spec(service.spec, errors);
    return errors;
}

FieldErrors validate_service_update(const Service& now, const Service& before) {
    FieldErrors errors;
    check_spec(now.spec, errors);
    if (now.spec.type == before.spec.type && !before.spec.cluster_ip.empty())
        check_immutable(now.spec.cluster_ip, before.spec.cluster_ip, kSpec.child("clusterIP"), errors);
    return errors;
}

}  // namespace muster::api
