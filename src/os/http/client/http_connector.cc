#include "os/http/client/http_connector.h"

#include "os/http/client/http_response_reader.h"
#include "os/loop/within.h"
#include "os/network/resolve.h"

namespace muster::os {
namespace {

constexpr std::size_t kProxyHeadMax = 16u << 10;

// What goes through a connection, for a second one inside it: TLS to a server within TLS to a proxy.
class InnerStream final : public Stream {
public:
    explicit InnerStream(std::unique_ptr<ClientConnection> outer) : outer_(std::move(outer)) {}

    Task<Result<std::size_t>> read(std::span<char> buffer) override { return outer_->read(buffer); }
    Task<Result<>> write(std::string_view bytes) override { return outer_->write(bytes); }
    void end_writing() override { outer_->close(); }  // TLS has no half of it
    void close() override { outer_->close(); }
    Address peer() const override { return outer_->peer(); }

private:
    const std::unique_ptr<ClientConnection> outer_;
};

Task<void> connect_into(Network& network, Address address, Completion<Result<std::unique_ptr<Stream>>> done) {
    Result<std::unique_ptr<Stream>> connected = co_await network.connect(std::move(address));
    if (!done.resolved()) done.resolve(std::move(connected));
}

}  // namespace

Task<Result<Connector::Connection>> Connector::connect() {
    CO_TRY_ASSIGN(const std::vector<Address> addresses, co_await look_up());
    Error failure{Code::kUnavailable, "no address of " + peer().host};
    for (const Address& address : addresses) {
        Result<std::unique_ptr<Stream>> stream = co_await connect_within(address);
        if (stream) co_return co_await reach_server(*std::move(stream));
        failure = std::move(stream).error();
    }
    if (settings_.proxy) failure.message = "the proxy " + host_and_port(peer()) + ": " + failure.message;
    co_return failure;
}

Task<Result<std::vector<Address>>> Connector::look_up() {
    const HttpOrigin& origin = peer();
    auto work = [host = origin.host, port = origin.port] { return resolve(host, port); };
    co_return co_await offload(loop_, worker_, std::move(work));
}

Task<Result<std::unique_ptr<Stream>>> Connector::connect_within(Address address) {
    const Completion<Result<std::unique_ptr<Stream>>> done(loop_);
    TaskScope connecting(loop_);
    connecting.spawn(connect_into(network_, address, done));
    const std::string name = format_address(address);
    const TimerId timer = loop_.after(settings_.connect_timeout, [done, name] {
        if (!done.resolved()) done.resolve(Error{Code::kTimeout, "cannot connect to " + name + ": timed out"});
    });
    Result<std::unique_ptr<Stream>> connected = co_await done;
    loop_.cancel(timer);
    co_return connected;
}

Task<Result<Connector::Connection>> Connector::reach_server(std::unique_ptr<Stream> stream) {
    if (settings_.proxy) {
        CO_TRY_ASSIGN(stream, co_await pass_proxy(std::move(stream)));
    }
    const std::string& name = settings_.server_name.empty() ? settings_.origin.host : settings_.server_name;
    co_return co_await shake_hands(std::move(stream), tls_.server, name, host_and_port(settings_.origin));
}

Task<Result<std::unique_ptr<Stream>>> Connector::pass_proxy(std::unique_ptr<Stream> stream) {
    if (tls_.proxy) {
        CO_TRY_ASSIGN(Connection outer, co_await shake_hands(std::move(stream), tls_.proxy, peer().host,
                                                             "the proxy " + host_and_port(peer())));
        stream = std::make_unique<InnerStream>(std::move(outer));
    }
    if (!settings_.origin.tls) co_return stream;
    const std::optional<Result<>> asked = co_await within(loop_, settings_.connect_timeout, ask_for_tunnel(*stream));
    if (!asked) co_return Error{Code::kTimeout, "the proxy " + host_and_port(peer()) + " does not answer in time"};
    CO_TRY(*asked);
    co_return stream;
}

// What the server sends comes only after our first bytes, so nothing but the proxy's head is read here.
Task<Result<>> Connector::ask_for_tunnel(Stream& stream) {
    const std::string server = host_and_port(settings_.origin);
    std::string request = "CONNECT " + server + " HTTP/1.1\r\nHost: " + server + "\r\n";
    if (!settings_.proxy->authorization.empty())
        request += "Proxy-Authorization: " + settings_.proxy->authorization + "\r\n";
    request += "User-Agent: " + settings_.user_agent + "\r\n\r\n";
    CO_TRY(co_await stream.write(request));
    const std::string proxy = "the proxy " + host_and_port(peer());
    std::string head;
    while (!head.ends_with("\r\n\r\n")) {
        char byte;
        CO_TRY_ASSIGN(const std::size_t count, co_await stream.read({&byte, 1}));
        if (count == 0 || head.size() > kProxyHeadMax) co_return Error{Code::kUnavailable, proxy + " gave no answer"};
        head += byte;
    }
    ResponseReader reader(true);
    const Result<std::size_t> read = reader.consume(head);
    if (read.ok() && reader.head_done() && reader.head().status == 200) co_return Result<>();
    co_return Error{Code::kUnavailable,
                    proxy + " refuses to connect to " + server + ": " + head.substr(0, head.find('\r'))};
}

Task<Result<Connector::Connection>> Connector::shake_hands(std::unique_ptr<Stream> stream, TlsContext tls,
                                                           std::string certified_name, std::string place) {
    auto connection = std::make_unique<ClientConnection>(std::move(stream),
                                                         tls ? TlsSession::of_client(tls, certified_name) : nullptr);
    const ConnectionDeadline deadline(loop_, *connection, settings_.connect_timeout);
    const Result<> shaken = co_await connection->shake_hands();
    if (deadline.expired())
        co_return Error{Code::kTimeout, "cannot connect to " + place + ": no TLS handshake in time"};
    if (!shaken) co_return Error{shaken.error().code, "cannot connect to " + place + ": " + shaken.error().message};
    co_return connection;
}

}  // namespace muster::os
