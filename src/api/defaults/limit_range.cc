#include "api/defaults/limit_range.h"

#include "api/defaults/pod_containers.h"

namespace muster::api {
namespace {

void add_absent(Map<Quantity>& to, const Map<Quantity>& from) {
    for (const auto& [name, quantity] : from)
        if (!to.contains(name)) to.set(name, quantity);
}

void default_limit_range_item(core::LimitRangeItem& item) {
    for (Map<Quantity>* amounts :
         {&item.max, &item.min, &item.default_, &item.default_request, &item.max_limit_request_ratio})
        round_resources(*amounts);
    if (!(item.type == "Container")) return;
    add_absent(item.default_, item.max);
    add_absent(item.default_request, item.default_);
    add_absent(item.default_request, item.min);
}

}  // namespace

void default_limit_range(core::LimitRange& range) { change_each(range.spec.limits, default_limit_range_item); }

}  // namespace muster::api
