// Attacks by pods: what a server with a node that runs processes has in common for them.
#pragma once

#include "test/e2e/withstand/withstand.h"

namespace muster::e2e {

inline constexpr const char* kPods = "/api/v1/namespaces/default/pods";

// A pod with one container, `c`. `container` and `more` are further fields of the container and of the pod's spec.
inline std::string pod_json(const std::string& name, const std::string& container, const std::string& more = {},
                            const std::string& image = "none") {
    return R"({"metadata":{"name":")" + name + R"("},"spec":{"restartPolicy":"Never","containers":[{"name":"c",)" +
           R"("image":")" + image + R"(",)" + container + "}]" + more + "}}";
}

class PodsTest : public WithstandTest {
protected:
    std::vector<std::string> flags() const override { return {"--node", "process"}; }

    static bool holds_soon(const std::function<bool()>& holds) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kSanitized ? 90 : 30);
        while (!holds() && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return holds();
    }
    // Waits until the node is there.
    std::string node_name() const {
        std::string nodes;
        EXPECT_TRUE(holds_soon([&] {
            nodes = ask("GET", "/api/v1/nodes");
            return nodes.find(R"("name":")") != std::string::npos;
        }));
        const std::size_t at = nodes.find(R"("name":")") + 8;
        return nodes.substr(at, nodes.find('"', at) - at);
    }
    // As `more` of pod_json: this node, and no time to end.
    std::string on_node() const { return R"(,"nodeName":")" + node_name() + R"(","terminationGracePeriodSeconds":0)"; }
    std::string pod(const std::string& name) const { return ask("GET", std::string(kPods) + "/" + name); }
    bool comes_to_say(const std::string& name, const std::string& text) const {
        return holds_soon([&] { return pod(name).find(text) != std::string::npos; });
    }
    bool comes_to_phase(const std::string& name, const std::string& phase) const {
        return comes_to_say(name, R"("phase":")" + phase + '"');
    }
    std::string log_of(const std::string& name) const {
        cli::Request get;
        get.target = std::string(kPods) + "/" + name + "/log";
        const auto got = server_->connect()->send(get);
        return got.ok() && got->status == 200 ? got->body : std::string();
    }
    // Processes outlive the server, but not their pod.
    void remove_pod(const std::string& name) const {
        ask_status("DELETE", std::string(kPods) + "/" + name + "?gracePeriodSeconds=0");
        EXPECT_TRUE(holds_soon([&] { return status_of(pod(name)) == 404; })) << name;
    }
};

}  // namespace muster::e2e
