// The requests of a client of an API server, as values: paths, queries, headers and bodies.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "client/client.h"
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
// "a b" → "a%20b"
std::string escape_query(std::string_view text);
std::string format_watch_query(std::string_view resource_version, std::int64_t timeout_seconds);
// "&labelSelector=…&fieldSelector=…", without those that are empty.
std::string format_selectors(std::string_view labels, std::string_view fields);
std::string format_removal(const Removal& removal);

os::HttpClientRequest make_request(const char* method, std::string target, Client::View view = Client::View::kObject,
                                   Shape shape = Shape::kObject);
void set_body(os::HttpClientRequest& request, std::string body, const char* content_type);
// A request with a body, which the server does not check for unknown fields: they came from it.
os::HttpClientRequest make_write(const char* method, std::string target, const std::string& field_manager,
                                 std::string body, const char* content_type = "application/json",
                                 Client::View view = Client::View::kObject);

}  // namespace muster::client
