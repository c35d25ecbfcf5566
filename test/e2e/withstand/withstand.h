// What every attack on the server has in common: the real binary, an administrator to attack as, and what must hold
// afterwards: the process is the same one, others are served, and its memory has come back.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "test/e2e/running_server.h"
#include "test/e2e/withstand/raw_peer.h"

namespace muster::e2e {

#ifdef MUSTER_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

class WithstandTest : public testing::Test {
protected:
    static constexpr const char* kMaps = "/api/v1/namespaces/default/configmaps";
    static constexpr long kComesBackWithinKb = 64 << 10;

    void SetUp() override {
        ::signal(SIGPIPE, SIG_IGN);
        rlimit descriptors{};
        ::getrlimit(RLIMIT_NOFILE, &descriptors);
        descriptors.rlim_cur = descriptors.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &descriptors);
        const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
        directory_ = fresh_directory("withstand-" + name);
        begin();
    }

    // Starts the server, in a directory that may have been used before.
    void begin() {
        server_ = make_server();
        ASSERT_NE(server_->ready_line(), "");
        const client::ServerAccess access = server_->access();
        const std::size_t colon = access.server.rfind(':');
        std::from_chars(access.server.data() + colon + 1, access.server.data() + access.server.size(), port_);
        admin_ = std::make_unique<PeerContext>(PeerIdentity{access.client_certificate, access.client_key});
        anonymous_ = std::make_unique<PeerContext>();
        others_ = server_->connect();
        others_are_served();
        resident_at_start_ = resident_kb();
    }

    virtual std::unique_ptr<RunningServer> make_server() const {
        return std::make_unique<RunningServer>(directory_, flags());
    }
    // Beyond those of every test's server.
    virtual std::vector<std::string> flags() const { return {}; }

    void TearDown() override {
        if (!server_) return;
        others_are_served();
        int status = 0;
        EXPECT_EQ(::waitpid(server_->pid(), &status, WNOHANG), 0) << "the process has ended";
        // Sanitizers keep what was freed for a while, so their numbers say nothing.
        if (!kSanitized) memory_comes_back();
        others_.reset();
        EXPECT_EQ(server_->stop(SIGTERM), 0) << "it ends in order";
        server_.reset();
        std::filesystem::remove_all(directory_);
    }

    long resident_kb() const {
        os::LinuxFiles files;
        const std::string status = files.read("/proc/" + std::to_string(server_->pid()) + "/status", 1u << 16).value();
        constexpr std::string_view kField = "VmRSS:";
        std::size_t at = status.find(kField) + kField.size();
        while (status[at] == ' ' || status[at] == '\t') ++at;
        long kilobytes = 0;
        std::from_chars(status.data() + at, status.data() + status.size(), kilobytes);
        return kilobytes;
    }

    void memory_comes_back() const {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(15);
        while (resident_kb() > resident_at_start_ + kComesBackWithinKb && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        EXPECT_LE(resident_kb(), resident_at_start_ + kComesBackWithinKb) << "at the start " << resident_at_start_;
    }

    // Checks that another client, over its own connection, can read and write within a few seconds.
    void others_are_served() {
        const auto begin = std::chrono::steady_clock::now();
        cli::Request create;
        create.method = "POST";
        create.target = kMaps;
        create.content_type = "application/json";
        create.body = R"({"metadata":{"generateName":"other-"}})";
        const auto created = others_->send(create);
        ASSERT_TRUE(created.ok()) << created.error().message;
        EXPECT_EQ(created->status, 201) << created->body.substr(0, 300);
        cli::Request get;
        get.target = "/api/v1/namespaces/default";
        const auto got = others_->send(get);
        ASSERT_TRUE(got.ok()) << got.error().message;
        EXPECT_EQ(got->status, 200);
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(kSanitized ? 20 : 5));
    }

    // How long another client waits for answers, in milliseconds.
    struct Waits {
        double median = 0;
        double longest = 0;
    };
    // One request after the other: some are answered by the thread of a connection, some by the loop. It goes on while
    // `goes_on` says so, and asks at least 50 times.
    Waits others_wait(const std::function<bool()>& goes_on) {
        std::vector<double> waits;
        do {
            const auto begin = std::chrono::steady_clock::now();
            cli::Request get;
            get.target = waits.size() % 2 == 0 ? "/livez" : "/api/v1/namespaces/default";
            const auto got = others_->send(get);
            if (!got.ok() || got->status != 200) ADD_FAILURE() << "others are not served";
            waits.push_back(
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
        } while (waits.size() < 50 || goes_on());
        std::sort(waits.begin(), waits.end());
        return {waits[waits.size() / 2], waits.back()};
    }

    // Others must hardly notice what `attack` does, which ends by itself. The bounds are generous: processors are few,
    // and the attackers of this test take part of them.
    void others_hardly_wait_while(const std::function<void()>& attack) {
        const Waits quiet = others_wait([] { return false; });
        std::atomic<bool> attacking{true};
        std::thread attacker([&] {
            attack();
            attacking = false;
        });
        const Waits busy = others_wait([&] { return attacking.load(); });
        attacker.join();
        std::printf("others wait %.2f ms (at most %.1f), and %.2f ms (at most %.1f) when nothing else happens\n",
                    busy.median, busy.longest, quiet.median, quiet.longest);
        EXPECT_LT(busy.median, 20 * quiet.median + (kSanitized ? 1000 : 50));
        EXPECT_LT(busy.longest, 20 * quiet.longest + (kSanitized ? 5000 : 500));
    }

    // A connection of the administrator's; it must come about.
    RawPeer admin(int receive_bytes = 0) const {
        RawPeer peer(port_, receive_bytes);
        CHECK(peer.connected() && peer.handshake(*admin_));
        return peer;
    }

    static std::string request(const std::string& method, const std::string& target, const std::string& body = {},
                               const std::string& content_type = "application/json",
                               const std::string& more_headers = {}) {
        std::string text = method + " " + target + " HTTP/1.1\r\nHost: x\r\n" + more_headers;
        if (!body.empty())
            text += "Content-Type: " + content_type + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
        return text + "\r\n" + body;
    }
    // The answer to one request of the administrator's on a connection of its own.
    std::string ask(const std::string& method, const std::string& target, const std::string& body = {},
                    const std::string& content_type = "application/json") const {
        RawPeer peer = admin();
        peer.send(request(method, target, body, content_type));
        return peer.read_answer();
    }
    int ask_status(const std::string& method, const std::string& target, const std::string& body = {},
                   const std::string& content_type = "application/json") const {
        return status_of(ask(method, target, body, content_type));
    }

    // Refused as the client's mistake, and before long.
    void expect_refused(const char* what, const std::string& method, const std::string& target, const std::string& body,
                        const std::string& content_type) {
        SCOPED_TRACE(what);
        const auto begin = std::chrono::steady_clock::now();
        const std::string answer = ask(method, target, body, content_type);
        EXPECT_GE(status_of(answer), 400) << answer.substr(0, 500);
        EXPECT_LT(status_of(answer), 500) << answer.substr(0, 500);
        EXPECT_LT(answer.size(), 2 * body.size() + (1u << 20)) << "an answer that is no attack itself";
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        EXPECT_LT(took.count(), kSanitized ? 30 : 5);
        if (took.count() > 0.5) std::printf("%s: %.1f s\n", what, took.count());
    }

    std::string directory_;
    std::unique_ptr<RunningServer> server_;
    std::unique_ptr<PeerContext> admin_;
    std::unique_ptr<PeerContext> anonymous_;
    std::unique_ptr<cli::Connection> others_;
    int port_ = 0;
    long resident_at_start_ = 0;
};

}  // namespace muster::e2e
