// What a peer may cost us: sizes, counts and times of the HTTP server. Whoever goes beyond is answered (413, 414, 431,
// 408) or cut, and the others are served.
#pragma once

#include <cstddef>

#include "base/instant.h"

namespace muster::os {

struct HttpLimits {
    std::size_t body_bytes_max = 3u << 20;        // more is a 413
    std::size_t head_bytes_max = 64u << 10;       // request line and headers; more is a 431
    std::size_t headers_max = 256;                // in number; more is a 431
    std::size_t target_bytes_max = 16u << 10;     // more is a 414
    std::size_t pipelined_bytes_max = 64u << 10;  // read ahead while a request is answered; more waits in the socket
    std::size_t connections_max = 16'384;         // one more is closed at once
    std::size_t gzip_bytes_min = 128u << 10;      // smaller bodies are sent as they are

    Duration handshake_timeout = 10s;  // from the connection to the end of the TLS handshake
    Duration head_timeout = 20s;       // from a request's first byte to its last header
    Duration body_timeout = 60s;       // from there to the body's last byte
    Duration idle_timeout = 120s;      // between requests
    Duration send_timeout = 60s;       // an answer (no stream) of which the peer takes nothing
    Duration linger_timeout = 2s;      // after the last answer, for the peer to have read it
};

// Raises how many descriptors this process may open to what the system allows, and gives that number.
std::size_t raise_descriptor_limit();

}  // namespace muster::os
