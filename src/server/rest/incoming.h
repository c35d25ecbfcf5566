// A request as far as it can be understood without looking at anything but itself. Pure: on the thread that carried it.
// What is wrong with it is kept, not told: whether the client may ask at all comes first.
#pragma once

#include <optional>

#include "os/http.h"
#include "server/rest/call.h"

namespace muster::server {

struct Incoming {
    Target target{};
    Call call{};
    // What must be told to a client that may ask: the path is not served, the body cannot be read, and so on.
    std::optional<Error> problem{};
};

// The path must be one of resources (Route::is_resource).
Incoming read_resource_request(os::HttpRequest& request, Target target, Route route);

}  // namespace muster::server
