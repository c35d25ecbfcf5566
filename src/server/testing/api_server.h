// An API server without a network: a test hands it requests and looks at what it answers. Time is virtual, and the disk
// as slow as a test wants it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/access/rbac/role_index.h"
#include "server/identity/certificate_authority.h"
#include "server/identity/stored_bound_objects.h"
#include "server/service/api_service.h"
#include "server/testing/api_objects.h"
#include "server/testing/http_talk.h"

namespace muster::server {

class ApiServer {
public:
    using Talk = std::shared_ptr<HttpTalk>;

    // Those who may ask: root, a master, and ann and bob, who may what bindings allow. Their tokens are their names.
    explicit ApiServer(ApiServiceOptions options = {}, Duration disk_delay = 5ms, store::StoreOptions stored = {},
                       AdmissionChain chain = default_admission())
        : api(stored, disk_delay, std::move(chain)) {
        options.kinds = api.kinds;
        options.audit = [this](std::string line) { audit.push_back(std::move(line)); };
        auto tokens = std::make_shared<const StaticTokens>(
            StaticTokens::parse("root,root,1,system:masters\nann,ann,2\nbob,bob,3\n").value());
        service = std::make_unique<ApiService>(
            api.loop,
            Services{api.objects, roles, bound, std::make_shared<const Authenticator>(std::move(tokens), nullptr),
                     signer},
            std::move(options));
    }

    // Hands over the request and runs what can run at once. An empty token sends none.
    Talk send(const std::string& token, std::string method, std::string target, std::string body = {},
              std::vector<os::HttpHeader> headers = {}, Talk talk = std::make_shared<HttpTalk>()) {
        if (!token.empty()) headers.push_back({"authorization", "Bearer " + token});
        service->serve(std::make_unique<TalkExchange>(
            make_request(std::move(method), std::move(target), std::move(body), std::move(headers)), talk));
        api.loop.run_until_idle();
        return talk;
    }
    // The same, until everything is on disk.
    Talk ask(const std::string& token, std::string method, std::string target, std::string body = {},
             std::vector<os::HttpHeader> headers = {}) {
        Talk talk = send(token, std::move(method), std::move(target), std::move(body), std::move(headers));
        api.settle();
        return talk;
    }

    ApiObjects api;
    RoleIndex roles{*api.store};
    StoredBoundObjects bound{*api.store};
    TokenSigner signer = TokenSigner::from_pem(signing_key()).value();
    std::vector<std::string> audit;
    std::unique_ptr<ApiService> service;

private:
    // Making one takes a while.
    static const std::string& signing_key() {
        static const std::string key = make_signing_key();
        return key;
    }
};

}  // namespace muster::server
