// A server on a free port of this machine, its authority and clients for it.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "os/http/server/http_server.h"
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

// It has a service rather than being one: carrying threads may call the service until the server is gone, which a base
// class does not outlive.
class HttpFixture {
public:
    using Serve = std::function<void(std::unique_ptr<HttpExchange>)>;
    // Answers everything by method, target and body unless told otherwise. Reads bodies before it calls `answer`.
    HttpFixture();
    void start();
    void start_plain();
    // One more with the same options and answers, if it can be had.
    Result<std::unique_ptr<HttpServer>> start_another() { return start_http_server(options, service_); }

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
    Serve on_head;  // called instead, when set, and before the body is read

private:
    struct Service final : HttpService {
        explicit Service(const HttpFixture& of) : fixture(of) {}
        void serve(std::unique_ptr<HttpExchange> exchange) override;
        const HttpFixture& fixture;
    };
    Service service_{*this};

public:
    std::unique_ptr<HttpServer> server;
};

// Calls with the exchange when its request has its body.
void with_body(std::unique_ptr<HttpExchange> exchange, HttpFixture::Serve then);
// An answer that says what was asked.
HttpResponse echo(const HttpRequest& request);
HttpResponse text_response(std::string text);

}  // namespace muster::os
