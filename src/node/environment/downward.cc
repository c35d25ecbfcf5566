#include "node/environment/downward.h"

#include <algorithm>

#include "api/value/quote.h"

namespace muster::node {
namespace {

using api::Quantity;
using api::core::Container;
using api::core::Pod;

// One line per entry, as files and variables show a whole map.
std::string format_map(const Map<Text>& map) {
    std::string out;
    for (const auto& entry : map) {
        if (!out.empty()) out += '\n';
        out += entry.key.str() + '=' + api::in_quotes(entry.value.view());
    }
    return out;
}

// "metadata.labels['app']" → "app"; nothing when the path is another.
std::optional<std::string_view> subscript(std::string_view path, std::string_view field) {
    if (!path.starts_with(field)) return {};
    path.remove_prefix(field.size());
    if (!path.starts_with("['") || !path.ends_with("']")) return {};
    return path.substr(2, path.size() - 4);
}

std::string value_of(const Map<Text>& map, std::string_view key) {
    const Text* value = map.find(key);
    return value ? value->str() : "";
}

const Container* find_container(const Pod& pod, const Text& name) {
    for (const List<Container>* list : {&pod.spec.containers, &pod.spec.init_containers})
        for (const Container& container : *list)
            if (container.name == name) return &container;
    return nullptr;
}

// In thousandths for processors, in whole units for everything else; rounded up.
std::string divide(const Quantity& amount, const Quantity& divisor, bool by_milli) {
    if (by_milli) {
        const std::int64_t unit = divisor.is_zero() ? 1000 : std::max<std::int64_t>(1, divisor.milli_value());
        const std::int64_t milli = amount.milli_value();
        return std::to_string(milli / unit + (milli % unit != 0 ? 1 : 0));
    }
    const std::int64_t unit = divisor.is_zero() ? 1 : std::max<std::int64_t>(1, divisor.value());
    const std::int64_t whole = amount.value();
    return std::to_string(whole / unit + (whole % unit != 0 ? 1 : 0));
}

}  // namespace

Result<std::string> pod_field(const Pod& pod, const NodeFacts& facts, const Text& pod_ip, std::string_view path) {
    const auto& metadata = pod.metadata;
    if (path == "metadata.name") return metadata.name.str();
    if (path == "metadata.namespace") return metadata.namespace_.str();
    if (path == "metadata.uid") return metadata.uid.str();
    if (path == "metadata.labels") return format_map(metadata.labels);
    if (path == "metadata.annotations") return format_map(metadata.annotations);
    if (const auto key = subscript(path, "metadata.labels")) return value_of(metadata.labels, *key);
    if (const auto key = subscript(path, "metadata.annotations")) return value_of(metadata.annotations, *key);
    if (path == "spec.nodeName") return pod.spec.node_name.str();
    if (path == "spec.serviceAccountName") return pod.spec.service_account_name.str();
    if (path == "status.hostIP" || path == "status.hostIPs") return facts.host_ip.str();
    if (path == "status.podIP" || path == "status.podIPs") return pod_ip.str();
    return Error{Code::kBadRequest, "unsupported fieldPath: " + std::string(path)};
}

Result<std::string> resource_field(const Pod& pod, const Container& container, const NodeFacts& facts,
                                   const api::core::ResourceFieldSelector& selector) {
    const Container* subject = &container;
    if (!selector.container_name.empty()) subject = find_container(pod, selector.container_name);
    if (!subject) return Error{Code::kBadRequest, "container " + selector.container_name.str() + " not found"};
    const std::string_view what = selector.resource.view();
    const bool limits = what.starts_with("limits.");
    if (!limits && !what.starts_with("requests."))
        return Error{Code::kBadRequest, "unsupported container resource : " + std::string(what)};
    const std::string_view resource = what.substr(what.find('.') + 1);
    const bool is_cpu = resource == "cpu";
    const bool known =
        is_cpu || resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
    if (!known) return Error{Code::kBadRequest, "unsupported container resource : " + std::string(what)};
    const Map<Quantity>& amounts = limits ? subject->resources.limits : subject->resources.requests;
    if (const Quantity* amount = amounts.find(resource)) return divide(*amount, selector.divisor, is_cpu);
    // Without a limit the whole node is the limit.
    if (limits && is_cpu) return divide(facts.cpu, selector.divisor, true);
    if (limits && resource == "memory") return divide(facts.memory, selector.divisor, false);
    return divide(Quantity(), selector.divisor, is_cpu);
}

}  // namespace muster::node
