// A user's connection to a server, as the client verbs have it: creates Jobs and waits for their ends.
#pragma once

#include <boost/json.hpp>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/check.h"
#include "cli/connection/http_connection.h"
#include "client/remote/kubeconfig.h"
#include "os/files/files.h"

namespace muster::bench {

class ApiSession {
public:
    // With the kubeconfig of a data directory whose server is ready.
    explicit ApiSession(const std::string& directory) {
        os::LinuxFiles files;
        const auto read = [&](const std::string& path) { return files.read(path, 1u << 20); };
        connection_ = cli::connect_http(client::read_kubeconfig({directory + "/kubeconfig"}, {}, read).value()).value();
    }

    // 0 when there is none of that name.
    std::uint64_t metric(const std::string& name) {
        cli::Request request;
        request.target = "/metrics";
        request.accept = "text/plain";
        const std::string text = ask(request).body;
        const std::size_t at = text.find('\n' + name + ' ');
        return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at + name.size() + 2, nullptr, 10);
    }
    // An Indexed Job. `pod` is the template's content: annotations and the program.
    void create_job(const std::string& name, int completions, int parallelism, const std::string& pod) {
        cli::Request request;
        request.method = "POST";
        request.target = "/apis/batch/v1/namespaces/default/jobs";
        request.content_type = "application/json";
        request.body = R"({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": ")" + name +
                       R"("}, "spec": {"completionMode": "Indexed", "completions": )" + std::to_string(completions) +
                       R"(, "parallelism": )" + std::to_string(parallelism) + R"(, "template": )" + pod + "}}";
        const cli::Response response = ask(request);
        CHECK(response.status == 201, response.body);
    }
    void wait_complete(const std::string& name) {
        cli::Request request;
        request.target = "/apis/batch/v1/namespaces/default/jobs?watch=true&fieldSelector=metadata.name%3D" + name;
        const auto ended = connection_->stream(request, [&](std::string_view line) {
            const auto event = boost::json::parse(boost::json::string_view(line.data(), line.size()));
            const auto& status = event.at("object").at("status").as_object();
            const auto* conditions = status.if_contains("conditions");
            if (!conditions) return true;
            for (const auto& condition : conditions->as_array()) {
                CHECK(condition.at("type") != "Failed", std::string(line));
                if (condition.at("type") == "Complete") return false;
            }
            return true;
        });
        CHECK(ended.ok(), ended.ok() ? "" : format_error(ended.error()));
    }

private:
    cli::Response ask(const cli::Request& request) {
        auto response = connection_->send(request);
        CHECK(response.ok(), response.ok() ? "" : format_error(response.error()));
        return *std::move(response);
    }
    std::unique_ptr<cli::Connection> connection_;
};

// The template of a pod that runs this program.
inline std::string program_pod(const std::string& program) {
    return R"({"spec": {"restartPolicy": "Never", "containers": [{"name": "work", "image": "none", "command": [")" +
           program + R"("]}]}})";
}
// The template of a pod that a simulated node ends at once.
inline std::string simulated_pod() {
    return R"({"metadata": {"annotations": {"simulation.muster.dev/duration": "0s"}}, "spec": {"restartPolicy": )"
           R"("Never", "containers": [{"name": "work", "image": "none", "command": ["true"]}]}})";
}

}  // namespace muster::bench
