// service_account_tokens.h's claims as JSON and back.
#include "api/codec/dom.h"
#include "api/text/json_text.h"
#include "server/identity/service_account_tokens.h"

namespace muster::server {
namespace {

void append_claim_member(std::string_view name, std::string_view value, std::string& out) {
    if (!out.ends_with('{')) out += ',';
    api::append_json_string(name, out);
    out += ':';
    api::append_json_string(value, out);
}

void append_claim_member(std::string_view name, std::int64_t value, std::string& out) {
    if (value == 0) return;
    if (!out.ends_with('{')) out += ',';
    api::append_json_string(name, out);
    out.append(":").append(std::to_string(value));
}

void append_claim(std::string_view name, const ObjectClaim& claim, std::string& out) {
    if (!out.ends_with('{')) out += ',';
    api::append_json_string(name, out);
    out += ":{";
    if (!claim.name.empty()) append_claim_member("name", claim.name, out);
    if (!claim.uid.empty()) append_claim_member("uid", claim.uid, out);
    out += '}';
}

// Reads members of an object, remembering whether one had another type than it should.
class Reader {
public:
    explicit Reader(const boost::json::object& object) : object_(object) {}

    bool failed() const { return failed_; }
    std::string text(std::string_view name) {
        const boost::json::value* value = object_.if_contains(name);
        if (!value || value->is_null()) return {};
        if (value->is_string()) return std::string(value->get_string());
        failed_ = true;
        return {};
    }
    // Seconds; a fraction is dropped, as other issuers may write one.
    std::int64_t seconds(std::string_view name) {
        const boost::json::value* value = object_.if_contains(name);
        if (!value || value->is_null()) return 0;
        const double number = value->is_int64()    ? static_cast<double>(value->get_int64())
                              : value->is_uint64() ? static_cast<double>(value->get_uint64())
                              : value->is_double() ? value->get_double()
                                                   : -1;
        constexpr double kYear9999 = 253402300799.0;
        if (!(number >= 0 && number <= kYear9999)) {
            failed_ = true;
            return 0;
        }
        return static_cast<std::int64_t>(number);
    }
    // One text or a list of them.
    std::vector<std::string> texts(std::string_view name) {
        const boost::json::value* value = object_.if_contains(name);
        if (!value || value->is_null()) return {};
        if (value->is_string()) return {std::string(value->get_string())};
        std::vector<std::string> all;
        if (value->is_array())
            for (const boost::json::value& item : value->get_array()) {
                if (!item.is_string()) failed_ = true;
                if (item.is_string()) all.emplace_back(item.get_string());
            }
        if (!value->is_array()) failed_ = true;
        return all;
    }
    const boost::json::object* object(std::string_view name) {
        const boost::json::value* value = object_.if_contains(name);
        if (!value || value->is_null()) return nullptr;
        if (!value->is_object()) failed_ = true;
        return value->if_object();
    }
    std::optional<ObjectClaim> claim(std::string_view name) {
        const boost::json::object* inner = object(name);
        if (!inner) return {};
        Reader reader(*inner);
        ObjectClaim claim{reader.text("name"), reader.text("uid")};
        failed_ = failed_ || reader.failed();
        return claim;
    }

private:
    const boost::json::object& object_;
    bool failed_ = false;
};

}  // namespace

std::string format_claims(const TokenClaims& claims) {
    std::string out = R"({"aud":[)";
    for (const std::string& audience : claims.audiences) {
        if (!out.ends_with('[')) out += ',';
        api::append_json_string(audience, out);
    }
    out += ']';
    append_claim_member("exp", claims.expires_at, out);
    append_claim_member("iat", claims.issued_at, out);
    append_claim_member("iss", claims.issuer, out);
    if (!claims.id.empty()) append_claim_member("jti", claims.id, out);
    out += R"(,"kubernetes.io":{)";
    append_claim_member("namespace", claims.namespace_, out);
    if (claims.node) append_claim("node", *claims.node, out);
    if (claims.pod) append_claim("pod", *claims.pod, out);
    if (claims.secret) append_claim("secret", *claims.secret, out);
    append_claim("serviceaccount", claims.service_account, out);
    append_claim_member("warnafter", claims.warn_after, out);
    out += '}';
    append_claim_member("nbf", claims.not_before, out);
    append_claim_member("sub", service_account_user_name(claims.namespace_, claims.service_account.name), out);
    return out + "}";
}

Result<TokenClaims> parse_claims(std::string_view json) {
    const Error unreadable{Code::kUnauthorized, "the token's claims cannot be read"};
    const Result<boost::json::value> parsed = api::parse_dom(json, {.bytes_max = kTokenBytesMax, .depth_max = 32});
    if (!parsed.ok() || !parsed->is_object()) return unreadable;
    Reader all(parsed->get_object());
    TokenClaims claims;
    claims.issuer = all.text("iss");
    claims.id = all.text("jti");
    claims.audiences = all.texts("aud");
    claims.issued_at = all.seconds("iat");
    claims.not_before = all.seconds("nbf");
    claims.expires_at = all.seconds("exp");
    const boost::json::object* own = all.object("kubernetes.io");
    if (all.failed()) return unreadable;
    if (!own) return claims;
    Reader kubernetes(*own);
    claims.namespace_ = kubernetes.text("namespace");
    claims.service_account = kubernetes.claim("serviceaccount").value_or(ObjectClaim{});
    claims.pod = kubernetes.claim("pod");
    claims.secret = kubernetes.claim("secret");
    claims.node = kubernetes.claim("node");
    claims.warn_after = kubernetes.seconds("warnafter");
    if (kubernetes.failed()) return unreadable;
    return claims;
}

}  // namespace muster::server
