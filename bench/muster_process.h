// The real binary, serving a data directory of its own, and what its clients need to come in.
#pragma once

#include <fcntl.h>

#include <optional>
#include <string>
#include <vector>

#include "bench/http_load.h"
#include "bench/served.h"
#include "os/http/tls_context.h"
#include "os/network/socket_address.h"

namespace muster::bench {

class MusterProcess {
public:
    // Returns when the process has said that it is ready; ends this process when it does not.
    MusterProcess(const std::string& binary, const std::string& directory, const std::vector<std::string>& more = {},
                  const std::string& node = "none")
        : directory_(directory), started_(Clock::now()) {
        std::vector<std::string> words{binary,     "up",          "--data-dir", directory,
                                       "--listen", "127.0.0.1:0", "--node",     node};
        words.insert(words.end(), more.begin(), more.end());
        served_.emplace([&](int to) { execute(words, to); });
        const std::string ready = served_->line();
        ready_seconds_ = seconds_since(started_);
        ready_cpu_seconds_ = thread_cpu_seconds(served_->pid());
        const std::size_t at = ready.find("https://");
        CHECK(at != std::string::npos, "muster did not become ready: " + ready);
        address_ = os::parse_address(ready.substr(at + 8, ready.find(' ', at) - at - 8)).value();
    }

    pid_t pid() const { return served_->pid(); }
    const os::Address& address() const { return address_; }
    // From its start until it said that it is ready.
    double ready_seconds() const { return ready_seconds_; }
    double ready_cpu_seconds() const { return ready_cpu_seconds_; }
    void stop() { served_->end(SIGTERM); }

    os::TlsIdentity serving_identity() const { return identity("server"); }
    // As the administrator by certificate, or showing none.
    os::TlsContext client_context(bool as_admin) const {
        os::TlsClientSettings settings;
        settings.server_authorities = read_file(directory_ + "/pki/ca.pem");
        if (as_admin) settings.identity = identity("admin");
        return os::make_client_context(settings).value();
    }

private:
    [[noreturn]] static void execute(const std::vector<std::string>& words, int to) {
        std::vector<char*> arguments;
        for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
        arguments.push_back(nullptr);
        ::dup2(to, STDOUT_FILENO);
        ::execv(arguments[0], arguments.data());
        std::perror(arguments[0]);
        ::_exit(1);
    }
    os::TlsIdentity identity(const std::string& name) const {
        const std::string both = read_file(directory_ + "/pki/" + name + ".pem");  // certificate and key
        return {both, both};
    }

    std::string directory_;
    Clock::time_point started_;
    std::optional<Served> served_;
    os::Address address_;
    double ready_seconds_ = 0;
    double ready_cpu_seconds_ = 0;
};

// One request in HTTP's own form. `more` are headers with their line ends.
inline std::string format_request(std::string_view method, std::string_view target, std::string_view body = {},
                                  std::string_view more = {}) {
    std::string text;
    text.append(method).append(" ").append(target).append(" HTTP/1.1\r\nHost: muster\r\nAccept: application/json\r\n");
    text.append(more);
    if (!body.empty()) {
        text.append("Content-Type: application/json\r\nContent-Length: ").append(std::to_string(body.size()));
        text.append("\r\n");
    }
    text.append("\r\n").append(body);
    return text;
}

}  // namespace muster::bench
