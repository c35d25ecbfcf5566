#include "sim/world/server.h"

#include "main/queue_admission.h"

namespace muster::sim {

Server::Server(os::VirtualLoop& world, Disk& disk, const ServerOptions& options)
    : loop_(world, options.skew),
      worker_(world, options.seed, Duration(), options.sync_max),
      journal_(loop_, worker_, disk, options.accept_loss_from, options.sync_fails, options.on_sync_error,
               options.on_durable),
      tasks_(std::make_unique<os::TaskScope>(loop_)) {}

Result<std::unique_ptr<Server>> Server::open(os::VirtualLoop& world, Disk& disk, ServerOptions options) {
    std::unique_ptr<Server> server(new Server(world, disk, options));
    TRY_ASSIGN(server->store_, store::Store::open(server->loop_, server->journal_, server->codec_, options.store));
    server::AdmissionChain chain = server::default_admission();
    if (options.queues) {
        chain.mutating.push_back(queue_mutation({}));
        chain.validating.push_back(queue_validation({}));
    }
    server->objects_ = std::make_unique<server::Objects>(server->loop_, *server->store_, std::move(chain),
                                                         api::RuleContext{}, options.seed);
    return server;
}

Server::~Server() {
    worker_.abandon();
    tasks_.reset();
    const auto waiting = std::move(open_);
    for (const auto& [id, tell] : waiting) tell();
}

server::LocalClient& Server::client_of(const std::string& user) {
    auto& client = clients_[user];
    if (!client) client = std::make_unique<server::LocalClient>(*objects_, server::controller_user(user));
    return *client;
}

void Server::feed(os::Task<void> feeder, std::function<void()> on_death, std::uint64_t* id) {
    *id = ++last_id_;
    open_[*id] = std::move(on_death);
    tasks_->spawn(std::move(feeder));
}

}  // namespace muster::sim
