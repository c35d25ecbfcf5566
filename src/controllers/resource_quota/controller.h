// Keeps status.hard and status.used of ResourceQuotas true: follows the objects that quotas count, in one ledger for
// each namespace with quotas, and writes what decide_quota_status plans. What may be created is decided by the server
// (server/objects/quota_admission.h), which does not read the status.
// A kind is mirrored from the moment that a quota counts it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "api/kinds/core/quota.h"
#include "api/quota/ledger.h"
#include "client/client.h"
#include "client/metrics.h"
#include "client/mirror.h"
#include "controllers/reconciler.h"
#include "os/loop/loop.h"
#include "os/loop/task.h"

namespace muster::controllers {

class ResourceQuotaController {
public:
    // All must outlive the controller; destroying it stops it.
    ResourceQuotaController(os::Loop& loop, client::Client& client, client::Metrics& metrics);

    void start();
    bool idle() const { return reconciler_.idle(); }

private:
    using QuotaRef = client::Ref<api::core::ResourceQuota>;
    struct Mirrored {
        std::unique_ptr<client::AnyMirror> mirror;
        client::AnyMirror::IndexId by_namespace = 0;
    };

    void on_object(const api::KindInfo& kind, const client::AnyObject& before, const client::AnyObject& now);
    os::Task<Worked> sync(Text namespace_);
    // Opens and closes accounts, so that there is one for each quota of the namespace.
    void settle_accounts(const Text& namespace_);
    void count(const Text& namespace_, const Text& quota);
    Mirrored& mirror_of(const api::KindInfo& kind);
    os::Task<bool> write(QuotaRef quota, api::core::ResourceQuotaStatus status);

    os::Loop& loop_;
    client::Client& client_;
    client::Mirror<api::core::ResourceQuota> quotas_;
    client::Mirror<api::core::ResourceQuota>::IndexId quotas_by_namespace_;
    std::map<std::string, Mirrored> mirrors_;  // by what the kind is called
    std::map<Text, api::QuotaLedger> ledgers_;
    Reconciler<Text> reconciler_;  // by namespace
};

}  // namespace muster::controllers
