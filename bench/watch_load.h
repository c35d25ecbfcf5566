// Load for watches: many clients that watch the same, and a writer that changes it at a steady pace. Every change
// carries its number in the annotation "bench/number".
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/http_load.h"
#include "bench/muster_process.h"

namespace muster::bench {

// Clients whose watches have begun. Every `sample`th looks for the numbers in what it receives and remembers when they
// came; the others only take it from their sockets, so that their decrypting does not slow down the server they share
// the machine with.
class Watchers {
public:
    struct Seen {
        std::size_t number;
        Clock::time_point at;
    };

    Watchers(const os::Address& address, const os::TlsContext& context, std::string_view target, std::size_t count,
             std::size_t sample) {
        const std::string request = format_request("GET", target);
        for (std::size_t i = 0; i < count; ++i) {
            clients_.push_back(connect_tls(address, context));
            std::string out;
            clients_.back().tls->write(request, out);
            CHECK(send_all(clients_.back().socket.number(), out));
        }
        for (std::size_t i = 0; i < count; ++i) {
            const std::string rest = await_head(clients_[i]);
            if (sample > 0) listen(i, i % sample == 0, rest);
        }
    }

    // Until `stop`, which any thread may call.
    void run() { loop_.run(); }
    void stop() { loop_.stop(); }
    const std::vector<Seen>& seen() const { return seen_; }
    std::size_t sampled() const { return sampled_; }

private:
    static constexpr std::string_view kMark = "\"bench/number\":\"";

    // What one of them has received: the text of the chunks that is not looked at yet, and where in a chunk it is.
    struct View {
        std::string text;
        std::string chunk_head;
        std::size_t chunk_left = 0;

        void add(std::string_view bytes) {
            while (!bytes.empty()) {
                if (chunk_left > 0) {
                    const std::size_t part = std::min(chunk_left, bytes.size());
                    text += bytes.substr(0, part);
                    chunk_left -= part;
                    bytes.remove_prefix(part);
                    continue;
                }
                const char c = bytes[0];
                bytes.remove_prefix(1);
                if (c != '\r' && c != '\n') chunk_head += c;
                if (c != '\n' || chunk_head.empty()) continue;
                chunk_left = std::strtoul(chunk_head.c_str(), nullptr, 16);
                chunk_head.clear();
            }
        }
    };

    // Gives what came behind the head.
    static std::string await_head(TlsClient& client) {
        char received[16u << 10];
        char plaintext[16u << 10];
        std::string out;
        std::string head;
        for (;;) {
            const ssize_t count = ::recv(client.socket.number(), received, sizeof(received), 0);
            CHECK(count > 0, "the server closed");
            client.tls->give({received, static_cast<std::size_t>(count)});
            for (;;) {
                const auto read = client.tls->read(plaintext, out);
                if (read.outcome != os::TlsSession::Outcome::kPlaintext) break;
                head.append(plaintext, read.size);
            }
            const std::size_t end = head.find("\r\n\r\n");
            if (end == std::string::npos) continue;
            CHECK(head.starts_with("HTTP/1.1 200 "), head);
            return head.substr(end + 4);
        }
    }

    void listen(std::size_t i, bool looks, const std::string& received) {
        const int number = clients_[i].socket.number();
        if (!looks) {
            loop_.watch(number, [number](os::RealLoop::Readiness) {
                while (::recv(number, nullptr, 1u << 20, MSG_TRUNC | MSG_DONTWAIT) > 0) {
                }
            });
            return;
        }
        ++sampled_;
        auto view = std::make_shared<View>();
        view->add(received);
        loop_.watch(number, [this, i, view](os::RealLoop::Readiness) { look(clients_[i], *view); });
    }

    void look(TlsClient& client, View& view) {
        for (;;) {
            const ssize_t count = ::recv(client.socket.number(), received_, sizeof(received_), MSG_DONTWAIT);
            if (count <= 0) return;
            const auto now = Clock::now();
            client.tls->give({received_, static_cast<std::size_t>(count)});
            for (;;) {
                out_.clear();
                const auto read = client.tls->read(plaintext_, out_);
                if (read.outcome != os::TlsSession::Outcome::kPlaintext) break;
                view.add({plaintext_, read.size});
            }
            take_numbers(view.text, now);
        }
    }
    // Leaves what may be the beginning of a mark.
    void take_numbers(std::string& rest, Clock::time_point now) {
        std::size_t done = 0;
        for (std::size_t at; (at = rest.find(kMark, done)) != std::string::npos;) {
            const std::size_t from = at + kMark.size();
            const std::size_t end = rest.find('"', from);
            if (end == std::string::npos) {
                rest.erase(0, at);
                return;
            }
            seen_.push_back({std::strtoul(rest.c_str() + from, nullptr, 10), now});
            done = end;
        }
        const std::size_t kept = std::min(rest.size() - done, kMark.size() - 1);
        rest.erase(0, rest.size() - kept);
    }

    os::RealLoop loop_;
    std::vector<TlsClient> clients_;
    std::vector<Seen> seen_;
    std::size_t sampled_ = 0;
    std::string out_;
    char received_[64u << 10];
    char plaintext_[16u << 10];
};

// Replaces ConfigMaps of one namespace in turn, one every `period`; a client each, so that a change waits for no other.
class PacedWriter {
public:
    struct Change {
        Clock::time_point sent{};
        Clock::time_point answered{};
    };

    PacedWriter(const os::Address& address, const os::TlsContext& context, std::size_t clients) {
        for (std::size_t i = 0; i < clients; ++i) {
            numbers_.push_back(0);
            talks_.push_back(std::make_unique<Talk>(
                loop_, address, context, [this, i](Talk&, const Talk::Answer& answer) { on_answer(i, answer); }));
        }
    }

    // Makes so many more changes; the first of each client makes its object. Returns when all are answered.
    void run(std::size_t count, Duration period) {
        first_ = next_;
        changes_.resize(changes_.size() + count);
        late_ = 0;
        start_ = Clock::now();
        period_ = period;
        tick();
        loop_.run();
    }
    // All of them, by their numbers.
    const std::vector<Change>& changes() const { return changes_; }
    // Changes that had to wait, because all clients were still waiting for their answers.
    std::size_t late() const { return late_; }

private:
    void tick() {
        const std::size_t due = static_cast<std::size_t>((Clock::now() - start_) / period_) + 1 + first_;
        while (next_ < std::min(due, changes_.size()) && send_next()) {
        }
        if (next_ < changes_.size()) loop_.after(std::chrono::milliseconds(1), [this] { tick(); });
    }

    bool send_next() {
        const std::size_t i = next_ % talks_.size();
        if (talks_[i]->busy()) {
            ++late_;
            return false;
        }
        const std::string name = "config-" + std::to_string(i);
        const std::string number = std::to_string(next_);
        const std::string body = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
                                 R"(","annotations":{"bench/number":")" + number + R"("}},"data":{"state":"changed"}})";
        numbers_[i] = next_;
        changes_[next_++].sent = Clock::now();
        const std::string target = "/api/v1/namespaces/default/configmaps";
        const bool first = next_ <= talks_.size();
        talks_[i]->ask(first ? format_request("POST", target, body) : format_request("PUT", target + "/" + name, body));
        return true;
    }
    void on_answer(std::size_t i, const Talk::Answer& answer) {
        CHECK(answer.status / 100 == 2, std::to_string(answer.status));
        changes_[numbers_[i]].answered = Clock::now();
        if (++answered_ == changes_.size()) loop_.stop();
    }

    os::RealLoop loop_;
    std::vector<std::unique_ptr<Talk>> talks_;
    std::vector<std::size_t> numbers_;  // of the change that each client is about
    std::vector<Change> changes_;
    std::size_t first_ = 0;  // of this run
    std::size_t next_ = 0;
    std::size_t answered_ = 0;
    std::size_t late_ = 0;
    Clock::time_point start_{};
    Duration period_{};
};

}  // namespace muster::bench
