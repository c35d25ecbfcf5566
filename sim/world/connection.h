// A client whose requests cross the simulated network. The client belongs to a process of the world and dies with it.
// Requests under way belong to the network, so a request may arrive after its sender has died. The network's faults
// also apply inside the server's own process, as all users of a client must tolerate them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "client/client.h"
#include "os/loop/task.h"
#include "sim/world/network.h"
#include "sim/world/server.h"

namespace muster::sim {

class World;
struct WatchPipe;

class Connection final : public client::Client {
public:
    // The world must outlive it. `loop` is the loop of the process it is in. `place` tells apart the connections of
    // several processes of one user.
    Connection(World& world, os::Loop& loop, std::string user, bool outside, const std::string& place = "");

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
    template <class T>
    os::Task<Result<T>> call(std::string what, Server::Request<T> request, bool writes = false);

    World& world_;
    os::Loop& loop_;
    const std::string user_;
    std::shared_ptr<Line> line_;
};

}  // namespace muster::sim
