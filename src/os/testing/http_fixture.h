// A server on a free port of this machine, its authority and clients for it.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "os/http_server.h"
#include "os/testing/raw_client.h"
#include "os/testing/tls_certificates.h"

namespace muster::os {

// Something that another thread does and a test waits for, ten seconds at most.
class Signal {
public:
    void set();
    bool wait();

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool set_ = false;
};

class HttpFixture : public HttpService {
public:
    using Serve = std::function<void(std::unique_ptr<HttpExchange>)>;
    // Answers everything by method, target and body unless told otherwise.
    HttpFixture();
    ~HttpFixture() override;
    void start();
    void start_plain();
    void serve(std::unique_ptr<HttpExchange> exchange) override;

    // An anonymous client; or one with that certificate.
    RawClient connect();
    RawClient connect(const TlsIdentity& identity);
    TlsContext client_context(const TlsIdentity* identity = nullptr) const;
    // Waits, ten seconds at most, until so many are connected.
    bool await_connections(std::size_t count) const;
    bool stop(Duration grace = 10s);

    TestAuthority authority{"test-ca"};
    HttpServerOptions options;
    Serve answer;
    std::unique_ptr<HttpServer> server;
};

// An answer that says what was asked.
HttpResponse echo(const HttpRequest& request);
HttpResponse text_response(std::string text);

}  // namespace muster::os
