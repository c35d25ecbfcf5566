// The requests of a client of an API server, as values: paths, queries, headers and bodies.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/kinds/core/pod.h"
#include "client/client.h"
#include "client/remote/limiter.h"
#include "os/http/client/http_client.h"

namespace muster::client {

// What is asked for: one object, a list of them, or a watch.
enum class Shape { kObject, kList, kWatch };

inline constexpr const char* kPageQuery = "limit=500";
// WatchList: what is there comes as events, and a bookmark says that it was all. Servers that do not know it refuse
// resourceVersionMatch.
inline constexpr const char* kStreamedListQuery =
    "watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";

// "/apis/batch/v1/namespaces/default/jobs/pi"
std::string path_of(const api::KindInfo& kind, std::string_view namespace_, std::string_view name = {});
// Leases and Events have classes of their own, whatever is done with them; other kinds have the usual one.
RequestClass class_for(const api::KindInfo& kind, RequestClass usual);
// The flow of a write of that object (client/client.h); of an Event that of what it is about.
std::string flow_for(const api::KindInfo& kind, const void* object);
// The flow of a request about an object of which only the name is known: the one given, else the namespace.
std::string flow_for(const Text& given, const ObjectName& name);
// "a b" → "a%20b"
std::string escape_query(std::string_view text);
std::string format_watch_query(std::string_view resource_version, std::int64_t timeout_seconds);
// "&labelSelector=…&fieldSelector=…", without those that are empty.
std::string format_selectors(std::string_view labels, std::string_view fields);
// As in deletion options: "Background".
const char* propagation_name(Propagation propagation);
std::string format_removal(const Removal& removal);
// "container=c&follow=true": what a container's log is asked for.
std::string format_log_query(const api::core::PodLogOptions& options);

os::HttpClientRequest make_request(const char* method, std::string target, Client::View view = Client::View::kObject,
                                   Shape shape = Shape::kObject);
void set_body(os::HttpClientRequest& request, std::string body, const char* content_type);
// A request with a body, which the server does not check for unknown fields: they came from it.
os::HttpClientRequest make_write(const char* method, std::string target, const std::string& field_manager,
                                 std::string body, const char* content_type = "application/json",
                                 Client::View view = Client::View::kObject);

}  // namespace muster::client
