#include "server/objects/quota_admission.h"

#include <algorithm>

#include "api/quota/usage.h"
#include "server/objects/objects.h"

namespace muster::server {
namespace {

using api::core::ResourceQuota;

const ResourceQuota& as_quota(const KindObject& object) { return as<ResourceQuota>(object); }

bool is_counted(const api::KindInfo& kind) {
    const auto& kinds = api::counted_kinds();
    return std::find(kinds.begin(), kinds.end(), &kind) != kinds.end();
}

template <class Each>
void each_stored(const api::KindInfo& kind, std::string_view namespace_, const Objects& objects, const Each& each) {
    const auto listing = objects.store().list(list_prefix(kind, namespace_));
    if (!listing.ok()) return;
    for (const store::Stored& item : listing->items) each(static_cast<const KindObject&>(*item.object));
}

}  // namespace

Result<> QuotaCensus::check(AdmissionRequest& request, const Objects& objects) {
    if (!request.object || !request.subresource.empty() || !request.kind.options.namespaced) return {};
    if (!loaded_) load(objects);
    if (spaces_.empty()) return {};
    const auto found = spaces_.find(request.namespace_);
    if (found == spaces_.end() || !is_counted(request.kind)) return {};
    if (!found->second.counted) count(found->second, request.namespace_, objects);
    const std::string refusal = found->second.ledger.check(
        request.kind, request.before ? request.before->data() : nullptr, request.object->data());
    if (refusal.empty()) return {};
    return refuse_request(request, refusal);
}

void QuotaCensus::load(const Objects& objects) {
    loaded_ = true;
    each_stored(api::kind_info<ResourceQuota>(), "", objects, [&](const KindObject& quota) {
        spaces_[quota.metadata().namespace_.str()].quotas.insert(quota.metadata().name.str());
    });
}

void QuotaCensus::count(Space& space, std::string_view namespace_, const Objects& objects) {
    space.ledger = {};
    each_stored(api::kind_info<ResourceQuota>(), namespace_, objects,
                [&](const KindObject& quota) { space.ledger.open(quota.metadata().name, as_quota(quota).spec); });
    for (const api::KindInfo* kind : space.ledger.kinds())
        each_stored(*kind, namespace_, objects,
                    [&](const KindObject& object) { space.ledger.apply(*kind, nullptr, object.data()); });
    space.counted = true;
}

void QuotaCensus::on_written(const KindObject* before, const KindObject* after) {
    if (!loaded_) return;  // it will be counted from the store
    const KindObject& written = after ? *after : *before;
    if (&written.kind() == &api::kind_info<ResourceQuota>()) on_quota_written(before, after);
    if (spaces_.empty()) return;
    const auto found = spaces_.find(written.metadata().namespace_.view());
    if (found == spaces_.end() || !found->second.counted) return;
    found->second.ledger.apply(written.kind(), before ? before->data() : nullptr, after ? after->data() : nullptr);
}

void QuotaCensus::on_quota_written(const KindObject* before, const KindObject* after) {
    const api::meta::ObjectMeta& metadata = (after ? after : before)->metadata();
    const auto found = spaces_.try_emplace(metadata.namespace_.str()).first;
    Space& space = found->second;
    if (after) {
        space.quotas.insert(metadata.name.str());
        // Another thing to count: everything is looked at again when it is next asked for.
        if (space.counted && space.ledger.open(metadata.name, as_quota(*after).spec)) space.counted = false;
        return;
    }
    space.quotas.erase(metadata.name.str());
    space.ledger.close(metadata.name);
    if (space.quotas.empty()) spaces_.erase(found);
}

}  // namespace muster::server
