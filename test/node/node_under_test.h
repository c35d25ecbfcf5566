// A whole server with its node, as a user has it: the real binary on a directory of its own, killed and started again
// at will, asked over HTTPS; and what it leaves on the machine.
#pragma once

#include <sys/stat.h>

#include <boost/json.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "node/keeper/keeper.h"
#include "node/keeper/start/run_groups.h"
#include "os/process/process_table.h"
#include "test/e2e/running_server.h"

namespace muster::e2e {

inline std::string read_text(const std::string& path) {
    // By its buffer: a process that ends while its file in /proc is read must not throw.
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

class NodeUnderTest {
public:
    // `wrapper` as a RunningServer's. The directory is the user's, when one is given.
    explicit NodeUnderTest(const std::string& name, std::vector<std::string> wrapper = {}, int user = -1)
        : directory_(fresh_directory(name)), wrapper_(std::move(wrapper)) {
        std::filesystem::create_directories(data() + "/node");
        if (user >= 0)
            for (const std::string& path : {directory_, data(), data() + "/node"})
                CHECK(::chown(path.c_str(), static_cast<uid_t>(user), static_cast<gid_t>(user)) == 0);
        start();
    }
    ~NodeUnderTest() {
        kill_server();
        kill_guardian_and_helper();
        os::kill_processes(mark());
        std::error_code ignored;
        std::filesystem::remove_all(directory_, ignored);
    }
    NodeUnderTest(const NodeUnderTest&) = delete;
    NodeUnderTest& operator=(const NodeUnderTest&) = delete;

    const std::string& directory() const { return directory_; }
    std::string data() const { return directory_ + "/data"; }
    // An environment variable of all containers of a test, by which their processes are found.
    std::string mark() const { return "TEST_NODE=" + directory_; }
    int server() const { return server_ ? server_->pid() : -1; }
    // The helper's guardian. 0 when there is none: the number that is written down may be another's by now.
    int guardian() const {
        const int pid = std::atoi(read_text(data() + "/node/keeper.lock").c_str());
        return is_helper(pid) ? pid : 0;
    }
    // 0 when there is none.
    int helper() const {
        if (const int parent = guardian(); parent > 0)
            for (const int pid : os::children_of(parent))
                if (is_helper(pid)) return pid;
        return 0;
    }

    // For the next start.
    void set_wrapper(std::vector<std::string> wrapper) { wrapper_ = std::move(wrapper); }
    void start() {
        server_ = std::make_unique<RunningServer>(wrapper_, data());
        CHECK(server_->ready_line().find("ready") != std::string::npos, "the server did not become ready");
        connection_ = server_->connect();
    }
    void kill_server() {
        connection_.reset();
        if (server_) server_->stop(SIGKILL);
        server_.reset();
    }
    void kill_helper() {
        if (const int pid = helper(); pid > 0) ::kill(pid, SIGKILL);
    }
    // Also a helper that is about to end because it has nothing to do. When this returns, none writes a file any more.
    void kill_guardian_and_helper() {
        for (;;) {
            const std::vector<int> left = os::find_processes(node::keeper_mark(data() + "/node"));
            for (const int pid : left) os::kill_process(pid);
            if (left.empty()) return;
        }
    }

    // Gives nothing when the server does not answer, or not with a success.
    std::optional<boost::json::value> ask(const std::string& method, const std::string& target,
                                          const std::string& body = {}) {
        if (!connection_) return {};
        cli::Request request;
        request.method = method;
        request.target = target;
        request.body = body;
        if (!body.empty()) request.content_type = "application/json";
        const auto response = connection_->send(request);
        if (!response.ok() || response->status >= 300) return {};
        return boost::json::parse(response->body);
    }
    std::optional<boost::json::value> get(const std::string& target) { return ask("GET", target); }

    static std::string jobs() { return "/apis/batch/v1/namespaces/default/jobs"; }
    static std::string pods() { return "/api/v1/namespaces/default/pods"; }

    // A container that runs a script, with D, the directory, in its environment.
    std::string container(const std::string& script) const {
        const boost::json::value container = {
            {"name", "c"},
            {"image", "none"},
            {"command", {"sh", "-c", script}},
            {"env",
             {{{"name", "D"}, {"value", directory_}},
              {{"name", "TEST_NODE"}, {"value", directory_}},
              {{"name", "POD"}, {"valueFrom", {{"fieldRef", {{"fieldPath", "metadata.name"}}}}}}}}};
        return boost::json::serialize(container);
    }
    bool create_pod(const std::string& name, const std::string& containers, const std::string& more = "") {
        return ask("POST", pods(),
                   R"({"metadata": {"name": ")" + name + R"("}, "spec": {"restartPolicy": "Never", "containers": [)" +
                       containers + "]" + more + "}}")
            .has_value();
    }
    std::string phase(const std::string& pod) { return text_at(get(pods() + "/" + pod), "/status/phase"); }
    std::string text_at(const std::optional<boost::json::value>& value, const std::string& pointer) {
        if (!value) return {};
        boost::system::error_code error;
        const boost::json::value* found = value->find_pointer(pointer, error);
        return found && found->is_string() ? std::string(found->as_string()) : std::string();
    }

    // Whether it came to hold.
    bool wait_for(const std::function<bool()>& holds, std::chrono::seconds limit = std::chrono::seconds(60)) {
        const auto end = std::chrono::steady_clock::now() + limit;
        while (!holds()) {
            if (std::chrono::steady_clock::now() > end) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return true;
    }

    // What is left of pods that are gone; empty when nothing is.
    std::string leftovers() {
        std::string left;
        if (!os::find_processes(mark()).empty()) left += " processes";
        std::error_code ignored;
        if (std::filesystem::exists(data() + "/node/pods") &&
            !std::filesystem::is_empty(data() + "/node/pods", ignored))
            left += " directories";
        if (read_text("/proc/" + std::to_string(helper()) + "/mountinfo").find(directory_ + '/') != std::string::npos)
            left += " mounts";
        if (!children_of(helper()).empty()) left += " children";
        if (has_groups()) left += " cgroups";
        return left;
    }
    // Whether pods have control groups. The server may have found a place for them anywhere that is its own.
    bool has_groups() const {
        const std::string parent = node::groups_parent(data() + "/node");
        std::error_code ignored;
        std::filesystem::recursive_directory_iterator each(
            "/sys/fs/cgroup", std::filesystem::directory_options::skip_permission_denied, ignored);
        for (; each != end(each); each.increment(ignored)) {
            if (ignored) return false;
            if (each->path().filename() != parent) continue;
            for (const auto& inside : std::filesystem::directory_iterator(each->path(), ignored))
                if (inside.is_directory(ignored)) return true;
        }
        return false;
    }
    static std::string children_of(int pid) {
        std::string all;
        std::error_code ignored;
        for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", ignored))
            all += read_text(task.path().string() + "/children");
        return all;
    }
    static std::size_t descriptors_of(int pid) {
        std::error_code ignored;
        std::filesystem::directory_iterator each("/proc/" + std::to_string(pid) + "/fd", ignored);
        return static_cast<std::size_t>(std::distance(begin(each), end(each)));
    }

private:
    bool is_helper(int pid) const {
        return pid > 0 &&
               read_text("/proc/" + std::to_string(pid) + "/cmdline").find(data() + "/node") != std::string::npos;
    }

    const std::string directory_;
    std::vector<std::string> wrapper_;
    std::unique_ptr<RunningServer> server_;
    std::unique_ptr<cli::Connection> connection_;
};

}  // namespace muster::e2e
