#include "controllers/service_account/controller.h"

#include "controllers/service_account/decide.h"

namespace muster::controllers {
namespace {

using api::core::ConfigMap;
using api::core::Namespace;
using api::core::ServiceAccount;

constexpr std::size_t kNeedySpacesAtOnce = 64;

// Another client created the object meanwhile, or the namespace is gone.
bool is_settled(const Error& error) {
    return error.code == Code::kAlreadyExists || error.code == Code::kNotFound || error.code == Code::kForbidden;
}

}  // namespace

ServiceAccountController::ServiceAccountController(os::Loop& loop, client::Client& client, client::Metrics& metrics,
                                                   ServiceAccountOptions options)
    : client_(client),
      options_(std::move(options)),
      namespaces_(loop, client),
      accounts_(loop, client),
      maps_(loop, client),
      reconciler_(loop, client::QueueMetrics(metrics, "service_account"), kNeedySpacesAtOnce,
                  [this](Text name) { return sync(std::move(name)); }) {}

void ServiceAccountController::start() {
    namespaces_.on_change([this](const auto&, const auto& now) {
        if (now) reconciler_.add(now->metadata.name);
    });
    accounts_.on_change([this](const auto& before, const auto& now) {
        if (!now && before->metadata.name == kDefaultAccountName) reconciler_.add(before->metadata.namespace_);
    });
    maps_.on_change([this](const auto& before, const auto& now) {
        const ConfigMap& map = now ? *now : *before;
        if (before && map.metadata.name == kRootMapName) reconciler_.add(map.metadata.namespace_);
    });
    namespaces_.start();
    accounts_.start();
    maps_.start();
    reconciler_.start_after(namespaces_, accounts_, maps_);
}

os::Task<Worked> ServiceAccountController::sync(Text name) {
    const auto namespace_ = namespaces_.get(client::ObjectName("", name));
    if (!namespace_) co_return Worked::kDone;
    const auto account = accounts_.get(client::ObjectName(name, kDefaultAccountName));
    const auto map = maps_.get(client::ObjectName(name, kRootMapName));
    NamespaceNeeds needs = decide_namespace_needs({*namespace_, account != nullptr, map.get(), options_.authority});
    bool ok = true;
    if (needs.make_account) {
        ServiceAccount draft;
        draft.metadata.name = kDefaultAccountName;
        draft.metadata.namespace_ = name;
        const auto made = co_await client_.create<ServiceAccount>(std::move(draft));
        ok = made.ok() || is_settled(made.error());
    }
    if (needs.make_root_map) {
        const auto made = co_await client_.create<ConfigMap>(*std::move(needs.make_root_map));
        ok = ok && (made.ok() || is_settled(made.error()));
    }
    if (needs.update_root_map) {
        const auto updated = co_await client_.change<ConfigMap>(map, *std::move(needs.update_root_map));
        ok = ok && (updated.ok() || is_settled(updated.error()));
    }
    co_return ok ? Worked::kDone : Worked::kRetry;
}

}  // namespace muster::controllers
