// Clients of logs and commands that send nonsense, vanish, do not read, and are very many.
#include <dirent.h>

#include <fstream>
#include <sstream>

#include "test/e2e/withstand/pods.h"

namespace muster::e2e {
namespace streams_test {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kFollowers = kSanitized ? 100 : 1'000;
constexpr int kCommands = kSanitized ? 10 : 100;

class StreamsTest : public PodsTest {
protected:
    // Processes outlive the server, but not their pod.
    void TearDown() override {
        ask_status("DELETE", pod_path() + "?gracePeriodSeconds=0");
        eventually([&] { return ask_status("GET", pod_path()) == 404; });
        PodsTest::TearDown();
    }

    // A pod whose container runs this command of a shell, once it does.
    void run_pod(const std::string& script) {
        const std::string node = node_name();
        const std::string pod = R"({"metadata":{"name":"p"},"spec":{"restartPolicy":"Never","nodeName":")" + node +
                                R"(","terminationGracePeriodSeconds":0,"containers":[{"name":"c","image":"x",)" +
                                R"("command":["sh","-c",")" + script + R"("]}]}})";
        ASSERT_EQ(ask_status("POST", kPods, pod), 201);
        eventually([&] { return ask("GET", pod_path()).find(R"("phase":"Running")") != std::string::npos; });
    }
    static std::string pod_path() { return std::string(kPods) + "/p"; }
    static void eventually(const std::function<bool()>& holds) { EXPECT_TRUE(holds_soon(holds)); }
    RawPeer exec(const std::string& command, bool with_input = true) const {
        RawPeer peer = admin();
        const std::string streams = with_input ? "&stdin=true&stdout=true" : "&stdout=true";
        peer.send(request("GET", pod_path() + "/exec?container=c" + streams + command, {}, {},
                          "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                          "Sec-WebSocket-Protocol: v5.channel.k8s.io\r\n"));
        EXPECT_NE(peer.read_until("\r\n\r\n").find("HTTP/1.1 101 "), std::string::npos);
        return peer;
    }
    // How many processes run with that argument.
    static int processes_with(const std::string& argument) {
        int count = 0;
        DIR* proc = ::opendir("/proc");
        while (const dirent* entry = ::readdir(proc)) {
            std::ifstream file("/proc/" + std::string(entry->d_name) + "/cmdline");
            std::stringstream text;
            text << file.rdbuf();
            if (text.str().find('\0' + argument + '\0') != std::string::npos) ++count;
        }
        ::closedir(proc);
        return count;
    }
    // Of the server, in the kernel's ticks.
    long processor_time() const {
        std::ifstream file("/proc/" + std::to_string(server_->pid()) + "/stat");
        std::string word;
        std::vector<std::string> words;
        while (file >> word) words.push_back(word);
        return std::stol(words[13]) + std::stol(words[14]);
    }
};

TEST_F(StreamsTest, WhatIsNoWebSocketEndsTheSessionAndItsCommand) {
    run_pod("sleep 1000");
    const std::string junk[] = {"GET / HTTP/1.1\r\n\r\n",
                                std::string(1000, '\0'),
                                std::string(1000, '\xff'),
                                "\x82\x05hello",
                                std::string("\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff", 10) + "abcd",
                                std::string("\x89\xfe\x00\x7f", 4) + std::string(131, 'x')};
    for (const std::string& bytes : junk) {
        RawPeer peer = exec("&command=sleep&command=98761");
        peer.send(bytes);
        EXPECT_TRUE(peer.closes_within(seconds(10)));
    }
    eventually([] { return processes_with("98761") == 0; });
}

// One that reads sees the end of its input; one without input is killed.
TEST_F(StreamsTest, CommandsEndWithClientsThatVanish) {
    run_pod("sleep 1000");
    std::vector<RawPeer> peers;
    for (int i = 0; i < kCommands; ++i) {
        const bool reads = i % 2 == 0;
        peers.push_back(exec(
            reads ? "&command=sh&command=-c&command=cat%3B%3A&command=98762" : "&command=sleep&command=98762", reads));
    }
    eventually([] { return processes_with("98762") == kCommands; });
    for (RawPeer& peer : peers) peer.reset();
    eventually([] { return processes_with("98762") == 0; });
}

TEST_F(StreamsTest, AClientThatDoesNotReadHoldsUpItsCommandAndNothingElse) {
    run_pod("sleep 1000");
    std::vector<RawPeer> peers;
    for (int i = 0; i < 10; ++i) peers.push_back(exec("&command=sh&command=-c&command=yes"));
    std::this_thread::sleep_for(seconds(1));
    others_are_served();
    // Sanitizers keep what is freed.
    if (!kSanitized) {
        EXPECT_LT(resident_kb(), resident_at_start_ + (64 << 10));
    }
    for (RawPeer& peer : peers) peer.reset();
}

TEST_F(StreamsTest, VeryManyFollowersCostNothingWhileNothingIsSaid) {
    const std::string go = directory_ + "/go";
    run_pod("until [ -e " + go + " ]; do sleep 0.1; done; echo now; sleep 1000");
    std::vector<RawPeer> peers;
    for (int i = 0; i < kFollowers; ++i) {
        peers.push_back(admin());
        peers.back().send(request("GET", pod_path() + "/log?follow=true"));
    }
    for (RawPeer& peer : peers) peer.read_until("\r\n\r\n");
    const long before = processor_time();
    std::this_thread::sleep_for(seconds(2));
    const long spent = processor_time() - before;
    std::printf("%d followers of a silent log: %ld ms of processor time in 2 s\n", kFollowers, spent * 10);
    EXPECT_LT(spent, kSanitized ? 100 : 20);
    std::ofstream(go).put('x');
    for (RawPeer& peer : peers) EXPECT_NE(peer.read_until("now\n").find("now"), std::string::npos);
    for (RawPeer& peer : peers) peer.reset();
    others_are_served();
}

}  // namespace streams_test
}  // namespace muster::e2e
