// A client whose requests cross the simulated network. Its end is in a process of the world and dies with it; what is
// on the way lives on the network, so a request may arrive after whoever sent it has died. In the server's own process
// there is no network to speak of, but its odds hold all the same: whoever lives on a client must bear them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "client/client.h"
#include "os/task.h"
#include "sim/world/network.h"
#include "sim/world/server.h"

namespace muster::sim {

class World;
struct WatchPipe;

class Connection final : public client::Client {
public:
    // The world must outlive it. `loop` is the loop of the process it is in.
    Connection(World& world, os::Loop& loop, std::string user, bool outside);

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

    const std::string& user() const { return user_; }
    Line& line() { return *line_; }

protected:
    os::Task<Result<void>> bind_any(client::ObjectName pod, Text uid, Text node) override;
    AnyObjectTask create_any(const api::KindInfo& kind, client::AnyObject draft) override;
    AnyObjectTask update_any(const api::KindInfo& kind, client::AnyObject draft, client::Part part) override;

private:
    template <class T>
    os::Task<Result<T>> call(std::string what, Server::Request<T> request);

    World& world_;
    os::Loop& loop_;
    const std::string user_;
    std::shared_ptr<Line> line_;
};

}  // namespace muster::sim
