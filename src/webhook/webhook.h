// The webhook of one replica: waits for a certificate, serves with it, and serves with the next one as soon as there is
// one. The certificate comes from the Secret that the leader keeps (certificates/keeper.h), or from a directory in
// which another program, such as cert-manager, keeps tls.crt and tls.key.
#pragma once

#include <memory>
#include <string>

#include "client/client.h"
#include "client/metrics.h"
#include "os/loop/loop.h"
#include "webhook/certificates/keeper.h"
#include "webhook/server/webhook_server.h"

namespace muster::webhook {

struct WebhookSettings {
    Identity identity{};
    WebhookServerOptions server{};
    std::string certificate_directory{};  // empty: the Secret
    std::string secret = kCertificateSecret;
    Duration period = 5s;  // how often the certificate is looked at
    std::function<void(std::string_view)> on_problem{};
    // Told once, when it listens, with the address.
    std::function<void(const os::Address&)> on_listening{};
};

class Webhook {
public:
    // All must outlive it; the worker reads files. Destroying it stops it.
    Webhook(os::Loop& loop, os::Worker& worker, client::Client& reader, client::Metrics& metrics,
            WebhookSettings settings);
    void start();

    // Whether reviews are answered; and why not, in a sentence for /readyz.
    bool ready() const { return server_ && server_->ready(); }
    std::string why_not_ready() const;

private:
    os::Task<void> run();
    os::Task<Result<os::TlsIdentity>> read_certificate();
    os::Task<Result<>> find_own_user();
    Result<> use(const os::TlsIdentity& identity);

    os::Loop& loop_;
    os::Worker& worker_;
    client::Client& reader_;
    client::Metrics& metrics_;
    WebhookSettings settings_;
    std::unique_ptr<WebhookServer> server_;
    os::TlsIdentity used_{};
    std::string problem_;
    os::TaskScope tasks_;
};

// tls.crt and tls.key of a directory. Blocks.
Result<os::TlsIdentity> read_certificate_directory(const std::string& directory);

}  // namespace muster::webhook
