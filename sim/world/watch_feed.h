// The two ends of a watch that crosses the network: in the server a feeder, which tells what happens as the network and
// the API server's cache (world/api_front.h) let it; in the client's process the watch that gives it out. Between them
// is a pipe, which lives as long as either.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/client.h"
#include "os/loop/task.h"
#include "sim/world/network.h"
#include "sim/world/server.h"

namespace muster::sim {

class World;

// What has been told to a watcher and not been read yet.
struct WatchPipe {
    explicit WatchPipe(os::Loop& reader) : news(reader) {}
    std::deque<std::vector<client::AnyEvent>> batches;
    std::optional<Result<void>> end;  // an error, or the server has ended it in good order
    bool opened = false;
    bool abandoned = false;
    os::Event news;

    void tell(std::vector<client::AnyEvent> events) {
        batches.push_back(std::move(events));
        news.notify();
    }
    void close(Result<void> how) {
        if (end || abandoned) return;
        end = std::move(how);
        news.notify();
    }
};

// The client's end. `on_read` is told of every event as it is given out.
std::unique_ptr<client::AnyWatch> make_piped_watch(std::shared_ptr<WatchPipe> pipe,
                                                   std::function<void(const client::AnyEvent& event)> on_read);

// What is watched, over which connection.
struct WatchOrder {
    WatchOrder(const api::KindInfo& of, std::string in, std::string after, client::Client::View as,
               std::shared_ptr<Line> over)
        : kind(&of), namespace_(std::move(in)), from(std::move(after)), view(as), line(std::move(over)) {}
    const api::KindInfo* kind;
    std::string namespace_;
    std::string from;
    client::Client::View view;
    std::shared_ptr<Line> line;
};

// In the server: opens the watch and feeds the pipe until one of them ends. Fails as a real server does.
os::Task<Result<bool>> open_watch(World* world, server::LocalClient* client, WatchOrder order,
                                  std::shared_ptr<WatchPipe> pipe);

}  // namespace muster::sim
