// The HTTP request of a probe or hook: where it goes, what it carries, and where a redirect leads it. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "node/runtime/actions.h"
#include "os/http/http.h"

namespace muster::node {

struct ProbeUrl {
    bool tls = false;
    std::string host{};
    std::uint16_t port = 80;
    std::string target = "/";  // path and query
    bool operator==(const ProbeUrl&) const = default;
};
std::string format_url(const ProbeUrl& url);

// The number of a port that may be given by its name. kInvalid when the container has no such port.
Result<std::uint16_t> find_port(const api::IntOrString& port, const List<api::core::ContainerPort>& ports);

// kInvalid when it names a port that the container does not have.
Result<ProbeUrl> make_probe_url(const api::core::HTTPGetAction& get, const ActionTarget& target);
// What the manifest says, and Accept: */* unless it says otherwise (an empty one is left out).
std::vector<os::HttpHeader> make_probe_headers(const api::core::HTTPGetAction& get);
// Where a redirect leads; nothing when the answer is none, or leads nowhere that can be followed.
std::optional<ProbeUrl> follow_redirect(const ProbeUrl& from, int status, std::string_view location);

// Why a connection failed, in the words that people look for.
std::string dial_words(const Error& error);

}  // namespace muster::node
