#include "node/environment/service_env.h"

#include <map>

#include "base/ascii.h"

namespace muster::node {
namespace {

using api::core::Service;
using api::core::ServicePort;

// "my-svc" is MY_SVC in names of variables.
std::string variable_word(const Text& name) {
    std::string word = name.str();
    for (char& c : word) c = c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return word;
}

// An IPv6 address needs brackets before a port.
std::string host_and_port(const std::string& host, const std::string& port) {
    return host.find(':') == std::string::npos ? host + ':' + port : '[' + host + "]:" + port;
}

void add_port(const std::string& prefix, const std::string& host, const ServicePort& port, bool first,
              Environment& into) {
    const std::string number = std::to_string(port.port);
    const std::string protocol = port.protocol.empty() ? "TCP" : port.protocol.str();
    const std::string url = lower(protocol) + "://" + host_and_port(host, number);
    if (!port.name.empty()) into[prefix + "_SERVICE_PORT_" + variable_word(port.name)] = number;
    if (first) {
        into[prefix + "_SERVICE_PORT"] = number;
        into[prefix + "_PORT"] = url;
    }
    const std::string link = prefix + "_PORT_" + number + '_' + variable_word(protocol);
    into[link] = url;
    into[link + "_PROTO"] = lower(protocol);
    into[link + "_PORT"] = number;
    into[link + "_ADDR"] = host;
}

}  // namespace

bool has_cluster_ip(const Service& service) {
    return !service.spec.cluster_ip.empty() && !(service.spec.cluster_ip == "None");
}

bool is_headless(const Service& service) { return service.spec.cluster_ip == "None"; }

Environment service_environment(const std::vector<ServiceRef>& services, const Text& namespace_, bool links) {
    std::map<Text, const Service*> chosen;
    for (const ServiceRef& service : services) {
        const auto& metadata = service->metadata;
        if (!has_cluster_ip(*service)) continue;
        if (links && metadata.namespace_ == namespace_)
            chosen[metadata.name] = service.get();  // a namespace's own comes before the API's
        else if (metadata.namespace_ == kApiNamespace && metadata.name == kApiService)
            chosen.emplace(metadata.name, service.get());
    }
    Environment environment;
    for (const auto& [name, service] : chosen) {
        const std::string prefix = variable_word(name);
        const std::string host = service->spec.cluster_ip.str();
        environment[prefix + "_SERVICE_HOST"] = host;
        bool first = true;
        for (const ServicePort& port : service->spec.ports)
            add_port(prefix, host, port, std::exchange(first, false), environment);
    }
    return environment;
}

}  // namespace muster::node
