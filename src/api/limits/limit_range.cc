#include "api/limits/limit_range.h"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "api/defaults/pod_resources.h"

namespace muster::api {
namespace {

using core::Container;
using core::LimitRange;
using core::LimitRangeItem;
using core::PodSpec;

constexpr const char* kLimitRangerAnnotation = "kubernetes.io/limit-ranger";

template <class Each>
void each_item(const LimitRange& range, std::string_view type, const Each& each) {
    for (const LimitRangeItem& item : range.spec.limits)
        if (item.type == type) each(item);
}

// Gives the names of the resources that were added.
std::string add_missing(Map<Quantity>& to, const Map<Quantity>& defaults) {
    std::string added;
    for (const auto& [name, quantity] : defaults) {
        if (to.contains(name)) continue;
        to.set(name, quantity);
        added.append(added.empty() ? "" : ", ").append(name.view());
    }
    return added;
}

void fill_containers(List<Container>& containers, std::string_view what, const Map<Quantity>& requests,
                     const Map<Quantity>& limits, LimitNotes& notes) {
    for (std::size_t i = 0; i < containers.size(); ++i) {
        core::ResourceRequirements filled = containers[i].resources;
        const std::string added_limits = add_missing(filled.limits, limits);
        const std::string added_requests = add_missing(filled.requests, requests);
        if (added_limits.empty() && added_requests.empty()) continue;
        const std::string whose = " for " + std::string(what) + " " + containers[i].name.str();
        if (!added_requests.empty()) notes.push_back(added_requests + " request" + whose);
        if (!added_limits.empty()) notes.push_back(added_limits + " limit" + whose);
        containers.edit()[i].resources = std::move(filled);
    }
}

// Requests and limits of one container, of a whole pod or of a claim, and the type of the bounds that hold for them.
struct Amounts {
    std::string_view type;
    const Map<Quantity>& requests;
    const Map<Quantity>& limits;
};

std::string usage_of(std::string_view bound, std::string_view name, const Amounts& amounts, const Quantity& enforced) {
    return std::string(bound) + " " + std::string(name) + " usage per " + std::string(amounts.type) + " is " +
           enforced.text();
}

// Empty when the bound holds.
std::string check_min(std::string_view name, const Quantity& least, const Amounts& amounts) {
    const std::string usage = usage_of("minimum", name, amounts, least);
    const Quantity* request = amounts.requests.find(name);
    const Quantity* limit = amounts.limits.find(name);
    if (!request) return usage + ".  No request is specified";
    if (*request < least) return usage + ", but request is " + request->text();
    if (limit && *limit < least) return usage + ", but limit is " + limit->text();
    return {};
}

std::string check_max(std::string_view name, const Quantity& most, const Amounts& amounts) {
    const std::string usage = usage_of("maximum", name, amounts, most);
    const Quantity* request = amounts.requests.find(name);
    const Quantity* limit = amounts.limits.find(name);
    if (!limit) return usage + ".  No limit is specified";
    if (*limit > most) return usage + ", but limit is " + limit->text();
    if (request && *request > most) return usage + ", but request is " + request->text();
    return {};
}

// Claims have requests only.
std::string check_max_request(std::string_view name, const Quantity& most, const Amounts& amounts) {
    const std::string usage = usage_of("maximum", name, amounts, most);
    const Quantity* request = amounts.requests.find(name);
    if (!request) return usage + ".  No request is specified";
    if (*request > most) return usage + ", but request is " + request->text();
    return {};
}

double ratio_of(const Quantity& limit, const Quantity& request) {
    constexpr std::int64_t kMilliMax = std::numeric_limits<std::int64_t>::max() / 1000;
    if (limit.value() <= kMilliMax && request.value() <= kMilliMax)
        return static_cast<double>(limit.milli_value()) / static_cast<double>(request.milli_value());
    return static_cast<double>(limit.value()) / static_cast<double>(request.value());
}

std::string check_ratio(std::string_view name, const Quantity& most, const Amounts& amounts) {
    const std::string bound =
        std::string(name) + " max limit to request ratio per " + std::string(amounts.type) + " is " + most.text();
    const Quantity* request = amounts.requests.find(name);
    const Quantity* limit = amounts.limits.find(name);
    if (!request || request->is_zero()) return bound + ", but no request is specified or request is 0";
    if (!limit || limit->is_zero()) return bound + ", but no limit is specified or limit is 0";
    const double ratio = ratio_of(*limit, *request);
    if (ratio * 1000 <= static_cast<double>(most.milli_value())) return {};
    char text[64];
    std::snprintf(text, sizeof(text), "%f", ratio);
    return bound + ", but provided ratio is " + text;
}

using Bound = std::string (*)(std::string_view name, const Quantity& enforced, const Amounts& amounts);

void check_bounds(const Map<Quantity>& bounds, Bound check, const Amounts& amounts, std::vector<std::string>& reasons) {
    for (const auto& [name, enforced] : bounds)
        if (std::string reason = check(name, enforced, amounts); !reason.empty()) reasons.push_back(std::move(reason));
}

void check_item(const LimitRangeItem& item, const Amounts& amounts, std::vector<std::string>& reasons) {
    check_bounds(item.min, check_min, amounts, reasons);
    check_bounds(item.max, check_max, amounts, reasons);
    check_bounds(item.max_limit_request_ratio, check_ratio, amounts, reasons);
}

// What the pod as a whole states goes before the sum of its containers.
Map<Quantity> whole_pod(Map<Quantity> sum, const Map<Quantity>* own) {
    if (own)
        for (const auto& [name, quantity] : *own)
            if (name == "cpu" || name == "memory") sum.set(name, quantity);
    return sum;
}

}  // namespace

LimitNotes fill_limit_range(const LimitRange& range, PodSpec& spec) {
    Map<Quantity> requests;
    Map<Quantity> limits;
    each_item(range, "Container", [&](const LimitRangeItem& item) {
        for (const auto& [name, quantity] : item.default_request) requests.set(name, quantity);
        for (const auto& [name, quantity] : item.default_) limits.set(name, quantity);
    });
    LimitNotes notes;
    if (requests.empty() && limits.empty()) return notes;
    fill_containers(spec.containers, "container", requests, limits, notes);
    fill_containers(spec.init_containers, "init container", requests, limits, notes);
    return notes;
}

void apply_limit_range(const LimitRange& range, core::Pod& pod) {
    const LimitNotes notes = fill_limit_range(range, pod.spec);
    if (notes.empty()) return;
    std::string text = "LimitRanger plugin set: ";
    for (const std::string& note : notes) text.append(&note == notes.data() ? "" : "; ").append(note);
    pod.metadata.annotations.set(kLimitRangerAnnotation, Text(text));
}

std::vector<std::string> check_limit_range(const LimitRange& range, const PodSpec& spec) {
    std::vector<std::string> reasons;
    for (const LimitRangeItem& item : range.spec.limits) {
        if (item.type == "Container") {
            for (const List<Container>* containers : {&spec.containers, &spec.init_containers})
                for (const Container& container : *containers)
                    check_item(item, {"Container", container.resources.requests, container.resources.limits}, reasons);
        } else if (item.type == "Pod") {
            const core::ResourceRequirements* own = spec.resources ? &*spec.resources : nullptr;
            const Map<Quantity> requests = whole_pod(container_requests(spec), own ? &own->requests : nullptr);
            const Map<Quantity> limits = whole_pod(container_limits(spec), own ? &own->limits : nullptr);
            check_item(item, {"Pod", requests, limits}, reasons);
        }
    }
    return reasons;
}

std::vector<std::string> check_limit_range(const LimitRange& range, const core::PersistentVolumeClaimSpec& claim) {
    std::vector<std::string> reasons;
    const Map<Quantity> no_limits;
    each_item(range, "PersistentVolumeClaim", [&](const LimitRangeItem& item) {
        const Amounts amounts{"PersistentVolumeClaim", claim.resources.requests, no_limits};
        check_bounds(item.min, check_min, amounts, reasons);
        check_bounds(item.max, check_max_request, amounts, reasons);
    });
    return reasons;
}

std::string join_reasons(const std::vector<std::string>& reasons) {
    std::vector<std::string_view> shown;
    for (const std::string& reason : reasons)
        if (std::find(shown.begin(), shown.end(), reason) == shown.end()) shown.push_back(reason);
    if (shown.size() == 1) return std::string(shown[0]);
    std::string text = "[";
    for (std::string_view reason : shown) text.append(text.size() == 1 ? "" : ", ").append(reason);
    return text + "]";
}

}  // namespace muster::api
