#include "controllers/resource_quota/controller.h"

#include "api/quota/usage.h"
#include "api/schema/resource_name.h"
#include "controllers/resource_quota/decide.h"

namespace muster::controllers {
namespace {

using api::core::ResourceQuota;
using client::AnyMirror;
using client::AnyObject;
using View = client::Client::View;

constexpr std::size_t kSpacesAtOnceMax = 64;

const api::meta::ObjectMeta& metadata_itself(const void* object) {
    return *static_cast<const api::meta::ObjectMeta*>(object);
}

// Of most kinds only the number counts, for which their metadata is enough.
AnyMirror::MetadataOf metadata_of(const api::KindInfo& kind) {
    const api::QuotaContent* content = api::find_quota_content(kind);
    return content ? content->metadata : &metadata_itself;
}

}  // namespace

ResourceQuotaController::ResourceQuotaController(os::Loop& loop, client::Client& client, client::Metrics& metrics)
    : loop_(loop),
      client_(client),
      quotas_(loop, client),
      quotas_by_namespace_(quotas_.add_index([](const ResourceQuota& quota) { return quota.metadata.namespace_; })),
      reconciler_(loop, client::QueueMetrics(metrics, "resource_quota"), kSpacesAtOnceMax,
                  [this](Text namespace_) { return sync(std::move(namespace_)); }) {}

void ResourceQuotaController::start() {
    quotas_.on_change([this](const QuotaRef& before, const QuotaRef& now) {
        reconciler_.add((now ? now : before)->metadata.namespace_);
    });
    quotas_.start();
    reconciler_.start_after(quotas_);
}

void ResourceQuotaController::on_object(const api::KindInfo& kind, const AnyObject& before, const AnyObject& now) {
    const Text& namespace_ = metadata_of(kind)((now ? now : before).get()).namespace_;
    const auto found = ledgers_.find(namespace_);
    if (found != ledgers_.end() && found->second.apply(kind, before.get(), now.get())) reconciler_.add(namespace_);
}

ResourceQuotaController::Mirrored& ResourceQuotaController::mirror_of(const api::KindInfo& kind) {
    const auto [found, added] = mirrors_.try_emplace(api::format_resource(kind));
    Mirrored& mirrored = found->second;
    if (!added) return mirrored;
    const AnyMirror::MetadataOf look = metadata_of(kind);
    const View view = look == &metadata_itself ? View::kMetadata : View::kObject;
    mirrored.mirror = std::make_unique<AnyMirror>(loop_, client_, kind, view, look);
    mirrored.by_namespace = mirrored.mirror->add_index([look](const void* object) { return look(object).namespace_; });
    mirrored.mirror->on_change(
        [this, &kind](const AnyObject& before, const AnyObject& now) { on_object(kind, before, now); });
    mirrored.mirror->start();
    return mirrored;
}

// What a mirror has not shown yet, it will tell.
void ResourceQuotaController::count(const Text& namespace_, const Text& quota) {
    api::QuotaLedger& ledger = ledgers_[namespace_];
    for (const api::KindInfo* kind : ledger.accounts().find(quota.view())->second.kinds) {
        const Mirrored& mirrored = mirror_of(*kind);
        for (const auto& [name, object] : mirrored.mirror->indexed(mirrored.by_namespace, namespace_))
            ledger.count(quota, *kind, object.get());
    }
}

void ResourceQuotaController::settle_accounts(const Text& namespace_) {
    const std::vector<QuotaRef> quotas = quotas_.indexed(quotas_by_namespace_, namespace_);
    if (quotas.empty()) {
        ledgers_.erase(namespace_);
        return;
    }
    api::QuotaLedger& ledger = ledgers_[namespace_];
    std::vector<std::string> gone;
    for (const auto& [name, account] : ledger.accounts())
        if (!quotas_.get(client::ObjectName(namespace_, name))) gone.push_back(name);
    for (const std::string& name : gone) ledger.close(name);
    for (const QuotaRef& quota : quotas) {
        // The mirrors first: one that has everything already tells it when it starts.
        api::QuotaLedger trial;
        trial.open(quota->metadata.name, quota->spec);
        for (const api::KindInfo* kind : trial.kinds()) (void)mirror_of(*kind);
        if (ledger.open(quota->metadata.name, quota->spec)) count(namespace_, quota->metadata.name);
    }
}

os::Task<Worked> ResourceQuotaController::sync(Text namespace_) {
    settle_accounts(namespace_);
    std::vector<std::string> kinds;
    for (const auto& [name, mirrored] : mirrors_) kinds.push_back(name);
    for (const std::string& kind : kinds) co_await mirrors_[kind].mirror->wait_synced();
    // While it waited, quotas may have come and gone; those without an account are in the queue again.
    bool ok = true;
    for (const QuotaRef& quota : quotas_.indexed(quotas_by_namespace_, namespace_)) {
        const auto ledger = ledgers_.find(namespace_);
        if (ledger == ledgers_.end()) break;
        const auto account = ledger->second.accounts().find(quota->metadata.name.view());
        if (account == ledger->second.accounts().end() || !(account->second.spec == quota->spec)) continue;
        std::optional<api::core::ResourceQuotaStatus> status = decide_quota_status(*quota, account->second.used);
        if (!status) continue;
        const bool written = co_await write(quota, *std::move(status));
        ok = ok && written;
    }
    co_return ok ? Worked::kDone : Worked::kRetry;
}

os::Task<bool> ResourceQuotaController::write(QuotaRef quota, api::core::ResourceQuotaStatus status) {
    ResourceQuota draft = *quota;
    draft.status = std::move(status);
    const auto written = co_await client_.change_status<ResourceQuota>(quota, std::move(draft));
    if (!written.ok()) co_return is_gone(written.error());
    const std::uint64_t version = client::parse_version((*written)->metadata.resource_version);
    co_await quotas_.wait_reached(version);
    co_return true;
}

}  // namespace muster::controllers
