#include "server/identity/json_web_token.h"

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <algorithm>

#include "api/codec/base64.h"
#include "api/codec/dom.h"
#include "server/identity/openssl.h"

namespace muster::server {

struct TokenKey {
    KeyPtr key;
    std::string id;
    bool elliptic = false;  // ES256, else RS256

    const char* algorithm() const { return elliptic ? "ES256" : "RS256"; }
};

namespace {

using EcdsaPtr = std::unique_ptr<ECDSA_SIG, FreeWith<&ECDSA_SIG_free>>;
constexpr std::size_t kNumberBytes = 32;  // of each of the two in an ES256 signature

std::string base64url_of(std::string_view bytes) {
    std::string text;
    api::append_base64(bytes, text);
    while (text.ends_with('=')) text.pop_back();
    std::replace(text.begin(), text.end(), '+', '-');
    std::replace(text.begin(), text.end(), '/', '_');
    return text;
}

// False when it is not base64url, or padded, or could be written in another way: each token has one spelling.
bool decode_base64url(std::string_view text, std::string& out) {
    std::string standard(text);
    for (char& c : standard) {
        if (c == '+' || c == '/' || c == '=' || c == '\n' || c == '\r') return false;
        if (c == '-') c = '+';
        if (c == '_') c = '/';
    }
    standard.append((4 - standard.size() % 4) % 4, '=');
    out.clear();
    return api::decode_base64(standard, out) && base64url_of(out) == text;
}

struct Parts {
    std::string_view header;
    std::string_view payload;
    std::string_view signature;
    std::string_view signed_part;
};
Result<Parts> split(std::string_view token) {
    const std::size_t first = token.find('.');
    const std::size_t second = first == std::string_view::npos ? first : token.find('.', first + 1);
    if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos ||
        token.size() > kTokenBytesMax)
        return Error{Code::kBadRequest, "it is not a JSON Web Token"};
    return Parts{token.substr(0, first), token.substr(first + 1, second - first - 1), token.substr(second + 1),
                 token.substr(0, second)};
}

Result<std::shared_ptr<const TokenKey>> wrap(KeyPtr key) {
    auto wrapped = std::make_shared<TokenKey>();
    const int type = EVP_PKEY_get_base_id(key.get());
    char curve[32] = "";
    if (type == EVP_PKEY_EC) EVP_PKEY_get_group_name(key.get(), curve, sizeof(curve), nullptr);
    wrapped->elliptic = type == EVP_PKEY_EC;
    if (wrapped->elliptic ? std::string_view(curve) != "prime256v1"
                          : type != EVP_PKEY_RSA || EVP_PKEY_get_bits(key.get()) < 2048)
        return Error{Code::kBadRequest, "only keys of P-256 and of RSA with 2048 bits or more sign tokens"};
    unsigned char* der = nullptr;
    const int size = i2d_PUBKEY(key.get(), &der);
    CHECK(size > 0);
    const Sha256 digest = sha256_of({reinterpret_cast<const char*>(der), static_cast<std::size_t>(size)});
    OPENSSL_free(der);
    wrapped->id = base64url_of({reinterpret_cast<const char*>(digest.data()), digest.size()});
    wrapped->key = std::move(key);
    return std::shared_ptr<const TokenKey>(std::move(wrapped));
}

// Two numbers of 32 bytes one after the other, instead of OpenSSL's DER.
Result<std::string> raw_from_der(std::string_view der) {
    const unsigned char* bytes = reinterpret_cast<const unsigned char*>(der.data());
    const EcdsaPtr signature(d2i_ECDSA_SIG(nullptr, &bytes, static_cast<long>(der.size())));
    if (!signature) return openssl_error("read a signature");
    std::string raw(2 * kNumberBytes, '\0');
    unsigned char* out = reinterpret_cast<unsigned char*>(raw.data());
    CHECK(BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), out, kNumberBytes) == static_cast<int>(kNumberBytes));
    CHECK(BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), out + kNumberBytes, kNumberBytes) ==
          static_cast<int>(kNumberBytes));
    return raw;
}

// Empty when it has not the right length.
std::string der_from_raw(std::string_view raw) {
    if (raw.size() != 2 * kNumberBytes) return {};
    const unsigned char* bytes = reinterpret_cast<const unsigned char*>(raw.data());
    const EcdsaPtr signature(ECDSA_SIG_new());
    CHECK(signature && ECDSA_SIG_set0(signature.get(), BN_bin2bn(bytes, kNumberBytes, nullptr),
                                      BN_bin2bn(bytes + kNumberBytes, kNumberBytes, nullptr)) == 1);
    unsigned char* der = nullptr;
    const int size = i2d_ECDSA_SIG(signature.get(), &der);
    if (size <= 0) return {};
    std::string text(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
    OPENSSL_free(der);
    return text;
}

bool is_signed(const TokenKey& key, std::string_view text, std::string_view signature) {
    const std::string der = key.elliptic ? der_from_raw(signature) : std::string(signature);
    const DigestContextPtr context(EVP_MD_CTX_new());
    const bool is = !der.empty() && context &&
                    EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key.key.get()) == 1 &&
                    EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(der.data()), der.size(),
                                     reinterpret_cast<const unsigned char*>(text.data()), text.size()) == 1;
    ERR_clear_error();
    return is;
}

// A number of the public key, in the length that its kind of key has; for RSA as many bytes as it needs.
std::string key_number(const TokenKey& key, const char* parameter, std::size_t bytes = 0) {
    BIGNUM* number = nullptr;
    CHECK(EVP_PKEY_get_bn_param(key.key.get(), parameter, &number) == 1, parameter);
    std::string raw(bytes ? bytes : static_cast<std::size_t>(BN_num_bytes(number)), '\0');
    CHECK(BN_bn2binpad(number, reinterpret_cast<unsigned char*>(raw.data()), static_cast<int>(raw.size())) > 0);
    BN_free(number);
    return base64url_of(raw);
}

std::string public_key(const TokenKey& key) {
    std::string json = R"({"use":"sig","kid":")" + key.id + R"(","alg":")" + key.algorithm() + "\",";
    if (key.elliptic)
        return json + R"("kty":"EC","crv":"P-256","x":")" + key_number(key, OSSL_PKEY_PARAM_EC_PUB_X, kNumberBytes) +
               R"(","y":")" + key_number(key, OSSL_PKEY_PARAM_EC_PUB_Y, kNumberBytes) + "\"}";
    return json + R"("kty":"RSA","n":")" + key_number(key, OSSL_PKEY_PARAM_RSA_N) + R"(","e":")" +
           key_number(key, OSSL_PKEY_PARAM_RSA_E) + "\"}";
}

struct Header {
    std::string algorithm;
    std::string key_id;
};
Result<Header> read_header(std::string_view encoded) {
    const Error unreadable{Code::kUnauthorized, "the token's header cannot be read"};
    std::string json;
    if (!decode_base64url(encoded, json)) return unreadable;
    const Result<boost::json::value> parsed = api::parse_dom(json, {.bytes_max = 4096, .depth_max = 16});
    const boost::json::object* object = parsed.ok() ? parsed->if_object() : nullptr;
    if (!object) return unreadable;
    Header header;
    // Extensions that must be understood, and we understand none.
    if (object->contains("crit")) return unreadable;
    if (const auto* value = object->if_contains("alg"); value && value->is_string())
        header.algorithm = std::string(value->get_string());
    if (const auto* value = object->if_contains("kid"); value && value->is_string())
        header.key_id = std::string(value->get_string());
    return header;
}

}  // namespace

Result<TokenSigner> TokenSigner::from_pem(std::string_view pem) {
    TRY_ASSIGN(KeyPtr key, key_from_pem(pem));
    TokenSigner signer;
    TRY_ASSIGN(signer.key_, wrap(std::move(key)));
    return signer;
}

const std::string& TokenSigner::key_id() const { return key_->id; }

Result<std::string> TokenSigner::sign(std::string_view payload_json) const {
    std::string token =
        base64url_of(std::string(R"({"alg":")") + key_->algorithm() + R"(","kid":")" + key_->id + R"("})");
    token.append(".").append(base64url_of(payload_json));
    const DigestContextPtr context(EVP_MD_CTX_new());
    const auto* text = reinterpret_cast<const unsigned char*>(token.data());
    std::size_t size = 0;
    if (!context || EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_->key.get()) != 1 ||
        EVP_DigestSign(context.get(), nullptr, &size, text, token.size()) != 1)
        return openssl_error("sign a token");
    std::string signature(size, '\0');
    if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, text, token.size()) !=
        1)
        return openssl_error("sign a token");
    signature.resize(size);
    if (key_->elliptic) {
        TRY_ASSIGN(signature, raw_from_der(signature));
    }
    return token + "." + base64url_of(signature);
}

Result<TokenKeys> TokenKeys::from_pem(std::string_view pem) {
    TokenKeys keys;
    constexpr std::string_view kBegin = "-----BEGIN ";
    for (std::size_t at = pem.find(kBegin); at != std::string_view::npos;) {
        const std::size_t next = pem.find(kBegin, at + 1);
        const std::string_view block = pem.substr(at, next == std::string_view::npos ? next : next - at);
        at = next;
        const BioPtr bio = read_from(block);
        KeyPtr key;
        if (block.substr(0, block.find('\n')).find("PUBLIC KEY") != std::string_view::npos) {
            key.reset(PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr));
        } else {
            TRY_ASSIGN(key, key_from_pem(block));
        }
        if (!key) return Error{Code::kBadRequest, openssl_error("read a public key").message};
        TRY_ASSIGN(auto wrapped, wrap(std::move(key)));
        keys.keys_.push_back(std::move(wrapped));
    }
    if (keys.keys_.empty()) return Error{Code::kBadRequest, "there is no key in it"};
    return keys;
}

Result<std::string> TokenKeys::verify(std::string_view token) const {
    Result<Parts> parts = split(token);
    if (!parts.ok()) return Error{Code::kUnauthorized, parts.error().message};
    TRY_ASSIGN(const Header header, read_header(parts->header));
    std::string signature;
    std::string payload;
    if (!decode_base64url(parts->signature, signature) || !decode_base64url(parts->payload, payload))
        return Error{Code::kUnauthorized, "the token cannot be read"};
    bool known = false;
    for (const auto& key : keys_) {
        if (!header.key_id.empty() && header.key_id != key->id) continue;
        known = true;
        // The algorithm is the key's, never the token's choice.
        if (header.algorithm == key->algorithm() && is_signed(*key, parts->signed_part, signature)) return payload;
    }
    return Error{Code::kUnauthorized, known ? "invalid signature" : "invalid signature, no keys found"};
}

std::string TokenKeys::public_key_set() const {
    std::string json = R"({"keys":[)";
    for (const auto& key : keys_) json.append(json.ends_with('[') ? "" : ",").append(public_key(*key));
    return json + "]}";
}

std::vector<std::string> TokenKeys::algorithms() const {
    std::vector<std::string> names;
    for (const auto& key : keys_) names.emplace_back(key->algorithm());
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

Result<std::string> read_unverified_payload(std::string_view token) {
    TRY_ASSIGN(const Parts parts, split(token));
    std::string payload;
    if (!decode_base64url(parts.payload, payload)) return Error{Code::kBadRequest, "it is not a JSON Web Token"};
    return payload;
}

}  // namespace muster::server
