// Load for HTTP benchmarks: clients over TLS on one thread, each with one request under way; and the CPU time and the
// memory of the processes that serve them.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "os/descriptor.h"
#include "os/http/tls_session.h"
#include "os/loop/real_loop.h"
#include "os/network/socket_address.h"

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

// The same to the nanosecond, of the threads that are there now.
inline double thread_cpu_seconds(pid_t pid) {
    double total = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
        double nanoseconds = 0;
        std::ifstream(task.path() / "schedstat") >> nanoseconds;
        total += nanoseconds / 1e9;
    }
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

// How times are spread, in the unit in which they were taken.
struct Spread {
    double p50 = 0;
    double p99 = 0;
    double worst = 0;
};
inline Spread spread_of(std::vector<double> times) {
    if (times.empty()) return {};
    std::sort(times.begin(), times.end());
    return {times[times.size() / 2], times[times.size() * 99 / 100], times.back()};
}

// One connection and one request at a time on it, on a loop.
class Talk {
public:
    struct Answer {
        int status;
        std::size_t body_bytes;
        Clock::time_point asked;
    };
    using OnAnswer = std::function<void(Talk&, const Answer&)>;

    Talk(os::RealLoop& loop, const os::Address& address, const os::TlsContext& context, OnAnswer on_answer)
        : loop_(loop), client_(connect_tls(address, context)), on_answer_(std::move(on_answer)) {
        watch_ = loop_.watch(client_.socket.number(), [this](os::RealLoop::Readiness ready) {
            if (ready.readable) on_readable();
        });
    }
    Talk(const Talk&) = delete;
    Talk& operator=(const Talk&) = delete;
    ~Talk() { loop_.unwatch(watch_, client_.socket.number()); }

    bool busy() const { return busy_; }
    void ask(std::string_view request) {
        CHECK(!busy_);
        busy_ = true;
        asked_ = Clock::now();
        out_.clear();
        client_.tls->write(request, out_);
        CHECK(send_all(client_.socket.number(), out_), "the server closed");
    }

private:
    void on_readable() {
        for (;;) {
            const ssize_t count = ::recv(client_.socket.number(), t_received, sizeof(t_received), MSG_DONTWAIT);
            if (count < 0) return;
            CHECK(count > 0, "the server closed");
            client_.tls->give({t_received, static_cast<std::size_t>(count)});
            for (;;) {
                out_.clear();
                const auto read = client_.tls->read(t_plaintext, out_);
                if (read.outcome != os::TlsSession::Outcome::kPlaintext) break;
                take({t_plaintext, read.size});
            }
            if (count < static_cast<ssize_t>(sizeof(t_received))) return;
        }
    }

    void take(std::string_view bytes) {
        if (!in_body_) {
            head_ += bytes;
            const std::size_t end = head_.find("\r\n\r\n");
            if (end == std::string::npos) return;
            const std::size_t length = head_.find("Content-Length: ");
            CHECK(head_.starts_with("HTTP/1.1 ") && length < end, head_);
            size_ = left_ = std::strtoul(head_.c_str() + length + 16, nullptr, 10);
            bytes = std::string_view(head_).substr(end + 4);
            in_body_ = true;
        }
        left_ -= bytes.size();
        if (left_ > 0) return;
        const Answer answer{std::atoi(head_.c_str() + 9), size_, asked_};
        head_.clear();
        in_body_ = false;
        busy_ = false;
        on_answer_(*this, answer);
    }

    os::RealLoop& loop_;
    TlsClient client_;
    OnAnswer on_answer_;
    os::RealLoop::WatchId watch_ = 0;
    bool busy_ = false;
    Clock::time_point asked_{};
    std::string head_;
    std::size_t size_ = 0;
    std::size_t left_ = 0;  // of the body
    bool in_body_ = false;
    std::string out_;
    // One thread uses one at a time: connections need none of their own.
    static inline thread_local char t_received[32u << 10];
    static inline thread_local char t_plaintext[16u << 10];
};

struct LoadResult {
    double requests_per_second = 0;
    double cpu_microseconds = 0;  // of the server, per request
    double p50_microseconds = 0;
    double p99_microseconds = 0;
    std::size_t requests = 0;
    std::size_t refused = 0;  // 429
    std::size_t body_bytes = 0;
};

inline LoadResult median(std::vector<LoadResult> results) {
    std::sort(results.begin(), results.end(),
              [](const LoadResult& a, const LoadResult& b) { return a.requests_per_second < b.requests_per_second; });
    return results[results.size() / 2];
}

// Closed loop: each client asks again as soon as it has its answer.
class Load {
public:
    using NextRequest = std::function<std::string_view()>;  // what it gives stays good until it is called again

    Load(const os::Address& address, const os::TlsContext& context, int clients, NextRequest next)
        : next_(std::move(next)) {
        for (int i = 0; i < clients; ++i) {
            talks_.push_back(std::make_unique<Talk>(
                loop_, address, context, [this](Talk& talk, const Talk::Answer& answer) { on_answer(talk, answer); }));
        }
    }
    Load(const os::Address& address, const os::TlsContext& context, int clients, std::string request)
        : Load(address, context, clients, [held = std::move(request)]() -> std::string_view { return held; }) {}

    // For so long, or until so many requests are answered.
    LoadResult run(double seconds, pid_t server, std::size_t requests_max = SIZE_MAX) {
        times_.clear();
        result_ = {};
        ending_ = false;
        requests_max_ = requests_max;
        const double cpu = cpu_seconds(server);
        const auto start = Clock::now();
        for (auto& talk : talks_) talk->ask(next_());
        const os::TimerId timer = loop_.after(
            std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)), [this] { end(); });
        loop_.run();
        loop_.cancel(timer);
        LoadResult result = result_;
        result.requests = times_.size();
        const double count = static_cast<double>(times_.size());
        result.requests_per_second = count / seconds_since(start);
        result.cpu_microseconds = (cpu_seconds(server) - cpu) * 1e6 / count;
        const Spread spread = spread_of(std::move(times_));
        result.p50_microseconds = spread.p50;
        result.p99_microseconds = spread.p99;
        // What is under way is taken before the next run.
        while (is_busy()) loop_.run();
        return result;
    }

private:
    bool is_busy() const {
        return std::any_of(talks_.begin(), talks_.end(), [](const auto& talk) { return talk->busy(); });
    }
    void end() {
        ending_ = true;
        loop_.stop();
    }

    void on_answer(Talk& talk, const Talk::Answer& answer) {
        if (ending_) {
            if (!is_busy()) loop_.stop();
            return;
        }
        CHECK(answer.status / 100 == 2 || answer.status == 429, std::to_string(answer.status));
        if (answer.status == 429) ++result_.refused;
        result_.body_bytes += answer.body_bytes;
        times_.push_back(std::chrono::duration<double, std::micro>(Clock::now() - answer.asked).count());
        if (times_.size() >= requests_max_) return end();
        talk.ask(next_());
    }

    NextRequest next_;
    os::RealLoop loop_;
    std::vector<std::unique_ptr<Talk>> talks_;
    std::vector<double> times_;
    LoadResult result_;
    std::size_t requests_max_ = SIZE_MAX;
    bool ending_ = false;
};

}  // namespace muster::bench
