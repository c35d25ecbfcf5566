// OpenSSL's objects with owners, and the few calls on them that several files of this folder make. For their .cc files
// only.
#pragma once

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::server {

template <auto Free>
struct FreeWith {
    template <class T>
    void operator()(T* object) const {
        Free(object);
    }
};
using BioPtr = std::unique_ptr<BIO, FreeWith<&BIO_free_all>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, FreeWith<&EVP_PKEY_free>>;
using KeyContextPtr = std::unique_ptr<EVP_PKEY_CTX, FreeWith<&EVP_PKEY_CTX_free>>;
using DigestContextPtr = std::unique_ptr<EVP_MD_CTX, FreeWith<&EVP_MD_CTX_free>>;
using X509Ptr = std::unique_ptr<X509, FreeWith<&X509_free>>;

// kInternal with what OpenSSL says of its last failure, whose queue is emptied. Never has key material in it.
Error openssl_error(std::string_view doing);

// P-256. CHECKs: without entropy nothing is worth going on.
KeyPtr make_key();
// Of 2048 bits. Takes a tenth of a second, or several. kCancelled when `given_up` becomes true before it is made.
Result<KeyPtr> make_rsa_key(const std::atomic<bool>& given_up);
// RSA as PKCS#1, which is what most clients of other languages read; other keys as PKCS#8.
std::string key_to_pem(const EVP_PKEY* key);
// kBadRequest.
Result<KeyPtr> key_from_pem(std::string_view pem);
// A stream that reads the text, which must outlive it.
BioPtr read_from(std::string_view text);
// Everything that was written to a memory stream.
std::string contents_of(BIO* bio);

using Sha256 = std::array<unsigned char, 32>;
Sha256 sha256_of(std::string_view bytes);
// Version 4, from OpenSSL's entropy.
std::string random_uuid();

}  // namespace muster::server
