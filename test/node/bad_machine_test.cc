// A machine that says no: no more processes, no more room on the disk, no such program, directory or secret. The pod
// fails or waits with a kubelet's reason, and the server is well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>

#include <ctime>

#include "os/process/mount_points.h"
#include "test/node/node_under_test.h"

namespace muster::e2e {
namespace bad_machine_test {

using testing::HasSubstr;

// A container's state: running, or a reason and a message.
struct State {
    std::string reason;
    std::string message;
    std::int64_t code = -1;
};

State state_of(NodeUnderTest& node, const std::string& pod) {
    const auto found = node.get(NodeUnderTest::pods() + "/" + pod);
    State state;
    for (const std::string kind : {"waiting", "terminated"}) {
        const std::string at = "/status/containerStatuses/0/state/" + kind;
        if (state.reason.empty()) state.reason = node.text_at(found, at + "/reason");
        if (state.message.empty()) state.message = node.text_at(found, at + "/message");
        boost::system::error_code error;
        const auto* code = found ? found->find_pointer(at + "/exitCode", error) : nullptr;
        if (code) state.code = code->to_number<std::int64_t>();
    }
    return state;
}

void expect_state(NodeUnderTest& node, const std::string& pod, const std::string& reason, const std::string& message) {
    EXPECT_TRUE(node.wait_for([&] { return state_of(node, pod).reason == reason; }, std::chrono::seconds(20)))
        << pod << ": " << state_of(node, pod).reason << ' ' << state_of(node, pod).message;
    EXPECT_THAT(state_of(node, pod).message, HasSubstr(message));
}

void expect_well(NodeUnderTest& node, const std::string& name) {
    ASSERT_TRUE(node.create_pod(name, node.container("exit 0")));
    EXPECT_TRUE(node.wait_for([&] { return node.phase(name) == "Succeeded"; }, std::chrono::seconds(20)))
        << node.phase(name) << ' ' << state_of(node, name).reason << ' ' << state_of(node, name).message;
}

TEST(BadMachine, WhatAContainerNeedsIsNotThere) {
    NodeUnderTest node("absent");
    ASSERT_TRUE(node.create_pod("program", R"({"name": "c", "image": "none", "command": ["no-such-program"]})"));
    ASSERT_TRUE(node.create_pod("path", R"({"name": "c", "image": "none", "command": ["/no/such/program"]})"));
    ASSERT_TRUE(node.create_pod(
        "directory", R"({"name": "c", "image": "none", "command": ["true"], "workingDir": "/no/such/directory"})"));
    ASSERT_TRUE(node.create_pod("unrunnable", R"({"name": "c", "image": "none", "command": ["/etc/passwd"]})"));
    ASSERT_TRUE(node.create_pod("secret", R"({"name": "c", "image": "none", "command": ["true"],
        "env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "no-such-secret", "key": "k"}}}]})"));
    expect_state(node, "program", "StartError", "executable file not found in $PATH");
    expect_state(node, "path", "StartError", "No such file or directory");
    expect_state(node, "directory", "StartError", "/no/such/directory");
    expect_state(node, "unrunnable", "StartError", "Permission denied");
    expect_state(node, "secret", "CreateContainerConfigError", "secret \"no-such-secret\" not found");
    EXPECT_EQ(state_of(node, "program").code, 128);
    EXPECT_EQ(node.phase("program"), "Failed");
    EXPECT_EQ(node.phase("secret"), "Pending") << "it may come";
    expect_well(node, "after");
}

// As text, with ' for ".
std::string with_quotes(std::string text) {
    for (char& c : text)
        if (c == '\'') c = '"';
    return text;
}

TEST(BadMachine, WhoTakesMoreOfTheDiskThanItMayIsEvicted) {
    if (::getuid() != 0) GTEST_SKIP() << "volumes need a mount namespace";
    NodeUnderTest node("evicted");
    const auto fill = [&](const char* name, const char* script, const char* more_of_container, const char* volume) {
        const std::string container = with_quotes("{'name': 'c', 'image': 'none', 'command': ['sh', '-c', '") + script +
                                      with_quotes("'], 'env': [{'name': 'TEST_NODE', 'value': '") + node.directory() +
                                      with_quotes(std::string("'}], ") + more_of_container + "}");
        return node.create_pod(name, container, with_quotes(volume));
    };
    const char* kMount = "'volumeMounts': [{'name': 'v', 'mountPath': '/mnt'}]";
    const char* kVolume = ", 'volumes': [{'name': 'v', 'emptyDir': {'sizeLimit': '1Mi'}}]";
    ASSERT_TRUE(fill("large", "head -c 3000000 /dev/zero > /mnt/x; sleep 1000", kMount, kVolume));
    ASSERT_TRUE(fill("small", "head -c 300000 /dev/zero > /mnt/x; sleep 1000", kMount, kVolume));
    ASSERT_TRUE(fill("talkative", "yes abcdefgh | head -c 3000000; sleep 1000",
                     "'resources': {'limits': {'ephemeral-storage': '1Mi'}}", ""));
    const auto evicted = [&](const std::string& pod) {
        return node.text_at(node.get(NodeUnderTest::pods() + "/" + pod), "/status/reason") == "Evicted";
    };
    EXPECT_TRUE(node.wait_for([&] { return evicted("large") && evicted("talkative"); }));
    EXPECT_EQ(node.phase("large"), "Failed");
    EXPECT_EQ(node.text_at(node.get(NodeUnderTest::pods() + "/large"), "/status/message"),
              "Usage of EmptyDir volume \"v\" exceeds the limit \"1Mi\". ");
    EXPECT_EQ(node.text_at(node.get(NodeUnderTest::pods() + "/talkative"), "/status/message"),
              "Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. ");
    EXPECT_EQ(node.phase("small"), "Running");
}

TEST(PodHome, IsTheUsersUnlessTheManifestSetsIt) {
    NodeUnderTest node("home");
    const auto home_of = [&](const std::string& name, const std::string& more) {
        const std::string env = with_quotes("'env': [{'name': 'D', 'value': '") + node.directory() + "\"}" + more + "]";
        EXPECT_TRUE(node.create_pod(name, with_quotes("{'name': 'c', 'image': 'none', 'command': ['sh', '-c', 'printf "
                                                      "%s $HOME > $D/") +
                                              name + "\"], " + env + "}"));
        EXPECT_TRUE(node.wait_for([&] { return node.phase(name) == "Succeeded"; }));
        return read_text(node.directory() + '/' + name);
    };
    const passwd* user = ::getpwuid(::getuid());
    EXPECT_EQ(home_of("default", ""), user ? user->pw_dir : "/");
    EXPECT_EQ(home_of("set", with_quotes(", {'name': 'HOME', 'value': '/elsewhere'}")), "/elsewhere");
}

TEST(BadMachine, ThereIsALimitOfProcesses) {
    if (::getuid() != 0) GTEST_SKIP() << "needs a user without other processes";
    const std::string user = std::to_string(61000 + ::getpid() % 1000);
    NodeUnderTest node("processes",
                       {"prlimit", "--nproc=40:40", "setpriv", "--reuid", user, "--regid", user, "--clear-groups"},
                       std::stoi(user));
    constexpr int kPods = 60;
    for (int i = 0; i < kPods; ++i)
        ASSERT_TRUE(node.create_pod("p" + std::to_string(i), node.container("exec sleep 1000")));
    int refused = 0;
    const auto count = [&] {
        int decided = 0;
        refused = 0;
        for (int i = 0; i < kPods; ++i) {
            const State state = state_of(node, "p" + std::to_string(i));
            const bool not_started = state.reason == "StartError";
            if (not_started) {
                EXPECT_THAT(state.message, HasSubstr("Resource temporarily unavailable"));
            }
            refused += not_started ? 1 : 0;
            decided += not_started || node.phase("p" + std::to_string(i)) == "Running" ? 1 : 0;
        }
        return decided;
    };
    EXPECT_TRUE(node.wait_for([&] { return count() == kPods; })) << count();
    EXPECT_GT(refused, 0);
    EXPECT_LT(refused, kPods);
    for (int i = 0; i < kPods; ++i)
        node.ask("DELETE", NodeUnderTest::pods() + "/p" + std::to_string(i) + "?gracePeriodSeconds=0");
    EXPECT_TRUE(node.wait_for([&] { return node.leftovers().empty(); })) << node.leftovers();
    expect_well(node, "after");
}

TEST(BadMachine, TheNodesDiskIsFull) {
    if (os::probe_namespaces() != os::NamespaceAccess::kFree)
        GTEST_SKIP() << "only root can mount a small disk, and not on every machine";
    NodeUnderTest node("disk", {"unshare", "--mount", "sh", "-c",
                                "mount -t tmpfs -o size=256k tmpfs \"$3/node\" && exec \"$0\" \"$@\""});
    expect_well(node, "before");
    const std::string filler = "/proc/" + std::to_string(node.server()) + "/root" + node.data() + "/node/filler";
    {
        std::ofstream file(filler);
        ASSERT_TRUE(file);
        for (int i = 0; i < 1024 && file; ++i) file << std::string(1024, 'x') << std::flush;
        ASSERT_FALSE(file) << "it is full";
    }
    // What is left of the last page takes a few records.
    std::string refused;
    for (int i = 0; i < 50 && refused.empty(); ++i) {
        const std::string name = "full-" + std::to_string(i);
        ASSERT_TRUE(node.create_pod(name, node.container("echo no room; exit 0")));
        ASSERT_TRUE(node.wait_for([&] { return node.phase(name) == "Succeeded" || node.phase(name) == "Failed"; }));
        if (node.phase(name) == "Failed") refused = name;
    }
    expect_state(node, refused, "StartError", "No space left on device");
    EXPECT_TRUE(node.get("/version"));
    std::filesystem::remove(filler);
    expect_well(node, "after");
}

// What a short run did before its record was lost cannot be known, so it is not started a second time.
TEST(BadMachine, WithoutItsRecordOfRunsTheNodeStartsNothingThatMayHaveRun) {
    NodeUnderTest node("lost-record");
    expect_well(node, "before");
    std::string waits = node.container("echo ran >> $D/marks");
    waits.insert(1, R"("envFrom": [{"configMapRef": {"name": "later"}}], )");
    ASSERT_TRUE(node.create_pod("waits", waits));
    expect_state(node, "waits", "CreateContainerConfigError", "later");
    node.kill_server();
    node.kill_guardian_and_helper();
    for (const char* file : {"/node/runs", "/node/runs.copy"}) std::filesystem::resize_file(node.data() + file, 0);
    node.start();
    ASSERT_TRUE(node.ask("POST", "/api/v1/namespaces/default/configmaps", R"({"metadata": {"name": "later"}})"));
    expect_state(node, "waits", "ContainerStatusUnknown", "the node's record of runs was damaged");
    EXPECT_EQ(node.phase("waits"), "Failed");
    EXPECT_EQ(read_text(node.directory() + "/marks"), "");
    // Times of creation have whole seconds.
    const std::time_t second = std::time(nullptr);
    ASSERT_TRUE(node.wait_for([&] { return std::time(nullptr) > second; }));
    expect_well(node, "after");
}

}  // namespace bad_machine_test
}  // namespace muster::e2e
