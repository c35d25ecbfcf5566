#include "server/rest/streams/remote_command.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <span>

#include "api/codec/encode.h"
#include "base/ascii.h"
#include "os/http/websocket.h"
#include "server/rest/failure.h"

namespace muster::server {
namespace {

// A protocol by its name; without one it is what is spoken with a client that names none.
struct Spoken {
    std::string_view name;
    Protocol protocol;
};
// The best first.
constexpr Spoken kSessionProtocols[] = {{"v5.channel.k8s.io", Protocol::kWebSocketV5},
                                        {"v4.channel.k8s.io", Protocol::kWebSocketV4},
                                        {"v4.base64.channel.k8s.io", Protocol::kWebSocketV4Base64},
                                        {"channel.k8s.io", Protocol::kWebSocketV1},
                                        {"base64.channel.k8s.io", Protocol::kWebSocketV1Base64},
                                        {"", Protocol::kWebSocketV1}};
// Clients that offer v4 and v5 know only the former from kubelets.
constexpr Spoken kPortForwardProtocols[] = {{"SPDY/3.1+portforward.k8s.io", Protocol::kSpdyInWebSocket},
                                            {"v4.channel.k8s.io", Protocol::kWebSocketV4},
                                            {"v4.base64.channel.k8s.io", Protocol::kWebSocketV4Base64},
                                            {"v5.channel.k8s.io", Protocol::kWebSocketV5},
                                            {"", Protocol::kWebSocketV4}};
constexpr Spoken kBytesProtocols[] = {
    {"binary.k8s.io", Protocol::kBytes}, {"base64.binary.k8s.io", Protocol::kBytesBase64}, {"", Protocol::kBytes}};
// Each has two channels, and 255 is no channel.
constexpr std::size_t kForwardedPortsMax = 127;
constexpr std::string_view kSpdySession = "v4.channel.k8s.io";
constexpr std::string_view kSpdyPortForward = "portforward.k8s.io";

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

// The words of "a, b".
std::vector<std::string_view> split_list(std::string_view text) {
    std::vector<std::string_view> words;
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        if (const std::string_view word = trimmed(rest.substr(0, comma)); !word.empty()) words.push_back(word);
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return words;
}

// The words of a header that is a list, maybe sent in several lines.
std::vector<std::string_view> words_of(const os::HttpRequest& request, std::string_view name) {
    std::vector<std::string_view> words;
    for (const os::HttpHeader& header : request.headers) {
        if (header.name != name) continue;
        const std::vector<std::string_view> more = split_list(header.value);
        words.insert(words.end(), more.begin(), more.end());
    }
    return words;
}

bool lists(const os::HttpRequest& request, std::string_view name, std::string_view word, bool in_any_case) {
    const std::vector<std::string_view> words = words_of(request, name);
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view each) { return in_any_case ? lower(each) == word : each == word; });
}

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

Result<Upgrade> make_upgrade(const os::HttpRequest& request, const Spoken& spoken) {
    if (!asks_for_websocket(request)) return Error{Code::kBadRequest, "Upgrade request required"};
    if (request.header("sec-websocket-version") != "13")
        return Error{Code::kBadRequest, "unable to upgrade: only version 13 of WebSocket is spoken"};
    const auto accept = os::websocket_accept(request.header("sec-websocket-key"));
    if (!accept) return Error{Code::kBadRequest, "unable to upgrade: Sec-WebSocket-Key is not a key"};
    Upgrade upgrade;
    upgrade.head.status = 101;
    upgrade.head.headers = {{"Upgrade", "websocket"}, {"Sec-WebSocket-Accept", *accept}};
    if (!spoken.name.empty()) upgrade.head.headers.push_back({"Sec-WebSocket-Protocol", std::string(spoken.name)});
    upgrade.protocol = spoken.protocol;
    return upgrade;
}

// To the first of the protocols that the client speaks, too.
Result<Upgrade> upgrade_to_websocket(const os::HttpRequest& request, std::span<const Spoken> protocols) {
    const std::vector<std::string_view> offered = words_of(request, "sec-websocket-protocol");
    std::string names;
    for (const Spoken& spoken : protocols) {
        const bool is_offered = std::find(offered.begin(), offered.end(), spoken.name) != offered.end();
        if (spoken.name.empty() ? offered.empty() : is_offered) return make_upgrade(request, spoken);
        if (!spoken.name.empty()) names.append(names.empty() ? "" : ", ").append(spoken.name);
    }
    return Error{Code::kBadRequest, "unable to upgrade: the protocols spoken here are " + names + ", not \"" +
                                        std::string(request.header("sec-websocket-protocol")) + '"'};
}

api::meta::Status session_end_status(const Result<int>& end) {
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
    return status;
}

}  // namespace

bool is_base64(Protocol protocol) {
    return protocol == Protocol::kWebSocketV4Base64 || protocol == Protocol::kWebSocketV1Base64 ||
           protocol == Protocol::kBytesBase64;
}

Result<client::SessionRequest> parse_session_request(const Query& query, bool needs_command) {
    client::SessionRequest request;
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
    if (asks_for_spdy(request)) return upgrade_to_spdy(request, kSpdySession);
    return upgrade_to_websocket(request, kSessionProtocols);
}

Result<Upgrade> negotiate_port_forward(const os::HttpRequest& request) {
    if (asks_for_spdy(request)) return upgrade_to_spdy(request, kSpdyPortForward);
    return upgrade_to_websocket(request, kPortForwardProtocols);
}

Result<std::vector<std::uint16_t>> parse_forwarded_ports(const Query& query) {
    std::vector<std::uint16_t> ports;
    for (const std::string& value : query.all("ports")) {
        for (const std::string_view text : split_list(value)) {
            std::uint16_t port = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
            if (error != std::errc() || end != text.data() + text.size() || port == 0)
                return Error{Code::kBadRequest, "unable to parse \"" + value + "\" as a port"};
            ports.push_back(port);
        }
    }
    if (ports.size() > kForwardedPortsMax)
        return Error{Code::kBadRequest,
                     "one request forwards at most " + std::to_string(kForwardedPortsMax) + " ports"};
    if (ports.empty()) return Error{Code::kBadRequest, "query parameter \"ports\" is required"};
    return ports;
}

bool asks_for_websocket(const os::HttpRequest& request) {
    return lists(request, "connection", "upgrade", true) && lists(request, "upgrade", "websocket", true);
}

Result<Upgrade> negotiate_watch(const os::HttpRequest& request) {
    const std::vector<std::string_view> offered = words_of(request, "sec-websocket-protocol");
    return make_upgrade(request, {offered.empty() ? "" : offered.front(), Protocol::kBytes});
}

Result<Upgrade> negotiate_bytes(const os::HttpRequest& request) {
    return upgrade_to_websocket(request, kBytesProtocols);
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

std::string format_session_end(const Result<int>& end) { return api::to_json(session_end_status(end)); }

std::string describe_session_end(const Result<int>& end) { return session_end_status(end).message.str(); }

}  // namespace muster::server
