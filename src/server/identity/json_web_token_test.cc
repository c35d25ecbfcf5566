#include "server/identity/json_web_token.h"

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "server/identity/certificate_authority.h"
#include "server/identity/openssl.h"

namespace muster::server {
namespace {

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

}  // namespace
}  // namespace muster::server
