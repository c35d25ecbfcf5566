// A client whose requests cross the simulated network. The client belongs to a process of the world and dies with it.
// Requests under way belong to the network, so a request may arrive after its sender has died. The network's faults
// also apply inside the server's own process, as all users of a client must tolerate them. Outside it the client treats
// its requests as client::RemoteClient does, with the same parts: it limits them by class and repeats them as the
// server asks.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "client/client.h"
#include "client/remote/retries.h"
#include "os/loop/task.h"
#include "sim/world/network.h"
#include "sim/world/server.h"

namespace muster::sim {

class World;

// What the clients of one process share.
struct RemoteParts {
    RemoteParts(os::Loop& loop, std::size_t connections)
        : limiter(loop, connections), retries(loop, limiter, kRetriesMax) {}
    static constexpr int kRetriesMax = 10;
    client::Limiter limiter;
    client::Retries retries;
};

class Connection final : public client::Client {
public:
    // The world must outlive it. `loop` is the loop of the process it is in. `place` tells apart the connections of
    // several processes of one user. `parts` are those of the process; without them the client has its own.
    Connection(World& world, os::Loop& loop, std::string user, bool outside, const std::string& place = "",
               std::shared_ptr<RemoteParts> parts = nullptr);
    ~Connection() override;

    // What its process knows already. It must outlive the client.
    void share(client::SharedMirrors* mirrors) { mirrors_ = mirrors; }
    client::SharedMirrors* shared_mirrors() override { return mirrors_; }

    using AnyObjectTask = os::Task<Result<client::AnyObject>>;
    AnyObjectTask get_any(const api::KindInfo& kind, client::ObjectName name, View view) override;
    os::Task<Result<client::AnyListing>> list_any(const api::KindInfo& kind, std::string namespace_,
                                                  View view) override;
    os::Task<Result<std::unique_ptr<client::AnyWatch>>> watch_any(const api::KindInfo& kind, std::string namespace_,
                                                                  std::string resource_version, View view) override;
    AnyObjectTask patch_any(const api::KindInfo& kind, client::ObjectName name, client::MetadataPatch patch,
                            View view) override;
    os::Task<Result<void>> remove_any(const api::KindInfo& kind, client::ObjectName name,
                                      client::Removal removal) override;
    os::Task<Result<void>> bind(client::ObjectName pod, Text uid, Text node) override;
    void check_writes(WriteCheck check) override { check_write_ = std::move(check); }
    AnyObjectTask create_any(const api::KindInfo& kind, client::AnyObject draft) override;
    AnyObjectTask change_any(const api::KindInfo& kind, client::AnyObject before, client::AnyObject after,
                             client::Part part) override;

    const std::string& user() const { return user_; }
    Line& line() { return *line_; }

    // Told when a write is sent, and when one was answered with success: what is stored, and when it was sent by the
    // process's own clock.
    std::function<void(const std::string& what)> on_write{};
    std::function<void(const api::KindInfo& kind, const client::AnyObject& stored, Duration sent_at)> on_written{};

private:
    // Without a turn it takes no place among the requests under way.
    template <class T>
    os::Task<Result<T>> call(std::string what, std::optional<client::RequestTurn> turn, Server::Request<T> request,
                             bool writes = false);
    template <class T>
    os::Task<Result<T>> send(std::string what, Server::Request<T> request, bool writes);

    World& world_;
    os::Loop& loop_;
    const std::string user_;
    std::shared_ptr<Line> line_;
    client::SharedMirrors* mirrors_ = nullptr;
    WriteCheck check_write_{};
    const std::shared_ptr<RemoteParts> parts_;  // null within the server's process
};

}  // namespace muster::sim
