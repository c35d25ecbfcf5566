// One life of the server: the journal, the store, the API's rules, and the open requests. When it dies, the clients of
// open requests get an error that the connection was lost.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "os/loop/task.h"
#include "os/testing/virtual_loop.h"
#include "server/local_client.h"
#include "server/objects/objects.h"
#include "sim/world/disk.h"
#include "sim/world/process_loop.h"
#include "store/store.h"

namespace muster::sim {

struct ServerOptions {
    Duration skew{};
    Duration sync_max = 2ms;
    store::StoreOptions store{};
    std::uint64_t seed = 1;
    bool queues = false;  // pods and Jobs that name a queue wait in it
    std::optional<store::Revision> accept_loss_from{};
    std::function<bool()> sync_fails = [] { return false; };
    std::function<void()> on_sync_error{};
    OnDurable on_durable = [](const auto&, auto) {};
};

class Server {
public:
    // Fails as Store::open does. The world's loop and the disk must outlive it.
    static Result<std::unique_ptr<Server>> open(os::VirtualLoop& world, Disk& disk, ServerOptions options);
    // The process dies: what it was about to write is with the disk, or not.
    ~Server();

    ProcessLoop& loop() { return loop_; }
    store::Store& store() { return *store_; }
    server::Objects& objects() { return *objects_; }
    server::LocalClient& client_of(const std::string& user);

    // Runs the request in the server. `outside`: the client is another process, and is answered only when the data is
    // on disk.
    template <class T>
    using Request = std::function<os::Task<Result<T>>(server::LocalClient& client)>;
    template <class T>
    void serve(const std::string& user, Request<T> request, bool outside, os::Completion<Result<T>> answer);
    // Tells a watcher until it is cut.
    void feed(os::Task<void> feeder, std::function<void()> on_death, std::uint64_t* id);
    void forget(std::uint64_t id) { open_.erase(id); }

private:
    Server(os::VirtualLoop& world, Disk& disk, const ServerOptions& options);
    template <class T>
    os::Task<void> run(server::LocalClient* client, Request<T> request, bool outside, os::Completion<Result<T>> answer,
                       std::uint64_t id);

    ProcessLoop loop_;
    os::VirtualWorker worker_;
    server::KindCodec codec_;
    DiskJournal journal_;
    std::unique_ptr<store::Store> store_;
    std::unique_ptr<server::Objects> objects_;
    std::map<std::string, std::unique_ptr<server::LocalClient>> clients_;
    std::map<std::uint64_t, std::function<void()>> open_;  // called when the server dies, by request
    std::uint64_t last_id_ = 0;
    std::unique_ptr<os::TaskScope> tasks_;
};

template <class T>
void Server::serve(const std::string& user, Request<T> request, bool outside, os::Completion<Result<T>> answer) {
    const std::uint64_t id = ++last_id_;
    open_[id] = [answer] { answer.resolve(Error{Code::kUnavailable, "the connection was lost"}); };
    tasks_->spawn(run<T>(&client_of(user), std::move(request), outside, answer, id));
}

template <class T>
os::Task<void> Server::run(server::LocalClient* client, Request<T> request, bool outside,
                           os::Completion<Result<T>> answer, std::uint64_t id) {
    Result<T> result = co_await request(*client);
    const store::Revision seen = store_->revision();
    if (outside) co_await store_->durable(seen);
    open_.erase(id);
    answer.resolve(std::move(result));
}

}  // namespace muster::sim
