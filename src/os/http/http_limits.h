// Limits of the HTTP server: sizes, counts and times. A peer that exceeds a limit gets an error (413, 414, 431, 408) or
// its connection is closed. Other peers are not affected.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "base/instant.h"

namespace muster::os {

struct HttpLimits {
    std::size_t body_bytes_max = 3u << 20;        // more is a 413
    std::size_t head_bytes_max = 64u << 10;       // request line and headers; more is a 431
    std::size_t headers_max = 256;                // in number; more is a 431
    std::size_t target_bytes_max = 16u << 10;     // more is a 414
    std::size_t pipelined_bytes_max = 64u << 10;  // read ahead while a request is answered; more waits in the socket
    std::size_t connections_max = 16'384;         // one more is closed at once
    // Nor is a connection taken whose descriptor would be this one or a higher one: the kernel gives the lowest that is
    // free, so there are always some for files.
    int first_reserved_descriptor = std::numeric_limits<int>::max();
    std::size_t gzip_bytes_min = 128u << 10;  // smaller bodies are sent as they are

    Duration handshake_timeout = 10s;  // from the connection to the end of the TLS handshake
    Duration head_timeout = 20s;       // from a request's first byte to its last header
    Duration body_timeout = 60s;       // from there to the body's last byte
    Duration idle_timeout = 120s;      // between requests
    Duration crowded_timeout = 2s;  // of idle clients that are not known, when three quarters of the places are taken
    Duration send_timeout = 60s;    // an answer (no stream) of which the peer takes nothing
    Duration linger_timeout = 2s;   // after the last answer, for the peer to have read it
};

// How a process that may open so many descriptors divides them between connections and everything else: the store's
// files, the node's pipes, logs.
struct DescriptorPlan {
    std::size_t connections_max = 0;
    int first_reserved = 0;
    std::size_t wanted = 0;  // the limit that would be enough
};
DescriptorPlan plan_descriptors(std::size_t limit, std::size_t connections_wanted);
// One line for the operator; empty when the limit is high enough.
std::string describe_shortage(std::size_t limit, std::size_t connections_wanted);

// Raises how many descriptors this process may open to what the system allows, and gives that number.
std::size_t raise_descriptor_limit();

}  // namespace muster::os
