#include "sim/world/connection.h"

#include "api/kinds/core/event.h"
#include "client/mirror_source.h"
#include "client/remote/decode_answer.h"
#include "client/remote/requests.h"
#include "sim/world/watch_feed.h"
#include "sim/world/world.h"

namespace muster::sim {
namespace {

using client::AnyListing;
using client::AnyObject;
using client::AnyWatch;
using client::Client;
using client::RequestClass;
using client::RequestTurn;

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
    const std::optional<Error> refused = line->outside ? world->api.refuse() : std::nullopt;
    if (refused)
        answered.resolve(*refused);
    else
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

// As the answer of an HTTP server begins.
os::HttpAnswerHead head_of(const Error& error) {
    os::HttpAnswerHead head;
    head.status = error.code == Code::kTooManyRequests ? 429 : 500;
    if (error.retry_after_seconds > 0)
        head.headers.push_back({"retry-after", std::to_string(error.retry_after_seconds)});
    return head;
}

// Lists are read from a cache, which first waits until it shows what was stored when the request came.
os::Task<Result<AnyListing>> list_cached(World* world, bool outside, server::LocalClient* client,
                                         const api::KindInfo* kind, std::string namespace_, Client::View view) {
    Server* server = world->server();
    Result<AnyListing> listing = co_await client->list_any(*kind, std::move(namespace_), view);
    const Duration lag = outside ? world->api.draw_lag() : Duration();
    if (lag > Duration()) co_await os::sleep_for(server->loop(), lag);
    co_return listing;
}

}  // namespace

Connection::Connection(World& world, os::Loop& loop, std::string user, bool outside, const std::string& place,
                       std::shared_ptr<RemoteParts> parts)
    : world_(world),
      loop_(loop),
      user_(std::move(user)),
      line_(world.network.line(user_ + place, outside)),
      parts_(!outside ? nullptr
             : parts  ? std::move(parts)
                      : world.make_remote_parts(loop)) {}

Connection::~Connection() { line_->versions.clear(); }

template <class T>
os::Task<Result<T>> Connection::call(std::string what, std::optional<RequestTurn> turn, Server::Request<T> request,
                                     bool writes) {
    if (!parts_) co_return co_await send<T>(std::move(what), std::move(request), writes);
    int times = 0;
    for (;;) {
        std::optional<Result<T>> answer;
        {
            std::optional<client::Limiter::Place> place;
            if (turn) place.emplace(co_await parts_->limiter.enter(*turn));
            answer.emplace(co_await send<T>(what, request, writes));
        }
        if (answer->ok()) co_return std::move(*answer);
        const os::HttpAnswerHead head = head_of(answer->error());
        if (!co_await parts_->retries.again(head, times)) co_return std::move(*answer);
    }
}

// Once.
template <class T>
os::Task<Result<T>> Connection::send(std::string what, Server::Request<T> request, bool writes) {
    if (writes && check_write_) CO_TRY(check_write_());
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
    return call<AnyObject>("get " + subject_of(kind, name.name),
                           RequestTurn(client::class_for(kind, RequestClass::kStatus), client::flow_for({}, name)),
                           std::move(request));
}

os::Task<Result<AnyListing>> Connection::list_any(const api::KindInfo& kind, std::string namespace_, View view) {
    const api::KindInfo* of = &kind;
    World* world = &world_;
    const bool outside = line_->outside;
    Server::Request<AnyListing> request = [=](server::LocalClient& client) {
        return list_cached(world, outside, &client, of, namespace_, view);
    };
    Result<AnyListing> listing =
        co_await call<AnyListing>("list " + subject_of(kind, ""), std::nullopt, std::move(request));
    if (listing.ok()) line_->versions[{of, view}] = client::parse_version(listing->resource_version);
    co_return listing;
}

os::Task<Result<std::unique_ptr<AnyWatch>>> Connection::watch_any(const api::KindInfo& kind, std::string namespace_,
                                                                  std::string resource_version, View view) {
    World* world = &world_;
    auto pipe = std::make_shared<WatchPipe>(loop_);
    const std::shared_ptr<Line> line = line_;
    const api::KindInfo* of = &kind;
    // Created before the request: if the caller dies before the answer, its destructor marks the pipe as abandoned.
    std::unique_ptr<AnyWatch> watch = make_piped_watch(pipe, [line, of, view](const client::AnyEvent& event) {
        const api::meta::ObjectMeta& metadata = view == View::kMetadata
                                                    ? *static_cast<const api::meta::ObjectMeta*>(event.object.get())
                                                    : client::metadata_of(*of, event.object.get());
        line->versions[{of, view}] = client::parse_version(metadata.resource_version);
    });
    // The answer says that the watch is open; what it tells comes through the pipe.
    const WatchOrder order(kind, std::move(namespace_), resource_version, view, line_);
    Server::Request<bool> request = [world, order, pipe](server::LocalClient& client) {
        return open_watch(world, &client, order, pipe);
    };
    Result<bool> opened =
        co_await call<bool>("watch " + subject_of(kind, resource_version), std::nullopt, std::move(request));
    if (!opened.ok()) co_return opened.error();
    co_return watch;
}

os::Task<Result<AnyObject>> Connection::patch_any(const api::KindInfo& kind, client::ObjectName name,
                                                  client::MetadataPatch patch, View view) {
    const api::KindInfo* of = &kind;
    Server::Request<AnyObject> request = [of, name, patch, view](server::LocalClient& client) {
        return client.patch_any(*of, name, patch, view);
    };
    RequestTurn turn(RequestClass::kFinalizers, client::flow_for(patch.flow, name));
    return call<AnyObject>("patch " + subject_of(kind, name.name), std::move(turn), std::move(request), true);
}

os::Task<Result<void>> Connection::remove_any(const api::KindInfo& kind, client::ObjectName name,
                                              client::Removal removal) {
    const api::KindInfo* of = &kind;
    Server::Request<void> request = [of, name, removal](server::LocalClient& client) {
        return client.remove_any(*of, name, removal);
    };
    RequestTurn turn(RequestClass::kRemovals, client::flow_for(removal.flow, name));
    return call<void>("remove " + subject_of(kind, name.name), std::move(turn), std::move(request), true);
}

os::Task<Result<void>> Connection::bind(client::ObjectName pod, Text uid, Text node) {
    Server::Request<void> request = [pod, uid, node](server::LocalClient& client) {
        return client.bind(pod, uid, node);
    };
    return call<void>("bind Pod " + pod.name.str() + " to " + node.str(),
                      RequestTurn(RequestClass::kStatus, pod.namespace_.str()), std::move(request), true);
}

os::Task<Result<AnyObject>> Connection::create_any(const api::KindInfo& kind, AnyObject draft) {
    if (is_event(kind) && !world_.keeps_events()) co_return Error{Code::kUnavailable, "events are not kept"};
    const api::KindInfo* of = &kind;
    Server::Request<AnyObject> request = [of, draft](server::LocalClient& client) {
        return client.create_any(*of, draft);
    };
    const Duration sent_at = loop_.uptime();
    const RequestTurn turn(client::class_for(kind, RequestClass::kCreates), client::flow_for(kind, draft.get()));
    Result<AnyObject> answer = co_await call<AnyObject>(
        "create " + subject_of(kind, client::metadata_of(kind, draft.get()).name), turn, std::move(request), true);
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
    const RequestTurn turn(client::class_for(kind, RequestClass::kStatus), client::flow_for(kind, after.get()));
    Result<AnyObject> answer = co_await call<AnyObject>(what + subject_of(kind, ""), turn, std::move(request), true);
    if (answer.ok() && on_written) on_written(kind, *answer, sent_at);
    co_return answer;
}

}  // namespace muster::sim
