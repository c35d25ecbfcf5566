#include "server/objects/limit_admission.h"

#include "api/defaults/limit_range.h"
#include "api/kinds/core/persistent_volume_claim.h"
#include "api/limits/limit_range.h"
#include "server/objects/objects.h"

namespace muster::server {
namespace {

using api::core::LimitRange;
using api::core::PersistentVolumeClaim;
using api::core::Pod;

template <class K>
bool is_write_of(const AdmissionRequest& request) {
    return has_type<K>(request.kind) && request.object && request.subresource.empty();
}

template <class K>
K& draft_in(const AdmissionRequest& request) {
    return as<K>(*request.object);
}

// In the order of their names. One that an earlier version stored may lack its defaults.
std::vector<LimitRange> ranges_of(const AdmissionRequest& request, const Objects& objects) {
    std::vector<LimitRange> ranges;
    const auto listing = objects.store().list(list_prefix(api::kind_info<LimitRange>(), request.namespace_));
    if (!listing.ok()) return ranges;
    for (const store::Stored& item : listing->items) {
        const auto& stored = static_cast<const KindObject&>(*item.object);
        ranges.push_back(as<LimitRange>(stored));
        api::default_limit_range(ranges.back());
    }
    return ranges;
}

Result<> answer_reasons(const AdmissionRequest& request, const std::vector<std::string>& reasons) {
    if (reasons.empty()) return {};
    return refuse_request(request, api::join_reasons(reasons));
}

}  // namespace

bool LimitedSpaces::contains(std::string_view namespace_, const Objects& objects) {
    if (!loaded_) {
        loaded_ = true;
        const auto listing = objects.store().list(list_prefix(api::kind_info<LimitRange>(), ""));
        if (listing.ok())
            for (const store::Stored& item : listing->items)
                ++ranges_[static_cast<const KindObject&>(*item.object).metadata().namespace_.str()];
    }
    return !ranges_.empty() && ranges_.contains(namespace_);
}

void LimitedSpaces::on_written(const KindObject* before, const KindObject* after) {
    const KindObject& written = after ? *after : *before;
    if (!loaded_ || &written.kind() != &api::kind_info<LimitRange>() || (before && after)) return;
    const auto found = ranges_.try_emplace(written.metadata().namespace_.str(), 0).first;
    found->second += after ? 1 : -1;
    if (found->second == 0) ranges_.erase(found);
}

Result<> admit_limit_ranges(AdmissionRequest& request, const Objects& objects) {
    if (request.operation != Operation::kCreate || !is_write_of<Pod>(request)) return {};
    for (const LimitRange& range : ranges_of(request, objects)) api::apply_limit_range(range, draft_in<Pod>(request));
    return {};
}

Result<> check_limit_ranges(AdmissionRequest& request, const Objects& objects) {
    const bool pod = request.operation == Operation::kCreate && is_write_of<Pod>(request);
    if (!pod && !is_write_of<PersistentVolumeClaim>(request)) return {};
    if (request.before && request.before->metadata().deletion_timestamp) return {};
    for (const LimitRange& range : ranges_of(request, objects)) {
        TRY(answer_reasons(request,
                           pod ? api::check_limit_range(range, draft_in<Pod>(request).spec)
                               : api::check_limit_range(range, draft_in<PersistentVolumeClaim>(request).spec)));
    }
    return {};
}

}  // namespace muster::server
