#include "main/pod_logs.h"

#include "client/remote/requests.h"
#include "node/logs/log_cursor.h"
#include "node/logs/logs.h"
#include "os/files/files.h"

namespace muster {
namespace {

constexpr std::size_t kTailLines = 10;
constexpr std::size_t kTailBytes = 4096;

// Opened when there is something: a container that has just started may have no log yet.
class LogOutput final : public cli::PodOutput {
public:
    explicit LogOutput(std::string path) : path_(std::move(path)) {}

    std::string more(cli::Stream stream) override {
        std::unique_ptr<node::LogCursor>& cursor = stream == cli::Stream::kOut ? out_ : err_;
        if (!cursor) {
            node::LogSelection selection;
            selection.stream = stream == cli::Stream::kOut ? "stdout" : "stderr";
            auto opened = node::LogCursor::open(path_, selection);
            if (!opened.ok()) return "";
            cursor = std::move(*opened);
        }
        std::string text;
        while (true) {
            auto piece = cursor->next();
            if (!piece.ok()) return text;
            text += piece->text;
            if (piece->at_end || piece->full) return text;
        }
    }

private:
    const std::string path_;
    std::unique_ptr<node::LogCursor> out_;
    std::unique_ptr<node::LogCursor> err_;
};

Result<std::string> path_of_log(const api::core::Pod& pod, const Text& container, const std::string& directory) {
    api::core::PodLogOptions options;
    options.container = container;
    TRY_ASSIGN(const node::LogRequest request, node::find_log(pod, options, directory, Instant()));
    return request.path;
}

std::string log_target(const api::core::Pod& pod, const Text& container, const std::string& more = {}) {
    return "/api/v1/namespaces/" + pod.metadata.namespace_.str() + "/pods/" + pod.metadata.name.str() +
           "/log?container=" + client::escape_query(container) + more;
}

std::string ask_log(cli::Connection& connection, std::string target) {
    const Result<cli::Response> response = connection.send({.target = std::move(target), .accept = "*/*"});
    return response.ok() && response->status == 200 ? response->body : "";
}

// Asks for the log again and again and gives what is new of it.
class ServedOutput final : public cli::PodOutput {
public:
    ServedOutput(std::unique_ptr<cli::Connection> connection, std::string target)
        : connection_(std::move(connection)), target_(std::move(target)) {}

    std::string more(cli::Stream stream) override {
        if (stream != cli::Stream::kOut) return "";
        std::string all = ask_log(*connection_, target_);
        if (all.size() <= given_) return "";
        all.erase(0, std::exchange(given_, all.size()));
        return all;
    }

private:
    const std::unique_ptr<cli::Connection> connection_;
    const std::string target_;
    std::size_t given_ = 0;
};

}  // namespace

cli::PodLogs served_pod_logs(Connect connect) {
    cli::PodLogs logs;
    logs.open = [connect](const api::core::Pod& pod, const Text& container) -> Result<std::unique_ptr<cli::PodOutput>> {
        TRY_ASSIGN(auto connection, connect());
        return std::unique_ptr<cli::PodOutput>(
            std::make_unique<ServedOutput>(std::move(connection), log_target(pod, container)));
    };
    logs.tail = [connect](const api::core::Pod& pod, const Text& container) {
        cli::PodLogs::Tail tail;
        const auto connection = connect();
        if (connection.ok())
            tail.text = ask_log(**connection, log_target(pod, container, "&tailLines=" + std::to_string(kTailLines)));
        return tail;
    };
    return logs;
}

cli::PodLogs pod_logs_of(const std::string& data_directory) {
    const std::string directory = os::absolute_path(data_directory) + "/node";
    cli::PodLogs logs;
    logs.open = [directory](const api::core::Pod& pod,
                            const Text& container) -> Result<std::unique_ptr<cli::PodOutput>> {
        TRY_ASSIGN(std::string path, path_of_log(pod, container, directory));
        return std::unique_ptr<cli::PodOutput>(std::make_unique<LogOutput>(std::move(path)));
    };
    logs.tail = [directory](const api::core::Pod& pod, const Text& container) {
        cli::PodLogs::Tail tail;
        const Result<std::string> path = path_of_log(pod, container, directory);
        if (!path.ok()) return tail;
        tail.path = *path;
        tail.text = node::read_log_tail(*path, kTailLines, kTailBytes);
        return tail;
    };
    return logs;
}

}  // namespace muster
