// Carries requests to an API server: with fresh credentials, within the limit, and again when the server asks for that.
// Each request is sent at most once unless the server says that it did nothing with it: 401 (once more with fresh
// credentials), 429 and 503 with Retry-After. A server that is not trusted was sent nothing: once more with the
// authorities as they are now. After a lost answer nothing is repeated: the caller has to find out.
#pragma once

#include <memory>
#include <string>

#include "client/remote/credentials.h"
#include "client/remote/limiter.h"
#include "client/remote/report/request_report.h"
#include "client/remote/retries.h"
#include "os/http/client/http_client.h"
#include "os/loop/loop.h"
#include "os/network/network.h"

namespace muster::client {

struct TransportSettings {
    std::size_t connections = 64;  // requests under way at once, and connections that are kept; watches are beside them
    int retries_max = 10;          // of a request that the server asks to send again later
    std::string user_agent = "muster";
    RequestRate rate{};       // of requests; watches are beside them
    ReadVariable variable{};  // of the environment, for proxies; none when not given
    ReadFile read_file{};     // for the files of an access
    Metrics* metrics{};       // counts requests under client-go's names; must outlive the transport
};

class Transport {
public:
    // The first three must outlive it, and it must outlive its Tasks. Nothing is sent yet; kBadRequest when the access
    // cannot be used.
    static Result<std::unique_ptr<Transport>> make(os::Loop& loop, os::Network& network, os::Worker& worker,
                                                   const ServerAccess& access, TransportSettings settings = {});

    // Whole answers, whatever their status. Errors as of os::HttpClient, and those of credentials.
    os::Task<Result<os::HttpWholeAnswer>> send(os::HttpClientRequest request, RequestTurn turn);
    // An answer that goes on. It takes no place: watches are few.
    os::Task<Result<std::unique_ptr<os::HttpIncoming>>> open(os::HttpClientRequest request);

    // Whether the server takes our credentials, as far as is known: kUnavailable before the first answer, kUnauthorized
    // while the last answer was a 401.
    Result<> check_credentials() const;

private:
    Transport(os::Loop& loop, os::Network& network, os::Worker& worker, const ServerAccess& access,
              TransportSettings settings);
    // The connections for these certificates. Kept until they are others that can be used.
    Result<std::shared_ptr<os::HttpClient>> client_for(const Credential& credential);
    // Sets who asks.
    os::Task<Result<std::shared_ptr<os::HttpClient>>> prepare(os::HttpClientRequest& request);
    // How often a request was sent again.
    struct Tries {
        int retries = 0;
        bool renewed = false;  // with fresh credentials
    };
    // Whether the request is to be sent once more, after the wait that the server asked for. `head` is null when there
    // is no answer but an error.
    os::Task<bool> again(const os::HttpAnswerHead* head, Code error, Tries& tries);

    os::Loop& loop_;
    os::Network& network_;
    os::Worker& worker_;
    const TransportSettings settings_;
    Credentials credentials_;
    Limiter limiter_;
    Retries retries_;
    RequestReport report_;
    int last_status_ = 0;  // of the last answer; 0: there was none
    os::HttpClientSettings http_settings_;
    Credential shown_;  // its certificates are those of client_, unless they cannot be used
    std::shared_ptr<os::HttpClient> client_;
};

}  // namespace muster::client
