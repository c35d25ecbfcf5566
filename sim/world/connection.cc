#include "sim/world/connection.h"

#include <deque>

#include "api/kinds/core/event.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

using client::AnyEvent;
using client::AnyListing;
using client::AnyObject;
using client::AnyWatch;
using client::Client;
using client::EventType;

// What another process sees: events once they are on disk.
class DurableWatch final : public AnyWatch {
public:
    DurableWatch(std::unique_ptr<store::Watch> watch, Client::View view) : watch_(std::move(watch)), view_(view) {}

    os::Task<Result<std::vector<AnyEvent>>> next() override {
        std::vector<AnyEvent> events;
        for (;;) {
            CO_TRY_ASSIGN(const store::Event* event, watch_->next());
            if (event)
                events.push_back(told(*event));
            else if (events.empty())
                co_await watch_->ready();
            else
                co_return events;
        }
    }

private:
    AnyEvent told(const store::Event& event) const {
        if (event.type != store::EventType::kDeleted)
            return {event.type == store::EventType::kCreated ? EventType::kAdded : EventType::kModified,
                    seen(std::static_pointer_cast<const server::KindObject>(event.object))};
        const auto& last = static_cast<const server::KindObject&>(*event.previous);
        std::shared_ptr<server::KindObject> copy = server::make_object(last.kind(), last.data());
        copy->stamp(event.revision);
        return {EventType::kDeleted, seen(std::move(copy))};
    }
    AnyObject seen(const server::KindObjectPtr& object) const {
        if (view_ == Client::View::kMetadata) return {object, &object->metadata()};
        return {object, object->data()};
    }

    std::unique_ptr<store::Watch> watch_;
    Client::View view_;
};

os::Task<Result<std::unique_ptr<AnyWatch>>> open_durable_watch(Server* server, const api::KindInfo* kind,
                                                               std::string namespace_, std::string from,
                                                               Client::View view) {
    const std::string prefix = server::list_prefix(*kind, namespace_);
    CO_TRY_ASSIGN(auto watch, server->store().watch(prefix, std::stoull(from), store::Visibility::kDurable));
    co_return std::unique_ptr<AnyWatch>(std::make_unique<DurableWatch>(std::move(watch), view));
}

// One packet on its way to the server and back.
template <class T>
os::Task<void> carry(World* world, std::shared_ptr<Line> line, std::string user, Packet packet,
                     Server::Request<T> request, os::Completion<Result<T>> done) {
    os::Loop& loop = world->loop;
    if (packet.ghost) {
        done.resolve(Error{Code::kTimeout, "no answer in time"});
        co_await os::sleep_for(loop, Network::kTimeout);
    }
    if (packet.request_delay > Duration()) co_await os::sleep_for(loop, packet.request_delay);
    if (packet.lose_request || line->cut_off) {
        co_await os::sleep_for(loop, Network::kTimeout);
        if (!packet.ghost) done.resolve(Error{Code::kTimeout, "the request was lost"});
        co_return;
    }
    Server* server = world->server();
    if (!server) {
        if (!packet.ghost) done.resolve(Error{Code::kUnavailable, "connection refused"});
        co_return;
    }
    os::Completion<Result<T>> answered(loop);
    server->serve<T>(user, request, line->outside, answered);
    if (packet.duplicate) {
        Packet again;
        again.request_delay = packet.duplicate_delay;
        // Within one process there is no network that would keep it: it ends with the process.
        world->tasks_of(*line).spawn(carry<T>(world, line, user, again, request, os::Completion<Result<T>>(loop)));
    }
    Result<T> answer = co_await answered;
    if (packet.answer_delay > Duration()) co_await os::sleep_for(loop, packet.answer_delay);
    if (packet.lose_answer || line->cut_off) {
        co_await os::sleep_for(loop, Network::kTimeout);
        answer = Error{Code::kTimeout, "the answer was lost"};
    }
    if (!packet.ghost) done.resolve(std::move(answer));
}

bool is_event(const api::KindInfo& kind) { return &kind == &api::kind_info<api::core::Event>(); }

std::string subject_of(const api::KindInfo& kind, std::string_view name) {
    return std::string(kind.kind) + ' ' + std::string(name);
}

}  // namespace

// What has been told to a watcher and not been read yet.
struct WatchPipe {
    explicit WatchPipe(os::Loop& reader) : news(reader) {}
    std::deque<std::vector<AnyEvent>> batches;
    std::optional<Error> end;
    bool opened = false;
    bool abandoned = false;
    os::Event news;

    void close(Error error) {
        if (end || abandoned) return;
        end = std::move(error);
        news.notify();
    }
};

namespace {

class PipedWatch final : public AnyWatch {
public:
    explicit PipedWatch(std::shared_ptr<WatchPipe> pipe) : pipe_(std::move(pipe)) {}
    ~PipedWatch() override { pipe_->abandoned = true; }

    os::Task<Result<std::vector<AnyEvent>>> next() override {
        while (pipe_->batches.empty() && !pipe_->end) co_await pipe_->news.wait();
        if (pipe_->batches.empty()) co_return Error(*pipe_->end);
        std::vector<AnyEvent> events = std::move(pipe_->batches.front());
        pipe_->batches.pop_front();
        co_return events;
    }

private:
    std::shared_ptr<WatchPipe> pipe_;
};

// In the server: tells the watcher what happens, as the network lets it.
os::Task<void> feed_watch(World* world, Server* server, std::shared_ptr<Line> line, std::shared_ptr<WatchPipe> pipe,
                          std::unique_ptr<AnyWatch> inner, std::shared_ptr<std::uint64_t> id) {
    for (;;) {
        Result<std::vector<AnyEvent>> events = co_await inner->next();
        if (pipe->abandoned) break;
        if (!events.ok()) {
            pipe->close(events.error());
            break;
        }
        Duration hold{};
        const WatchFate fate = world->network.draw_watch(*line, &hold);
        if (hold > Duration()) co_await os::sleep_for(server->loop(), hold);
        if (pipe->abandoned) break;
        if (fate == WatchFate::kCut || line->cut_off) {
            pipe->close(Error{Code::kUnavailable, "the watch was cut"});
            break;
        }
        if (fate == WatchFate::kExpire) {
            pipe->close(Error{Code::kExpired, "the watch has missed something"});
            break;
        }
        pipe->batches.push_back(std::move(*events));
        pipe->news.notify();
    }
    server->forget(*id);
}

}  // namespace

Connection::Connection(World& world, os::Loop& loop, std::string user, bool outside, const std::string& place)
    : world_(world), loop_(loop), user_(std::move(user)), line_(world.network.line(user_ + place, outside)) {}

template <class T>
os::Task<Result<T>> Connection::call(std::string what, Server::Request<T> request, bool writes) {
    if (writes && on_write) on_write(what);
    os::Completion<Result<T>> done(loop_);
    const Packet packet = world_.network.draw(*line_);
    world_.tasks_of(*line_).spawn(carry<T>(&world_, line_, user_, packet, std::move(request), done));
    Result<T> answer = co_await done;
    world_.trace.note(world_.loop.uptime(), line_->name, [&] {
        return what + (answer.ok() ? std::string(" ok") : " -> " + format_error(answer.error())) +
               (packet.duplicate ? " (twice)" : "");
    });
    co_return answer;
}

os::Task<Result<AnyObject>> Connection::get_any(const api::KindInfo& kind, client::ObjectName name, View view) {
    const api::KindInfo* of = &kind;
    Server::Request<AnyObject> request = [of, name, view](server::LocalClient& client) {
        return client.get_any(*of, name, view);
    };
    return call<AnyObject>("get " + subject_of(kind, name.name), std::move(request));
}

os::Task<Result<AnyListing>> Connection::list_any(const api::KindInfo& kind, std::string namespace_, View view) {
    const api::KindInfo* of = &kind;
    Server::Request<AnyListing> request = [of, namespace_, view](server::LocalClient& client) {
        return client.list_any(*of, namespace_, view);
    };
    return call<AnyListing>("list " + subject_of(kind, ""), std::move(request));
}

os::Task<Result<std::unique_ptr<AnyWatch>>> Connection::watch_any(const api::KindInfo& kind, std::string namespace_,
                                                                  std::string resource_version, View view) {
    const api::KindInfo* of = &kind;
    World* world = &world_;
    auto pipe = std::make_shared<WatchPipe>(loop_);
    // Created before the request: if the caller dies before the answer, its destructor marks the pipe as abandoned.
    std::unique_ptr<AnyWatch> watch = std::make_unique<PipedWatch>(pipe);
    std::shared_ptr<Line> line = line_;
    // The answer says that the watch is open; what it tells comes through the pipe.
    Server::Request<bool> request = [=](server::LocalClient& client) -> os::Task<Result<bool>> {
        return
            [](World* in, server::LocalClient* local, const api::KindInfo* watched, std::string where, std::string from,
               View how, std::shared_ptr<Line> over, std::shared_ptr<WatchPipe> into) -> os::Task<Result<bool>> {
                Server* server = in->server();
                if (std::exchange(into->opened, true)) co_return Error{Code::kConflict, "the request came twice"};
                std::unique_ptr<AnyWatch> inner;
                if (over->outside) {
                    CO_TRY_ASSIGN(inner, co_await open_durable_watch(server, watched, where, from, how));
                } else {
                    CO_TRY_ASSIGN(inner, co_await local->watch_any(*watched, where, from, how));
                }
                auto id = std::make_shared<std::uint64_t>(0);
                std::function<void()> on_death = [into] {
                    into->close(Error{Code::kUnavailable, "the connection was lost"});
                };
                server->feed(feed_watch(in, server, over, into, std::move(inner), id), std::move(on_death), id.get());
                co_return true;
            }(world, &client, of, namespace_, resource_version, view, line, pipe);
    };
    Result<bool> opened = co_await call<bool>("watch " + subject_of(kind, resource_version), std::move(request));
    if (!opened.ok()) co_return opened.error();
    co_return watch;
}

os::Task<Result<AnyObject>> Connection::patch_any(const api::KindInfo& kind, client::ObjectName name,
                                                  client::MetadataPatch patch, View view) {
    const api::KindInfo* of = &kind;
    Server::Request<AnyObject> request = [of, name, patch, view](server::LocalClient& client) {
        return client.patch_any(*of, name, patch, view);
    };
    return call<AnyObject>("patch " + subject_of(kind, name.name), std::move(request), true);
}

os::Task<Result<void>> Connection::remove_any(const api::KindInfo& kind, client::ObjectName name,
                                              client::Removal removal) {
    const api::KindInfo* of = &kind;
    Server::Request<void> request = [of, name, removal](server::LocalClient& client) {
        return client.remove_any(*of, name, removal);
    };
    return call<void>("remove " + subject_of(kind, name.name), std::move(request), true);
}

os::Task<Result<void>> Connection::bind(client::ObjectName pod, Text uid, Text node) {
    Server::Request<void> request = [pod, uid, node](server::LocalClient& client) {
        return client.bind(pod, uid, node);
    };
    return call<void>("bind Pod " + pod.name.str() + " to " + node.str(), std::move(request), true);
}

os::Task<Result<AnyObject>> Connection::create_any(const api::KindInfo& kind, AnyObject draft) {
    if (is_event(kind) && !world_.keeps_events()) co_return Error{Code::kUnavailable, "events are not kept"};
    const api::KindInfo* of = &kind;
    Server::Request<AnyObject> request = [of, draft](server::LocalClient& client) {
        return client.create_any(*of, draft);
    };
    const Duration sent_at = loop_.uptime();
    Result<AnyObject> answer = co_await call<AnyObject>("create " + subject_of(kind, ""), std::move(request), true);
    if (answer.ok() && on_written) on_written(kind, *answer, sent_at);
    co_return answer;
}

os::Task<Result<AnyObject>> Connection::change_any(const api::KindInfo& kind, AnyObject before, AnyObject after,
                                                   client::Part part) {
    if (is_event(kind) && !world_.keeps_events()) co_return Error{Code::kUnavailable, "events are not kept"};
    const api::KindInfo* of = &kind;
    Server::Request<AnyObject> request = [of, before, after, part](server::LocalClient& client) {
        return client.change_any(*of, before, after, part);
    };
    const char* what = part == client::Part::kStatus ? "update status of " : "update ";
    const Duration sent_at = loop_.uptime();
    Result<AnyObject> answer = co_await call<AnyObject>(what + subject_of(kind, ""), std::move(request), true);
    if (answer.ok() && on_written) on_written(kind, *answer, sent_at);
    co_return answer;
}

}  // namespace muster::sim
