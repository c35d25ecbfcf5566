#include "controllers/queue/pods/group/shape.h"

#include <algorithm>

#include "api/codec/encode.h"
#include "api/defaults/pod_resources.h"
#include "api/schema/walk.h"
#include "os/machine/digest.h"

namespace muster::controllers::podqueue {
namespace {

using api::Quantity;
using api::core::Container;
using api::core::PodSpec;
using api::core::Toleration;

constexpr std::size_t kHashDigits = 8;

template <class T>
void append_value(std::string& out, const T& value) {
    api::append_json_value(api::value_info<T>(), &value, out);
}

template <class T>
void append_or_null(std::string& out, const char* key, const T& value, bool absent) {
    out.append(",\"").append(key).append("\":");
    if (absent)
        out.append("null");
    else
        append_value(out, value);
}

template <class T>
void append_box(std::string& out, const Box<T>& box) {
    if (box)
        api::append_json(T::info(), box.get(), out);
    else
        out.append("null");
}

void append_containers(std::string& out, const char* key, const List<Container>& containers) {
    out.append(",\"").append(key).append("\":");
    if (containers.empty()) {
        out.append("null");
        return;
    }
    char before = '[';
    for (const Container& container : containers) {
        out += before;
        before = ',';
        out.append("{\"ports\":");
        if (container.ports.empty())
            out.append("null");
        else
            append_value(out, container.ports);
        out.append(",\"resources\":{\"requests\":");
        if (container.resources.requests.is_null())
            out.append("null");
        else
            append_value(out, container.resources.requests);
        out.append("}}");
    }
    out += ']';
}

// Unknown fields aside: a server may drop them from a Workload, and they tell nothing about where a pod fits.
template <class T>
bool same(const T& left, const T& right) {
    return left == right || api::is_equal_known(api::value_info<T>(), &left, &right);
}

// What a container asks for once the server has read it: its limit where it states no request.
Map<Quantity> requests_or_limits(const Container& container) {
    Map<Quantity> requests = container.resources.requests;
    for (const auto& [name, limit] : container.resources.limits)
        if (!requests.contains(name)) requests.set(name, limit);
    return requests;
}

// A template may state limits only, which are what its pods will request.
bool asks_the_same(const Container& left, const Container& right) {
    if (same(left.resources, right.resources)) return true;
    return requests_or_limits(left) == requests_or_limits(right);
}

bool same_containers(const List<Container>& left, const List<Container>& right) {
    if (left.data() == right.data() && left.size() == right.size()) return true;
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](const Container& a, const Container& b) {
        return same(a.ports, b.ports) && asks_the_same(a, b);
    });
}

const Map<Quantity>* requests_of_whole(const PodSpec& spec) {
    return spec.resources && !spec.resources->requests.empty() ? &spec.resources->requests : nullptr;
}

// All of a shape but what admission adds to.
bool same_but_placement(const PodSpec& left, const PodSpec& right) {
    if (!same(left.resources, right.resources) && !(api::pod_level_requests(left) == api::pod_level_requests(right)))
        return false;
    return same_containers(left.containers, right.containers) &&
           same_containers(left.init_containers, right.init_containers) && same(left.affinity, right.affinity) &&
           left.overhead == right.overhead && left.priority == right.priority &&
           same(left.resource_claims, right.resource_claims) && left.runtime_class_name == right.runtime_class_name &&
           same(left.topology_spread_constraints, right.topology_spread_constraints);
}

bool ask_alike(const List<Container>& left, const List<Container>& right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [](const Container& a, const Container& b) { return asks_the_same(a, b); });
}

bool contains_labels(const Map<Text>& all, const Map<Text>& some) {
    return std::all_of(some.begin(), some.end(), [&](const auto& entry) {
        const Text* value = all.find(entry.key);
        return value && *value == entry.value;
    });
}

bool contains_tolerations(const List<Toleration>& all, const List<Toleration>& some) {
    return std::all_of(some.begin(), some.end(), [&](const Toleration& wanted) {
        return std::any_of(all.begin(), all.end(), [&](const Toleration& one) { return same(one, wanted); });
    });
}

}  // namespace

std::string role_hash(const PodSpec& spec) {
    std::string text = "{\"spec\":{\"affinity\":";
    append_box(text, spec.affinity);
    append_containers(text, "containers", spec.containers);
    append_containers(text, "initContainers", spec.init_containers);
    append_or_null(text, "nodeSelector", spec.node_selector, spec.node_selector.is_null());
    append_or_null(text, "overhead", spec.overhead, spec.overhead.is_null());
    append_or_null(text, "priority", spec.priority, !spec.priority.has_value());
    append_or_null(text, "resourceClaims", spec.resource_claims, spec.resource_claims.is_null());
    if (const Map<Quantity>* whole = requests_of_whole(spec)) {
        text.append(",\"resources\":{\"requests\":");
        append_value(text, *whole);
        text.append("}");
    }
    append_or_null(text, "runtimeClassName", spec.runtime_class_name, !spec.runtime_class_name.has_value());
    append_or_null(text, "tolerations", spec.tolerations, spec.tolerations.is_null());
    append_or_null(text, "topologySpreadConstraints", spec.topology_spread_constraints,
                   spec.topology_spread_constraints.is_null());
    text.append("}}");
    return os::sha256_hex(text).substr(0, kHashDigits);
}

bool same_shape(const PodSpec& left, const PodSpec& right) {
    return left.node_selector == right.node_selector && same(left.tolerations, right.tolerations) &&
           same_but_placement(left, right);
}

bool has_grown_from(const PodSpec& pod, const PodSpec& origin) {
    return contains_labels(pod.node_selector, origin.node_selector) &&
           contains_tolerations(pod.tolerations, origin.tolerations) && same_but_placement(pod, origin);
}

bool is_described_by(const PodSpec& pod, const PodSpec& template_spec) {
    // The overhead of its runtime class is added to the pod.
    const bool class_adds = template_spec.overhead.empty() && template_spec.runtime_class_name;
    return (same(pod.resources, template_spec.resources) ||
            api::pod_level_requests(pod) == api::pod_level_requests(template_spec)) &&
           ask_alike(pod.containers, template_spec.containers) &&
           ask_alike(pod.init_containers, template_spec.init_containers) &&
           contains_labels(pod.node_selector, template_spec.node_selector) &&
           contains_tolerations(pod.tolerations, template_spec.tolerations) &&
           same(pod.affinity, template_spec.affinity) && (class_adds || pod.overhead == template_spec.overhead) &&
           pod.runtime_class_name == template_spec.runtime_class_name &&
           same(pod.topology_spread_constraints, template_spec.topology_spread_constraints) &&
           same(pod.resource_claims, template_spec.resource_claims);
}

Map<Quantity> pod_requests(const PodSpec& spec) {
    Map<Quantity> total = api::container_requests(spec);
    for (const auto& [name, amount] : api::pod_level_requests(spec)) total.set(name, amount);
    for (const auto& [name, amount] : spec.overhead) total.edit(name) += amount;
    return total;
}

std::string first_excess(const Map<Quantity>& asked, const Map<Quantity>& granted) {
    for (const auto& [name, amount] : asked) {
        const Quantity* limit = granted.find(name);
        if (amount > (limit ? *limit : Quantity())) return name.str();
    }
    return {};
}

}  // namespace muster::controllers::podqueue
