#include "server/bootstrap.h"

#include "api/kinds/core/namespace.h"
#include "api/kinds/scheduling.h"
#include "server/access/default_roles.h"
#include "server/access/reconcile_roles.h"

namespace muster::server {
namespace {

using api::core::Namespace;
using api::scheduling::PriorityClass;

template <class K>
Result<> ensure(Objects& objects, K object) {
    const Text name = object.metadata.name;
    const Place place{api::kind_info<K>(), "", name};
    if (objects.get(place).ok()) return {};
    TRY(objects.create(place, std::make_shared<TypedObject<K>>(std::move(object)), {}));
    return {};
}

Result<> ensure_priority_class(Objects& objects, const char* name, std::int32_t value, const char* use) {
    PriorityClass made;
    made.metadata.name = name;
    made.value = value;
    made.description = use;
    return ensure(objects, std::move(made));
}

}  // namespace

Result<> ensure_first_objects(Objects& objects, std::uint64_t seed) {
    for (const char* name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
        Namespace made;
        made.metadata.name = name;
        TRY(ensure(objects, std::move(made)));
    }
    TRY(ensure_priority_class(objects, "system-cluster-critical", 2'000'000'000,
                              "For pods that the whole system cannot do without. They may move to another node."));
    TRY(ensure_priority_class(objects, "system-node-critical", 2'000'001'000,
                              "For pods that their node cannot do without. They must not move."));
    Prng random(seed);
    ensure_default_roles(objects.store(), default_roles(), objects.now(), random);
    return {};
}

}  // namespace muster::server
