// The HTTPS server that an API server asks: /mutate and /validate (webhook/review/admission.h), /convert
// (webhook/review/conversion.h). Every replica serves, whether it leads or not: an answer needs no more than mirrors,
// and on a miss one read from the server.
//
// A carrying thread reads and decodes a review; the loop decides; conversions need no loop. While the mirrors are not
// synced, and when a read on a miss fails, the answer is 500: the API server's failurePolicy then lets the client try
// again, and no pod passes without having been looked at.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string_view>

#include "api/kinds/admission.h"
#include "client/client.h"
#include "client/metrics.h"
#include "os/http/server/http_server.h"
#include "os/loop/loop.h"
#include "webhook/review/admission.h"
#include "webhook/server/mirror_world.h"

namespace muster::webhook {

struct WebhookServerOptions {
    os::Address listen{"0.0.0.0", 9443};
    ReviewOptions review{};
    std::function<void(std::string_view)> on_problem{};
};

class WebhookServer {
public:
    // Serves with that certificate. The loop, the reader and the metrics must outlive it; it is made and destroyed on
    // the loop's thread. Fails when the address cannot be had or the certificate cannot be used.
    static Result<std::unique_ptr<WebhookServer>> start(os::Loop& loop, client::Client& reader,
                                                        client::Metrics& metrics, WebhookServerOptions options,
                                                        const os::TlsIdentity& identity);
    ~WebhookServer();

    const os::Address& address() const { return http_->address(); }
    // Whether reviews are answered.
    bool ready() const { return mirrors_.synced(); }
    // For connections made from now on. Nothing changes when it fails.
    Result<> replace_certificate(const os::TlsIdentity& identity);
    // Who Muster is to the API server, when that is known only later.
    void set_own_user(std::string user) { options_.review.own_user = std::move(user); }

private:
    class Service;
    using Exchange = std::shared_ptr<os::HttpExchange>;
    enum class Path { kMutate, kValidate, kConvert };

    WebhookServer(os::Loop& loop, client::Client& reader, client::Metrics& metrics, WebhookServerOptions options);
    // On the loop.
    os::Task<void> answer(Exchange exchange, std::shared_ptr<const api::admission::AdmissionReview> asked, Path path,
                          Duration asked_at);
    os::Task<Result<api::admission::AdmissionResponse>> review(
        std::shared_ptr<const api::admission::AdmissionReview> asked, Path path);
    void count(Path path, int code, Duration asked_at);

    os::Loop& loop_;
    client::Client& reader_;
    client::Metrics& metrics_;
    WebhookServerOptions options_;
    ReviewMirrors mirrors_;
    os::TaskScope tasks_;
    std::shared_ptr<Service> service_;
    std::unique_ptr<os::HttpServer> http_;
};

}  // namespace muster::webhook
