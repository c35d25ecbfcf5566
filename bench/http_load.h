// Load for HTTP benchmarks: clients over TLS on one thread, each with one request under way; and the CPU time of the
// processes that serve them.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "os/descriptor.h"
#include "os/real_loop.h"
#include "os/socket_address.h"
#include "os/tls_session.h"

namespace muster::bench {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// User and system time of a process and its children, in seconds.
inline double cpu_seconds(pid_t pid) {
    const std::string folder = "/proc/" + std::to_string(pid);
    std::ifstream stat(folder + "/stat");
    std::string text((std::istreambuf_iterator<char>(stat)), {});
    if (text.empty()) return 0;
    std::istringstream fields(text.substr(text.rfind(')') + 2));
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped;
    double user = 0;
    double system = 0;
    fields >> user >> system;
    double total = (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
    std::ifstream children(folder + "/task/" + std::to_string(pid) + "/children");
    for (pid_t child; children >> child;) total += cpu_seconds(child);
    return total;
}

inline std::size_t resident_bytes(pid_t pid) {
    std::ifstream statm("/proc/" + std::to_string(pid) + "/statm");
    std::size_t size = 0;
    std::size_t resident = 0;
    statm >> size >> resident;
    return resident * 4096;
}

// A connected socket that has shaken hands, with a session to go on with.
struct TlsClient {
    os::Descriptor socket;
    std::unique_ptr<os::TlsSession> tls;
    std::string early;  // plaintext that came with the end of the handshake
};

inline bool send_all(int socket, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

// Blocks; ends the process when it cannot connect.
inline TlsClient connect_tls(const os::Address& address, const os::TlsContext& context) {
    os::SocketAddress encoded = os::encode_address(address).value();
    TlsClient client;
    client.socket = os::Descriptor(::socket(encoded.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    CHECK(::connect(client.socket.number(), encoded.get(), encoded.size) == 0, "cannot connect");
    const int on = 1;
    ::setsockopt(client.socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    client.tls = os::TlsSession::of_client(context, address.host);
    char plaintext[16u << 10];
    char received[16u << 10];
    std::string out;
    client.tls->read(plaintext, out);
    while (!client.tls->established()) {
        CHECK(send_all(client.socket.number(), std::exchange(out, {})));
        const ssize_t count = ::recv(client.socket.number(), received, sizeof(received), 0);
        CHECK(count > 0, "the server closed during the handshake");
        client.tls->give({received, static_cast<std::size_t>(count)});
        client.tls->read(plaintext, out);
    }
    send_all(client.socket.number(), out);
    return client;
}

struct LoadResult {
    double requests_per_second = 0;
    double cpu_microseconds = 0;  // of the server, per request
    double p50_microseconds = 0;
    double p99_microseconds = 0;
};

// Closed loop: each client asks again as soon as it has its answer, which must be `answer_bytes` long in all.
class Load {
public:
    Load(const os::Address& address, const os::TlsContext& context, int clients, std::string request)
        : request_(std::move(request)) {
        for (int i = 0; i < clients; ++i) {
            clients_.push_back(std::make_unique<Client>());
            static_cast<TlsClient&>(*clients_.back()) = connect_tls(address, context);
        }
        for (auto& client : clients_) {
            loop_.watch(client->socket.number(), [this, raw = client.get()](os::RealLoop::Readiness ready) {
                if (ready.readable) on_readable(*raw);
            });
        }
    }

    LoadResult run(double seconds, pid_t server) {
        times_.clear();
        ending_ = false;
        for (auto& client : clients_) ask(*client);
        const double cpu = cpu_seconds(server);
        const auto start = Clock::now();
        loop_.after(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)), [this] {
            ending_ = true;
            loop_.stop();
        });
        loop_.run();
        LoadResult result;
        const double count = static_cast<double>(times_.size());
        result.requests_per_second = count / seconds_since(start);
        result.cpu_microseconds = (cpu_seconds(server) - cpu) * 1e6 / count;
        std::sort(times_.begin(), times_.end());
        result.p50_microseconds = times_[times_.size() / 2];
        result.p99_microseconds = times_[times_.size() * 99 / 100];
        // What is under way is taken before the next run.
        while (under_way_ > 0) loop_.run();
        return result;
    }

private:
    struct Client : TlsClient {
        Clock::time_point asked{};
        std::string head;
        std::size_t left = 0;  // of the body
        bool in_body = false;
    };

    void ask(Client& client) {
        client.asked = Clock::now();
        ++under_way_;
        out_.clear();
        client.tls->write(request_, out_);
        CHECK(send_all(client.socket.number(), out_), "the server closed");
    }

    void on_readable(Client& client) {
        for (;;) {
            const ssize_t count = ::recv(client.socket.number(), received_, sizeof(received_), MSG_DONTWAIT);
            if (count < 0) return;
            CHECK(count > 0, "the server closed");
            client.tls->give({received_, static_cast<std::size_t>(count)});
            for (;;) {
                out_.clear();
                const auto read = client.tls->read(plaintext_, out_);
                if (read.outcome != os::TlsSession::Outcome::kPlaintext) break;
                take(client, {plaintext_, read.size});
            }
            if (count < static_cast<ssize_t>(sizeof(received_))) return;
        }
    }

    void take(Client& client, std::string_view bytes) {
        if (!client.in_body) {
            client.head += bytes;
            const std::size_t end = client.head.find("\r\n\r\n");
            if (end == std::string::npos) return;
            CHECK(client.head.starts_with("HTTP/1.1 200 "), client.head);
            std::size_t length = client.head.find("Content-Length: ");
            CHECK(length != std::string::npos, client.head);
            client.left = std::strtoul(client.head.c_str() + length + 16, nullptr, 10);
            bytes = std::string_view(client.head).substr(end + 4);
            client.in_body = true;
        }
        client.left -= bytes.size();
        if (client.left > 0) return;
        client.head.clear();
        client.in_body = false;
        --under_way_;
        if (ending_) {
            if (under_way_ == 0) loop_.stop();
            return;
        }
        times_.push_back(std::chrono::duration<double, std::micro>(Clock::now() - client.asked).count());
        ask(client);
    }

    const std::string request_;
    os::RealLoop loop_;
    std::vector<std::unique_ptr<Client>> clients_;
    std::vector<double> times_;
    bool ending_ = false;
    std::size_t under_way_ = 0;
    std::string out_;
    char received_[32u << 10];
    char plaintext_[16u << 10];
};

}  // namespace muster::bench
