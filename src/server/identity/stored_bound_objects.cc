#include "server/identity/stored_bound_objects.h"

#include "api/kinds/core/config.h"
#include "api/kinds/core/node.h"
#include "api/kinds/core/pod.h"
#include "api/kinds/core/service_account.h"
#include "server/kind_object/kind_object.h"

namespace muster::server {
namespace {

const api::KindInfo& kind_of(BoundKind kind) {
    switch (kind) {
        case BoundKind::kServiceAccount: return api::kind_info<api::core::ServiceAccount>();
        case BoundKind::kPod: return api::kind_info<api::core::Pod>();
        case BoundKind::kSecret: return api::kind_info<api::core::Secret>();
        case BoundKind::kNode: break;
    }
    return api::kind_info<api::core::Node>();
}

}  // namespace

std::optional<BoundObject> StoredBoundObjects::find(BoundKind kind, std::string_view namespace_,
                                                    std::string_view name) const {
    // A name with a slash would address another namespace or a list.
    if (name.empty() || name.find('/') != std::string_view::npos || namespace_.find('/') != std::string_view::npos)
        return {};
    if (kind != BoundKind::kNode && namespace_.empty()) return {};
    const auto stored = store_.get(object_key(kind_of(kind), namespace_, name));
    if (!stored) return {};
    const auto& object = static_cast<const KindObject&>(*stored->object);
    BoundObject found{.uid = object.metadata().uid};
    if (object.metadata().deletion_timestamp) found.deleted_at = object.metadata().deletion_timestamp->instant();
    if (kind == BoundKind::kPod) {
        const auto& pod = as<api::core::Pod>(object);
        found.service_account = pod.spec.service_account_name;
        found.node_name = pod.spec.node_name;
    }
    return found;
}

}  // namespace muster::server
