// The connection of the client verbs over HTTP: a loop of its own that runs while a request is under way.
#pragma once

#include <memory>

#include "cli/connection/connection.h"
#include "client/remote/transport.h"

namespace muster::cli {

// Nothing is sent yet. kBadRequest when the server's address, a certificate or a key cannot be read.
Result<std::unique_ptr<Connection>> connect_http(const client::ServerAccess& access,
                                                 client::TransportSettings settings = {});

// The text of a Warning header: 299 - "text" → text.
std::string warning_text(std::string_view header);

}  // namespace muster::cli
