#include "server/openid.h"

#include "api/text/json_text.h"

namespace muster::server {
namespace {

constexpr const char* kKeysPath = "/openid/v1/jwks";

std::string describe_issuer(const TokenVerifier& verifier, const std::string& address) {
    std::string json = R"({"issuer":)";
    api::append_json_string(verifier.issuer(), json);
    json += R"(,"jwks_uri":)";
    api::append_json_string("https://" + address + kKeysPath, json);
    json += R"(,"response_types_supported":["id_token"],"subject_types_supported":["public"])";
    json += R"(,"id_token_signing_alg_values_supported":[)";
    for (const std::string& algorithm : verifier.keys().algorithms()) {
        if (!json.ends_with('[')) json += ',';
        api::append_json_string(algorithm, json);
    }
    return json + "]}";
}

// Keys change rarely, and a verifier that does not know one asks again.
Answer cached(const char* content_type, std::string body) {
    Answer answer{200, content_type, std::move(body)};
    answer.headers.push_back({"Cache-Control", "public, max-age=3600"});
    return answer;
}

}  // namespace

std::optional<Answer> answer_openid(const TokenVerifier* verifier, const Target& target, const std::string& address) {
    if (!verifier) return std::nullopt;
    if (target.path() == kKeysPath) return cached("application/jwk-set+json", verifier->keys().public_key_set());
    if (target.path() == "/.well-known/openid-configuration")
        return cached("application/json", describe_issuer(*verifier, address));
    return std::nullopt;
}

}  // namespace muster::server
