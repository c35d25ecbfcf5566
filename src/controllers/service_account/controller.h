// Keeps the service account `default` and the ConfigMap `kube-root-ca.crt` in every namespace: creates them, and
// recreates them after a deletion (decide.h).
#pragma once

#include <string>

#include "api/kinds/core/config.h"
#include "api/kinds/core/namespace.h"
#include "api/kinds/core/service_account.h"
#include "client/client.h"
#include "client/metrics.h"
#include "client/mirror.h"
#include "controllers/reconciler.h"

namespace muster::controllers {

struct ServiceAccountOptions {
    std::string authority{};  // PEM: what signed the server's certificate; empty: no ConfigMaps are made
};

class ServiceAccountController {
public:
    // All must outlive the controller; destroying it stops it.
    ServiceAccountController(os::Loop& loop, client::Client& client, client::Metrics& metrics,
                             ServiceAccountOptions options);

    void start();

private:
    os::Task<Worked> sync(Text name);

    client::Client& client_;
    const ServiceAccountOptions options_;
    client::Mirror<api::core::Namespace> namespaces_;
    client::Mirror<api::core::ServiceAccount> accounts_;
    client::Mirror<api::core::ConfigMap> maps_;
    Reconciler<Text> reconciler_;  // by namespace
};

}  // namespace muster::controllers
