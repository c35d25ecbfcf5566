// A proxy for tests of clients, on a thread of its own: it carries bytes to the place that CONNECT names, answers every
// other request itself, and keeps the heads of all.
#pragma once

#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "os/http/client/http_client_connection.h"
#include "os/loop/real_loop.h"
#include "os/network/linux_network.h"

namespace muster::os {

class TestProxy {
public:
    static constexpr const char* kConnected = "HTTP/1.1 200 Connection established";
    // With a context (make_server_context) it is reached over TLS. `answer` is what it says to CONNECT.
    explicit TestProxy(TlsContext tls = nullptr, const std::string& answer = kConnected);
    ~TestProxy();

    static constexpr const char* kOwnAnswer = "of the proxy";  // to all other requests

    // "127.0.0.1:40000"
    std::string place() const { return format_address(listener_->address()); }
    std::vector<std::string> heads() const;

private:
    Task<void> accept_all();
    Task<void> serve(std::unique_ptr<Stream> stream);
    Task<void> carry(ClientConnection& inside, std::string place);

    const TlsContext tls_;
    const std::string answer_;
    mutable std::mutex mutex_;  // guards the next
    std::vector<std::string> heads_;
    RealLoop loop_;
    LinuxNetwork network_{loop_};
    std::unique_ptr<Listener> listener_;
    std::thread thread_;
};

}  // namespace muster::os
