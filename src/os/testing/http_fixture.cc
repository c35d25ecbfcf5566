#include "os/testing/http_fixture.h"

#include <thread>

namespace muster::os {

void Signal::set() {
    std::lock_guard lock(mutex_);
    set_ = true;
    changed_.notify_all();
}

bool Signal::wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 10s, [this] { return set_; });
}

HttpResponse text_response(std::string text) {
    HttpResponse response;
    response.headers.push_back({"Content-Type", "text/plain"});
    response.body = std::move(text);
    return response;
}

HttpResponse echo(const HttpRequest& request) {
    return text_response(request.method + " " + request.target + " " + request.body);
}

void with_body(std::unique_ptr<HttpExchange> exchange, HttpFixture::Serve then) {
    HttpExchange& asked = *exchange;
    asked.read_body([held = std::move(exchange), then = std::move(then)]() mutable {
        held->request.body = held->take_body();
        then(std::move(held));
    });
}

void HttpFixture::Service::serve(std::unique_ptr<HttpExchange> exchange) {
    if (fixture.on_head) return fixture.on_head(std::move(exchange));
    with_body(std::move(exchange), fixture.answer);
}

HttpFixture::HttpFixture() {
    constexpr std::size_t kPlenty = std::size_t{1} << 30;
    options.budget =
        std::make_shared<ByteBudget>(BudgetLimits{.total = kPlenty, .strangers = kPlenty, .user = kPlenty});
    answer = [](std::unique_ptr<HttpExchange> exchange) { exchange->respond(echo(exchange->request)); };
    options.tls = TlsServerSettings{.identity = authority.sign_server(), .client_authorities = authority.certificate()};
}

void HttpFixture::start() { server = start_http_server(options, service_).value(); }

void HttpFixture::start_plain() {
    options.tls.reset();
    start();
}

TlsContext HttpFixture::client_context(const TlsIdentity* identity) const {
    TlsClientSettings settings;
    settings.server_authorities = authority.certificate();
    if (identity) settings.identity = *identity;
    return make_client_context(settings).value();
}

RawClient HttpFixture::connect() { return RawClient(server->address(), options.tls ? client_context() : nullptr); }

RawClient HttpFixture::connect(const TlsIdentity& identity) {
    return RawClient(server->address(), client_context(&identity));
}

bool HttpFixture::await_connections(std::size_t count) const {
    for (int i = 0; i < 10'000; ++i) {
        if (server->counts().connections == count) return true;
        std::this_thread::sleep_for(1ms);
    }
    return false;
}

bool HttpFixture::stop(Duration grace) {
    Signal stopped;
    server->stop(grace, [&stopped] { stopped.set(); });
    return stopped.wait();
}

}  // namespace muster::os
