#include "server/bootstrap.h"

#include "api/kinds/core/namespace.h"
#include "api/kinds/core/service.h"
#include "api/kinds/core/service_account.h"
#include "api/kinds/scheduling.h"
#include "server/access/rbac/default_roles.h"
#include "server/access/rbac/reconcile_roles.h"

namespace muster::server {
namespace {

using api::core::Namespace;
using api::core::Service;
using api::core::ServiceAccount;
using api::scheduling::PriorityClass;

constexpr const char* kDefaultAccount = "default";
constexpr const char* kApiNamespace = "default";
constexpr const char* kApiService = "kubernetes";

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

Result<> ensure_default_accounts(Objects& objects) {
    TRY_ASSIGN(const auto listing, objects.store().list(list_prefix(api::kind_info<Namespace>(), "")));
    for (const store::Stored& item : listing.items) {
        const auto& metadata = static_cast<const KindObject&>(*item.object).metadata();
        const Place place{api::kind_info<ServiceAccount>(), metadata.name, kDefaultAccount};
        if (metadata.deletion_timestamp || objects.get(place).ok()) continue;
        ServiceAccount made;
        made.metadata.name = kDefaultAccount;
        made.metadata.namespace_ = metadata.name;
        TRY(objects.create(place, std::make_shared<TypedObject<ServiceAccount>>(std::move(made)), {}));
    }
    return {};
}

Result<> ensure_api_service(Objects& objects, const std::string& host, int port) {
    const Place place{api::kind_info<Service>(), kApiNamespace, kApiService};
    const auto point_to_us = [&](Service& service) {
        service.spec.cluster_ip = host;
        service.spec.cluster_ips = {Text(host)};
        api::core::ServicePort https;
        https.name = "https";
        https.protocol = "TCP";
        https.port = port;
        https.target_port = api::IntOrString(port);
        service.spec.ports = {https};
    };
    const auto standing = objects.get(place);
    if (!standing.ok()) {
        Service made;
        made.metadata.name = kApiService;
        made.metadata.namespace_ = kApiNamespace;
        made.metadata.labels.set("component", "apiserver");
        made.metadata.labels.set("provider", "kubernetes");
        made.spec.type = "ClusterIP";
        made.spec.session_affinity = "None";
        point_to_us(made);
        TRY(objects.create(place, std::make_shared<TypedObject<Service>>(std::move(made)), {}));
        return {};
    }
    Service now = as<Service>(**standing);
    point_to_us(now);
    if (now == as<Service>(**standing)) return {};
    // Past the rules: an address that was assigned cannot be changed by others.
    TRY(objects.rewrite(
        place,
        [&](const KindObjectPtr&) -> Result<std::shared_ptr<KindObject>> {
            return std::shared_ptr<KindObject>(std::make_shared<TypedObject<Service>>(std::move(now)));
        },
        false));
    return {};
}

}  // namespace muster::server
