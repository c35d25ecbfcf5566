// A request as far as it can be understood without looking at anything but itself. Pure: on the thread that carried it,
// or on a worker. In two steps: the head, and then, when the client may ask, the body.
// What is wrong with it is kept, not told: whether the client may ask at all comes first.
#pragma once

#include <optional>

#include "os/http/http.h"
#include "server/rest/call.h"

namespace muster::server {

struct Incoming {
    Target target{};
    Call call{};
    // What must be told to a client that may ask: the path is not served, the body cannot be read, and so on.
    std::optional<Error> problem{};
    bool wants_body = false;              // until it is read
    std::string content_type{};           // of the body
    Encoding encoding = Encoding::kJson;  // the same, for create and update
};

// The path must be one of resources (Route::is_resource).
Incoming read_resource_head(const os::HttpRequest& request, Target target, Route route);
// The body of a request that wants one.
void read_resource_body(Incoming& incoming, std::string_view body);
// Whether reading this body takes so long that others would notice.
bool is_long_body(const Incoming& incoming, std::size_t bytes);

}  // namespace muster::server
