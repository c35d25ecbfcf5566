// The peer that the HTTP benchmarks compare with.
#pragma once

#include <sys/socket.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "bench/served.h"
#include "os/http/tls_context.h"
#include "os/network/socket_address.h"

namespace muster::bench {

// nginx on a free port that serves one file as /object.json over TLS; nothing when it is not installed.
class Nginx {
public:
    Nginx(const os::TlsIdentity& identity, const std::string& content) {
        if (std::system("command -v nginx >/dev/null 2>&1") != 0) return;
        std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));  // its workers are another user
        write_file(folder_.path() + "/cert.pem", identity.certificate_chain);
        write_file(folder_.path() + "/key.pem", identity.key);
        write_file(folder_.path() + "/object.json", content);
        address_ = os::Address("127.0.0.1", free_port());
        write_file(folder_.path() + "/nginx.conf", configuration());
        pid_ = ::fork();
        if (pid_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGTERM);
            const std::string file = folder_.path() + "/nginx.conf";
            ::execlp("nginx", "nginx", "-c", file.c_str(), "-p", folder_.path().c_str(), nullptr);
            ::_exit(1);
        }
        await_listening();
    }
    Nginx(const Nginx&) = delete;
    Nginx& operator=(const Nginx&) = delete;
    ~Nginx() {
        if (pid_ == 0) return;
        ::kill(pid_, SIGTERM);
        ::waitpid(pid_, nullptr, 0);
    }
    explicit operator bool() const { return pid_ != 0; }
    pid_t pid() const { return pid_; }
    const os::Address& address() const { return address_; }

private:
    static std::uint16_t free_port() {
        const os::Descriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
        os::SocketAddress any = os::encode_address(os::Address("127.0.0.1", 0)).value();
        CHECK(::bind(socket.number(), any.get(), any.size) == 0);
        any.size = sizeof(any.bytes);
        CHECK(::getsockname(socket.number(), any.get(), &any.size) == 0);
        return os::decode_address(any).port;
    }
    std::string configuration() const {
        const std::string& folder = folder_.path();
        return "daemon off; worker_processes 2; pid " + folder + "/pid; error_log " + folder +
               "/log crit;\nevents { worker_connections 4096; }\nhttp { access_log off; default_type "
               "application/json;\n"
               "keepalive_requests 1000000000; open_file_cache max=100; tcp_nodelay on;\n"
               "server { listen " +
               os::format_address(address_) + " ssl; ssl_certificate " + folder + "/cert.pem; ssl_certificate_key " +
               folder + "/key.pem; ssl_protocols TLSv1.2 TLSv1.3; root " + folder + "; } }\n";
    }
    void await_listening() const {
        os::SocketAddress encoded = os::encode_address(address_).value();
        for (int i = 0; i < 500; ++i) {
            const os::Descriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
            if (::connect(socket.number(), encoded.get(), encoded.size) == 0) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        CHECK(false, "nginx does not listen");
    }

    Folder folder_{"nginx"};
    os::Address address_;
    pid_t pid_ = 0;
};

}  // namespace muster::bench
