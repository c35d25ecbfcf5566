#include "api/validation/limit_range.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <set>

#include "api/validation/pod/resource_names.h"
#include "api/validation/rules/metadata.h"

namespace muster::api {
namespace {

using core::LimitRange;
using core::LimitRangeItem;

constexpr std::string_view kContainerType = "Container";
constexpr std::string_view kPodType = "Pod";
constexpr std::string_view kClaimType = "PersistentVolumeClaim";

void check_limit_type(const Text& type, const FieldPath& path, FieldErrors& errors) {
    const Problems problems = is_qualified_name(type);
    errors.add_problems(path, type, problems);
    if (!problems.empty() || type.view().find('/') != std::string_view::npos) return;
    if (type != kContainerType && type != kPodType && type != kClaimType)
        errors.add_invalid(path, type, "must be a standard limit type or fully qualified");
}

void check_names(const LimitRangeItem& item, const Map<Quantity>& amounts, const FieldPath& path, FieldErrors& errors) {
    for (const auto& [name, amount] : amounts) {
        if (item.type == kContainerType || item.type == kPodType) {
            check_container_resource_name(name, path.key(name), errors);
        } else {
            check_resource_name(name, path.key(name), errors);
        }
    }
}

void check_defaults(const LimitRangeItem& item, const FieldPath& path, FieldErrors& errors) {
    if (item.type != kPodType) {
        check_names(item, item.default_, path.child("default"), errors);
        check_names(item, item.default_request, path.child("defaultRequest"), errors);
        return;
    }
    constexpr std::string_view kNotOfPods = "may not be specified when `type` is 'Pod'";
    if (!item.default_.empty()) errors.add_forbidden(path.child("default"), kNotOfPods);
    if (!item.default_request.empty()) errors.add_forbidden(path.child("defaultRequest"), kNotOfPods);
}

// The bounds of one resource; null where there is none.
struct ResourceBounds {
    std::string_view name;
    const Quantity* min;
    const Quantity* max;
    const Quantity* limit;    // the default one
    const Quantity* request;  // the default one
    const Quantity* ratio;
};

// Says so when the first amount is above the second.
struct Order {
    const Quantity* low;
    const Quantity* high;
    const char* low_name;
    const char* high_name;
    const char* field;
    const Quantity* shown;
};

void check_bound_order(const Order& order, std::string_view name, const FieldPath& path, FieldErrors& errors) {
    if (!order.low || !order.high || *order.low <= *order.high) return;
    errors.add_invalid(path.child(order.field).key(name), order.shown->text(),
                       std::string(order.low_name) + " value " + order.low->text() + " is greater than " +
                           order.high_name + " value " + order.high->text());
}

void check_orders(const ResourceBounds& of, const FieldPath& path, FieldErrors& errors) {
    const Order orders[] = {
        {of.min, of.max, "min", "max", "min", of.min},
        {of.min, of.request, "min", "default request", "defaultRequest", of.request},
        {of.request, of.max, "default request", "max", "defaultRequest", of.request},
        {of.request, of.limit, "default request", "default limit", "defaultRequest", of.request},
        {of.min, of.limit, "min", "default", "default", of.min},
        {of.limit, of.max, "default", "max", "default", of.max},
    };
    for (const Order& order : orders) check_bound_order(order, of.name, path, errors);
}

void check_ratio_range(const ResourceBounds& of, const FieldPath& path, FieldErrors& errors) {
    if (!of.ratio) return;
    const FieldPath at = path.child("maxLimitRequestRatio").key(of.name);
    if (*of.ratio < Quantity::from_int(1))
        errors.add_invalid(at, of.ratio->text(), "ratio " + of.ratio->text() + " is less than 1");
    if (!of.min || !of.max || of.min->sign() <= 0) return;
    const double most = of.max->approximate() / of.min->approximate();
    if (of.ratio->approximate() <= most) return;
    char text[64];
    std::snprintf(text, sizeof(text), "%f", most);
    errors.add_invalid(at, of.ratio->text(), "ratio " + of.ratio->text() + " is greater than max/min = " + text);
}

void check_whole_resource(const ResourceBounds& of, const FieldPath& path, FieldErrors& errors) {
    if (may_overcommit(of.name) || !of.limit || !of.request || *of.limit == *of.request) return;
    errors.add_invalid(path.child("defaultRequest").key(of.name), of.request->text(),
                       "default value " + of.limit->text() + " must equal to defaultRequest value " +
                           of.request->text() + " in " + std::string(of.name));
}

void check_bounds_agree(const LimitRangeItem& item, const FieldPath& path, FieldErrors& errors) {
    const bool of_pod = item.type == kPodType;  // it has no defaults
    std::set<std::string_view> names;
    for (const Map<Quantity>* amounts : {&item.max, &item.min, &item.max_limit_request_ratio})
        for (const auto& [name, amount] : *amounts) names.insert(name.view());
    for (const Map<Quantity>* amounts : {&item.default_, &item.default_request})
        if (!of_pod)
            for (const auto& [name, amount] : *amounts) names.insert(name.view());
    for (std::string_view name : names) {
        const ResourceBounds of{name,
                                item.min.find(name),
                                item.max.find(name),
                                of_pod ? nullptr : item.default_.find(name),
                                of_pod ? nullptr : item.default_request.find(name),
                                item.max_limit_request_ratio.find(name)};
        check_orders(of, path, errors);
        check_ratio_range(of, path, errors);
        check_whole_resource(of, path, errors);
    }
}

void check_limits(const List<LimitRangeItem>& items, FieldErrors& errors) {
    const FieldPath limits = FieldPath("spec").child("limits");
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < items.size() && !errors.is_full(); ++i) {
        const LimitRangeItem& item = items[i];
        const FieldPath path = limits.index(i);
        check_limit_type(item.type, path.child("type"), errors);
        if (!seen.insert(item.type.view()).second) errors.add_duplicate(path.child("type"), item.type);
        check_names(item, item.max, path.child("max"), errors);
        check_names(item, item.min, path.child("min"), errors);
        check_defaults(item, path, errors);
        if (item.type == kClaimType && !item.min.contains("storage") && !item.max.contains("storage"))
            errors.add_required(path.child("limits"),
                                "either minimum or maximum storage value is required, but neither was provided");
        check_names(item, item.max_limit_request_ratio, path.child("maxLimitRequestRatio"), errors);
        check_bounds_agree(item, path, errors);
    }
}

}  // namespace

FieldErrors validate_limit_range_create(const LimitRange& range) {
    FieldErrors errors;
    check_metadata(range.metadata, true, is_dns1123_subdomain, kMetadata, errors);
    check_limits(range.spec.limits, errors);
    return errors;
}

FieldErrors validate_limit_range_update(const LimitRange& now, const LimitRange&) {
    FieldErrors errors;
    check_metadata(now.metadata, true, is_dns1123_subdomain, kMetadata, errors);
    check_limits(now.spec.limits, errors);
    return errors;
}

}  // namespace muster::api
