#include "node/process/process_access.h"

#include "node/inside/inside_session.h"
#include "node/runtime/node_paths.h"

namespace muster::node {
namespace {

const api::core::Container* container_named(const api::core::Pod& pod, const Text& name) {
    for (const List<api::core::Container>* list : {&pod.spec.containers, &pod.spec.init_containers})
        for (const api::core::Container& container : *list)
            if (container.name == name) return &container;
    return nullptr;
}

}  // namespace

ProcessAccess::ProcessAccess(os::RealLoop& loop, os::Processes& processes, KeeperClient& keeper, RunBoard& board,
                             std::string directory)
    : loop_(loop),
      network_(loop),
      processes_(processes),
      board_(board),
      directory_(std::move(directory)),
      directories_(loop),
      attachments_(keeper, {loop_, reader_, directories_, board_}) {}

Result<std::unique_ptr<client::LogStream>> ProcessAccess::open_log(const api::core::Pod& pod,
                                                                   const api::core::PodLogOptions& options) {
    TRY_ASSIGN(LogRequest request, find_log(pod, options, directory_, loop_.now()));
    LogPlaces places{loop_, reader_, directories_, board_};
    return std::unique_ptr<client::LogStream>(std::make_unique<LogFollower>(places, std::move(request)));
}

Result<> ProcessAccess::check_session(const api::core::Pod& pod, const client::SessionRequest& request) {
    TRY(find_run(pod, request.container));
    return {};
}

Result<std::unique_ptr<os::Session>> ProcessAccess::open_session(const api::core::Pod& pod,
                                                                 const client::SessionRequest& request) {
    TRY_ASSIGN(RunKey key, find_run(pod, request.container));
    return make_session(pod, std::move(key), request);
}

Result<std::unique_ptr<os::Session>> ProcessAccess::make_session(const api::core::Pod& pod, RunKey key,
                                                                 const client::SessionRequest& request) {
    if (request.command.empty()) {
        const api::core::Container* container = container_named(pod, request.container);
        AttachRequest attach;
        attach.log_path = run_log(directory_, key);
        attach.key = std::move(key);
        attach.input = request.input && container && container->stdin_;
        attach.ends_input = container && container->stdin_once;
        attach.output = request.output;
        attach.errors = request.errors;
        attach.terminal = container && container->tty;
        return attachments_.attach(std::move(attach));
    }
    InsideRequest inside;
    inside.key = std::move(key);
    inside.command = request.command;
    inside.input = request.input;
    inside.output = request.output;
    inside.errors = request.errors;
    inside.terminal = request.terminal;
    return start_inside_session(loop_, processes_, board_, inside);
}

Result<RunKey> ProcessAccess::find_run(const api::core::Pod& pod, const Text& container) const {
    auto key = find_running(pod, container);
    if (key && board_.may_run(*key)) return *std::move(key);
    return Error{Code::kInternal, "container not found (\"" + container.str() + "\")"};
}

}  // namespace muster::node
