#include "main/node_access.h"

namespace muster {
namespace {

class LogOfNode final : public server::LogSource {
public:
    explicit LogOfNode(std::unique_ptr<node::LogStream> stream) : stream_(std::move(stream)) {}
    os::Task<Result<>> open() override { return stream_->open(); }
    os::Task<Result<std::optional<std::string>>> next() override { return stream_->next(); }

private:
    const std::unique_ptr<node::LogStream> stream_;
};

node::SessionRequest as_asked(const server::SessionRequest& request) {
    return {request.container, request.command, request.input, request.output, request.errors, request.terminal};
}

}  // namespace

Result<std::unique_ptr<server::LogSource>> NodeAccess::open_log(const api::core::Pod& pod,
                                                                const api::core::PodLogOptions& options) {
    TRY_ASSIGN(std::unique_ptr<node::LogStream> stream, pods_.open_log(pod, options));
    return std::unique_ptr<server::LogSource>(std::make_unique<LogOfNode>(std::move(stream)));
}

Result<> NodeAccess::check_session(const api::core::Pod& pod, const server::SessionRequest& request) {
    return pods_.check_session(pod, as_asked(request));
}

Result<std::unique_ptr<os::Session>> NodeAccess::open_session(const api::core::Pod& pod,
                                                              const server::SessionRequest& request) {
    return pods_.open_session(pod, as_asked(request));
}

}  // namespace muster
