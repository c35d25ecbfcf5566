#include "server/rest/remote_command.h"

#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <span>

#include "api/codec/encode.h"
#include "base/ascii.h"
#include "os/websocket.h"
#include "server/rest/failure.h"

namespace muster::server {
namespace {

// The best first.
constexpr std::array<std::string_view, 2> kProtocols = {"v5.channel.k8s.io", "v4.channel.k8s.io"};

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

// Whether a header that is a list, maybe sent in several lines, has the word.
bool lists(const os::HttpRequest& request, std::string_view name, std::string_view word, bool in_any_case) {
    for (const os::HttpHeader& header : request.headers) {
        if (header.name != name) continue;
        for (std::string_view rest = header.value; !rest.empty();) {
            const std::size_t comma = std::min(rest.find(','), rest.size());
            const std::string_view item = trimmed(rest.substr(0, comma));
            if (in_any_case ? lower(item) == word : item == word) return true;
            rest.remove_prefix(std::min(comma + 1, rest.size()));
        }
    }
    return false;
}

constexpr std::string_view kPortForward = "portforward.k8s.io";
constexpr std::string_view kWrappedPortForward = "SPDY/3.1+portforward.k8s.io";

bool asks_for_spdy(const os::HttpRequest& request) {
    return lists(request, "connection", "upgrade", true) && lists(request, "upgrade", "spdy/3.1", true);
}

Result<Upgrade> upgrade_to_spdy(const os::HttpRequest& request, std::string_view protocol) {
    if (!lists(request, "x-stream-protocol-version", protocol, false))
        return Error{Code::kForbidden, "unable to upgrade: over SPDY/3.1 the protocol is " + std::string(protocol)};
    Upgrade upgrade;
    upgrade.head.status = 101;
    upgrade.head.headers = {{"Upgrade", "SPDY/3.1"}, {"X-Stream-Protocol-Version", std::string(protocol)}};
    upgrade.protocol = Protocol::kSpdy;
    return upgrade;
}

// To the first of the protocols that the client speaks, too.
Result<Upgrade> upgrade_to_websocket(const os::HttpRequest& request, std::span<const std::string_view> protocols) {
    if (!lists(request, "connection", "upgrade", true) || !lists(request, "upgrade", "websocket", true))
        return Error{Code::kBadRequest, "Upgrade request required"};
    if (request.header("sec-websocket-version") != "13")
        return Error{Code::kBadRequest, "unable to upgrade: only version 13 of WebSocket is spoken"};
    const auto accept = os::websocket_accept(request.header("sec-websocket-key"));
    if (!accept) return Error{Code::kBadRequest, "unable to upgrade: Sec-WebSocket-Key is not a key"};
    std::string spoken;
    for (const std::string_view protocol : protocols) {
        spoken.append(spoken.empty() ? "" : ", ").append(protocol);
        if (!lists(request, "sec-websocket-protocol", protocol, false)) continue;
        Upgrade upgrade;
        upgrade.head.status = 101;
        upgrade.head.headers = {{"Upgrade", "websocket"},
                                {"Sec-WebSocket-Accept", *accept},
                                {"Sec-WebSocket-Protocol", std::string(protocol)}};
        upgrade.protocol = protocol == kProtocols[1] ? Protocol::kWebSocketV4 : Protocol::kWebSocketV5;
        return upgrade;
    }
    return Error{Code::kBadRequest, "unable to upgrade: what is spoken here is " + spoken + ", not \"" +
                                        std::string(request.header("sec-websocket-protocol")) + '"'};
}

}  // namespace

Result<SessionRequest> parse_session_request(const Query& query, bool needs_command) {
    SessionRequest request;
    request.container = query.get("container");
    request.command = needs_command ? query.all("command") : std::vector<std::string>();
    request.input = query.is_set("stdin");
    request.output = query.is_set("stdout");
    request.terminal = query.is_set("tty");
    // A terminal has one output.
    request.errors = query.is_set("stderr") && !request.terminal;
    if (!request.input && !request.output && !request.errors)
        return Error{Code::kBadRequest, "you must specify at least 1 of stdin, stdout, stderr"};
    if (needs_command && request.command.empty())
        return Error{Code::kBadRequest, "you must specify at least one command for the container"};
    return request;
}

Result<Upgrade> negotiate_upgrade(const os::HttpRequest& request) {
    if (asks_for_spdy(request)) return upgrade_to_spdy(request, kProtocols[1]);
    return upgrade_to_websocket(request, kProtocols);
}

Result<Upgrade> negotiate_port_forward(const os::HttpRequest& request) {
    if (asks_for_spdy(request)) return upgrade_to_spdy(request, kPortForward);
    return upgrade_to_websocket(request, {&kWrappedPortForward, 1});
}

std::optional<std::pair<int, int>> parse_terminal_size(std::string_view text) {
    boost::system::error_code error;
    const boost::json::value value = boost::json::parse(boost::json::string_view(text.data(), text.size()), error);
    if (error || !value.is_object()) return {};
    const auto* width = value.as_object().if_contains("Width");
    const auto* height = value.as_object().if_contains("Height");
    if (!width || !height || !width->is_int64() || !height->is_int64()) return {};
    constexpr std::int64_t kMax = 0xffff;
    if (width->as_int64() < 1 || width->as_int64() > kMax || height->as_int64() < 1 || height->as_int64() > kMax)
        return {};
    return std::pair(static_cast<int>(width->as_int64()), static_cast<int>(height->as_int64()));
}

std::string format_session_end(const Result<int>& end) {
    api::meta::Status status;
    if (!end.ok()) {
        Error error = end.error();
        error.message = "Internal error occurred: " + error.message;
        status = status_of(error);
        api::meta::StatusCause cause;
        cause.message = end.error().message;
        status.details.edit().causes.edit().push_back(std::move(cause));
    } else if (*end == 0) {
        status.status = "Success";
    } else {
        const std::string code = std::to_string(*end);
        status.status = "Failure";
        status.reason = "NonZeroExitCode";
        status.message = "command terminated with non-zero exit code: exit code " + code;
        api::meta::StatusCause cause;
        cause.reason = "ExitCode";
        cause.message = code;
        status.details.edit().causes.edit().push_back(std::move(cause));
    }
    return api::to_json(status);
}

}  // namespace muster::server
