// The API server as pods see it: its address, its certificate authority, and the function that makes tokens.
#pragma once

#include <functional>
#include <string>

#include "api/kinds/authentication.h"
#include "base/result.h"

namespace muster::node {

struct ApiPoint {
    // "https://127.0.0.1:6443", or empty while the server does not listen. Null: pods cannot reach a server.
    std::function<std::string()> server{};
    std::string authority{};  // PEM
    // A token of the account; the request comes back with its status filled.
    std::function<Result<api::authentication::TokenRequest>(const Text& namespace_, const Text& account,
                                                            api::authentication::TokenRequest request)>
        request_token{};
};

}  // namespace muster::node
