// Carries requests to an API server: with fresh credentials, within the limit, and again when the server asks for that.
// Each request is sent at most once unless the server says that it did nothing with it: 401 (once more with fresh
// credentials), 429 and 503 with Retry-After. After a lost answer nothing is repeated: the caller has to find out.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/prng.h"
#include "client/remote/credentials.h"
#include "client/remote/limiter.h"
#include "os/http/client/http_client.h"
#include "os/loop/loop.h"
#include "os/network/network.h"

namespace muster::client {

struct TransportSettings {
    std::size_t connections = 64;  // requests under way at once, and connections that are kept; watches are beside them
    int retries_max = 10;          // of a request that the server asks to send again later
    std::string user_agent = "muster";
    ReadVariable variable{};  // of the environment, for proxies; none when not given
    ReadFile read_file{};     // for token files
};

// How long to wait before a request that was answered so is sent again; nothing: the answer is final. `chance` is from
// 0 to 1.
std::optional<Duration> retry_delay(const os::HttpAnswerHead& head, double chance);

class Transport {
public:
    // The first three must outlive it, and it must outlive its Tasks. Nothing is sent yet; kBadRequest when the access
    // cannot be used.
    static Result<std::unique_ptr<Transport>> make(os::Loop& loop, os::Network& network, os::Worker& worker,
                                                   const ServerAccess& access, TransportSettings settings = {});

    // Whole answers, whatever their status. Errors as of os::HttpClient, and those of credentials.
    os::Task<Result<os::HttpWholeAnswer>> send(os::HttpClientRequest request, RequestClass class_);
    // An answer that goes on. It takes no place: watches are few.
    os::Task<Result<std::unique_ptr<os::HttpIncoming>>> open(os::HttpClientRequest request);

private:
    Transport(os::Loop& loop, os::Network& network, os::Worker& worker, const ServerAccess& access,
              TransportSettings settings);
    // The connections for that certificate. Kept until it is another.
    Result<std::shared_ptr<os::HttpClient>> client_for(const Credential& credential);
    // Sets who asks.
    os::Task<Result<std::shared_ptr<os::HttpClient>>> prepare(os::HttpClientRequest& request);
    // Whether the request is to be sent once more, after the wait that the server asked for.
    os::Task<bool> again(const os::HttpAnswerHead& head, int& retries, bool& renewed);

    os::Loop& loop_;
    os::Network& network_;
    os::Worker& worker_;
    const TransportSettings settings_;
    Credentials credentials_;
    Limiter limiter_;
    Prng random_;
    os::HttpClientSettings http_settings_;
    Credential shown_;  // its certificate is that of client_
    std::shared_ptr<os::HttpClient> client_;
};

}  // namespace muster::client
