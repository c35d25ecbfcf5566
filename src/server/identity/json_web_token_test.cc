#include "server/identity/json_web_token.h"

#include <gtest/gtest.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <boost/json/parse.hpp>

#include "api/codec/base64.h"
#include "server/identity/certificate_authority.h"
#include "server/identity/openssl.h"

namespace muster::server {
namespace json_web_token_test {

std::string rsa_key(int bits) { return key_to_pem(KeyPtr(EVP_RSA_gen(static_cast<unsigned>(bits))).get()); }

std::string public_part(const std::string& pem) {
    const BioPtr bio(BIO_new(BIO_s_mem()));
    CHECK(PEM_write_bio_PUBKEY(bio.get(), key_from_pem(pem)->get()) == 1);
    return contents_of(bio.get());
}

const std::string& elliptic_key() {
    static const std::string pem = make_signing_key();
    return pem;
}

std::string signed_with(const std::string& pem, std::string_view payload) {
    return TokenSigner::from_pem(pem)->sign(payload).value();
}
bool verifies(const std::string& keys, std::string_view token) { return TokenKeys::from_pem(keys)->verify(token).ok(); }

TEST(JsonWebToken, WhatWasSignedIsVerifiedWithThePublicKeyAlone) {
    for (const std::string& key : {elliptic_key(), rsa_key(2048)}) {
        const std::string token = signed_with(key, R"({"a":1})");
        EXPECT_EQ(TokenKeys::from_pem(public_part(key))->verify(token).value(), R"({"a":1})");
        EXPECT_EQ(read_unverified_payload(token).value(), R"({"a":1})");
    }
}

TEST(JsonWebToken, ATokenOfAnEarlierKeyIsVerifiedWhileTheKeyIsKept) {
    const std::string earlier = make_signing_key();
    const std::string token = signed_with(earlier, "{}");
    EXPECT_TRUE(verifies(elliptic_key() + earlier, token));
    EXPECT_FALSE(verifies(elliptic_key(), token));
    // The first key signs.
    EXPECT_TRUE(verifies(elliptic_key(), signed_with(elliptic_key() + earlier, "{}")));
}

// The public key that a JSON Web Key says, in PEM.
std::string key_of(const boost::json::object& key) {
    const auto number = [&](const char* name) {
        std::string text = key.at(name).as_string().c_str();
        for (char& c : text) c = c == '-' ? '+' : c == '_' ? '/' : c;
        text.append((4 - text.size() % 4) % 4, '=');
        std::string raw;
        CHECK(api::decode_base64(text, raw));
        return raw;
    };
    const std::unique_ptr<OSSL_PARAM_BLD, FreeWith<&OSSL_PARAM_BLD_free>> builder(OSSL_PARAM_BLD_new());
    const bool elliptic = key.at("kty") == "EC";
    std::vector<BIGNUM*> numbers;
    std::string point;
    if (elliptic) {
        point = "\x04" + number("x") + number("y");
        OSSL_PARAM_BLD_push_utf8_string(builder.get(), "group", "prime256v1", 0);
        OSSL_PARAM_BLD_push_octet_string(builder.get(), "pub", point.data(), point.size());
    } else {
        for (const char* name : {"n", "e"}) {
            const std::string raw = number(name);
            numbers.push_back(
                BN_bin2bn(reinterpret_cast<const unsigned char*>(raw.data()), static_cast<int>(raw.size()), nullptr));
            OSSL_PARAM_BLD_push_BN(builder.get(), name, numbers.back());
        }
    }
    OSSL_PARAM* parameters = OSSL_PARAM_BLD_to_param(builder.get());
    EVP_PKEY_CTX* context = EVP_PKEY_CTX_new_from_name(nullptr, elliptic ? "EC" : "RSA", nullptr);
    EVP_PKEY* made = nullptr;
    CHECK(EVP_PKEY_fromdata_init(context) == 1 &&
          EVP_PKEY_fromdata(context, &made, EVP_PKEY_PUBLIC_KEY, parameters) == 1);
    const KeyPtr owned(made);
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    for (BIGNUM* used : numbers) BN_free(used);
    const BioPtr bio(BIO_new(BIO_s_mem()));
    CHECK(PEM_write_bio_PUBKEY(bio.get(), made) == 1);
    return contents_of(bio.get());
}

TEST(JsonWebToken, ThePublicKeysAloneAreTold) {
    const std::string rsa = rsa_key(2048);
    const TokenKeys keys = TokenKeys::from_pem(elliptic_key() + rsa).value();
    EXPECT_EQ(keys.algorithms(), (std::vector<std::string>{"ES256", "RS256"}));
    const auto set = boost::json::parse(keys.public_key_set()).at("keys").as_array();
    ASSERT_EQ(set.size(), 2u);
    EXPECT_EQ(set[0].at("kid").as_string(), TokenSigner::from_pem(elliptic_key())->key_id());
    EXPECT_EQ(set[0].at("use"), "sig");
    EXPECT_FALSE(set[0].as_object().contains("d"));
    EXPECT_EQ(key_of(set[0].as_object()), public_part(elliptic_key()));
    EXPECT_EQ(key_of(set[1].as_object()), public_part(rsa));
}

TEST(JsonWebToken, NothingOfATokenCanBeChanged) {
    const std::string token = signed_with(elliptic_key(), R"({"sub":"ann"})");
    const TokenKeys keys = TokenKeys::from_pem(elliptic_key()).value();
    for (std::size_t i = 0; i < token.size(); ++i) {
        std::string forged = token;
        forged[i] = forged[i] == 'A' ? 'B' : 'A';
        const auto result = keys.verify(forged);
        ASSERT_FALSE(result.ok()) << i;
        EXPECT_EQ(result.error().code, Code::kUnauthorized);
    }
    EXPECT_FALSE(keys.verify(token + "=").ok());
    EXPECT_FALSE(keys.verify(token.substr(0, token.size() - 1)).ok());
    EXPECT_FALSE(keys.verify("\n" + token).ok());
}

// base64url of {"alg":"none"}, {"alg":"HS256"} and so on before a payload of {}.
TEST(JsonWebToken, TheAlgorithmIsTheKeysAndNotTheTokens) {
    const TokenKeys keys = TokenKeys::from_pem(elliptic_key()).value();
    for (const char* token : {"eyJhbGciOiJub25lIn0.e30.", "eyJhbGciOiJub25lIn0.e30.AA", "eyJhbGciOiJIUzI1NiJ9.e30.AA",
                              "eyJhbGciOiJFUzI1NiJ9.e30.AA", "eyJhbGciOiJFUzI1NiJ9.e30.", "..", "a.b", "a.b.c.d", ""})
        EXPECT_FALSE(keys.verify(token).ok()) << token;
}

TEST(JsonWebToken, OnlyKeysThatAreStrongEnoughAreTaken) {
    EXPECT_FALSE(TokenSigner::from_pem(rsa_key(1024)).ok());
    EXPECT_FALSE(TokenSigner::from_pem(key_to_pem(KeyPtr(EVP_EC_gen("P-384")).get())).ok());
    EXPECT_FALSE(TokenSigner::from_pem("").ok());
    EXPECT_FALSE(TokenKeys::from_pem("").ok());
    EXPECT_FALSE(TokenKeys::from_pem("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n").ok());
}

}  // namespace json_web_token_test
}  // namespace muster::server
