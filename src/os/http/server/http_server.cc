#include "os/http/server/http_server.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <vector>

#include "os/http/server/http_acceptor.h"
#include "os/http/server/http_carrier.h"
#include "os/network/socket_address.h"

namespace muster::os {
namespace {

class CarriedHttpServer final : public HttpServer {
public:
    CarriedHttpServer(const HttpServerOptions& options, HttpService& service, TlsContext tls, Descriptor socket)
        : shared_(service, options.limits, options.budget) {
        shared_.uses_tls = tls != nullptr;
        shared_.set_tls(std::move(tls));
        SocketAddress bound;
        CHECK(::getsockname(socket.number(), bound.get(), &bound.size) == 0, std::strerror(errno));
        address_ = decode_address(bound);
        for (int i = 0; i < std::max(1, options.carrying_threads); ++i)
            carriers_.push_back(std::make_unique<HttpCarrier>(shared_));
        on_problem_ = options.on_problem;
        add_acceptor(std::move(socket));
    }

    ~CarriedHttpServer() override {
        carriers_[0]->loop().post([this] { close_acceptors(); });
        carriers_.clear();
    }

    const Address& address() const override { return address_; }

    Result<> listen_also(const Address& address) override {
        TRY_ASSIGN(Descriptor socket, listen_at(address));
        add_acceptor(std::move(socket));
        return {};
    }

    Result<> replace_tls(const TlsServerSettings& settings) override {
        CHECK(shared_.uses_tls, "a server of plain HTTP has no certificate to replace");
        TRY_ASSIGN(TlsContext context, make_server_context(settings));
        shared_.set_tls(std::move(context));
        return {};
    }

    void stop(Duration grace, Work stopped) override {
        carriers_[0]->loop().post([this, grace, stopped = std::move(stopped)]() mutable {
            close_acceptors();
            stopped_ = std::move(stopped);
            left_ = carriers_.size();
            for (const auto& carrier : carriers_) drain(*carrier, grace);
        });
    }

    HttpServerCounts counts() const override {
        HttpServerCounts counts{.connections = shared_.connections.load(), .requests = shared_.requests.load()};
        for (const auto& acceptor : acceptors_) {
            counts.accepted += acceptor->accepted();
            counts.refused += acceptor->refused();
        }
        return counts;
    }

private:
    // All on the first thread, which takes connections for the others.
    void add_acceptor(Descriptor socket) {
        acceptors_.push_back(std::make_unique<HttpAcceptor>(
            carriers_[0]->loop(), std::move(socket),
            HttpAcceptor::Calls{.has_room = [this] { return has_room(); },
                                .first_reserved = shared_.limits.first_reserved_descriptor,
                                .take = [this](Descriptor taken, Address peer) { take(std::move(taken), peer); },
                                .on_problem = on_problem_}));
    }
    void close_acceptors() {
        for (const auto& acceptor : acceptors_) acceptor->close();
    }
    bool has_room() {
        if (shared_.connections.load() >= shared_.limits.connections_max) return false;
        shared_.connections.fetch_add(1);
        return true;
    }
    void take(Descriptor socket, const Address& peer) {
        carriers_[next_++ % carriers_.size()]->adopt(std::move(socket), peer);
    }
    void drain(HttpCarrier& carrier, Duration grace) {
        carrier.drain([this] {
            if (left_.fetch_sub(1) == 1 && stopped_) stopped_();
        });
        carrier.loop().post([&carrier, grace] { carrier.loop().after(grace, [&carrier] { carrier.cut_all(); }); });
    }

    HttpShared shared_;
    Address address_;
    std::vector<std::unique_ptr<HttpCarrier>> carriers_;
    std::function<void(std::string_view)> on_problem_;
    std::vector<std::unique_ptr<HttpAcceptor>> acceptors_;
    std::size_t next_ = 0;
    std::atomic<std::size_t> left_{0};
    Work stopped_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> start_http_server(const HttpServerOptions& options, HttpService& service) {
    TlsContext tls;
    if (options.tls) {
        TRY_ASSIGN(tls, make_server_context(*options.tls));
    }
    TRY_ASSIGN(Descriptor socket, listen_at(options.listen));
    return std::unique_ptr<HttpServer>(
        std::make_unique<CarriedHttpServer>(options, service, std::move(tls), std::move(socket)));
}

}  // namespace muster::os
