// Carries out what certificates/decide.h decides: the leader makes and renews the certificates in the Secret, and then
// writes their authority into the webhook configurations and conversions that point to Muster. All replicas read the
// Secret (webhook/webhook.h).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/client.h"
#include "os/loop/loop.h"
#include "webhook/certificates/decide.h"

namespace muster::webhook {

inline constexpr const char* kCertificateSecret = "muster-webhook-certificate";

struct KeeperOptions {
    Identity identity{};
    std::string secret = kCertificateSecret;  // in the identity's namespace
    Duration period = 1min;                   // how often all of it is looked at
    Duration retry = 5s;                      // after an error
    Duration leading_period = 1s;             // how often `leads` is asked
    std::function<bool()> leads = [] { return true; };
    std::function<void(std::string_view)> on_problem{};
};

class CertificateKeeper {
public:
    // Loop and client must outlive it; the client writes only while this instance leads. Destroying it stops it.
    CertificateKeeper(os::Loop& loop, client::Client& client, KeeperOptions options);
    void start();

    // One look at everything, for tests.
    os::Task<Result<>> look_once() { return keep(); }

private:
    os::Task<void> run();
    os::Task<Result<>> keep();
    // The certificates as they are then in the Secret.
    os::Task<Result<KeptCertificates>> keep_secret();
    template <class K>
    os::Task<Result<>> keep_authority(std::string name, std::string authority);

    os::Loop& loop_;
    client::Client& client_;
    const KeeperOptions options_;
    const server::ServingNames names_;
    os::TaskScope tasks_;
};

}  // namespace muster::webhook
