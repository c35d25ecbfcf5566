#include "server/identity/openssl.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>

namespace muster::server {

Error openssl_error(std::string_view doing) {
    const char* reason = ERR_reason_error_string(ERR_peek_last_error());
    std::string message = "cannot " + std::string(doing);
    if (reason) message.append(": ").append(reason);
    ERR_clear_error();
    return Error{Code::kInternal, std::move(message)};
}

KeyPtr make_key() {
    KeyPtr key(EVP_EC_gen("P-256"));
    CHECK(key, "OpenSSL cannot make a key");
    return key;
}

std::string contents_of(BIO* bio) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    return std::string(data, static_cast<std::size_t>(size));
}

std::string key_to_pem(const EVP_PKEY* key) {
    const BioPtr bio(BIO_new(BIO_s_secmem()));
    CHECK(bio && PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
    return contents_of(bio.get());
}

BioPtr read_from(std::string_view text) {
    BioPtr bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
    CHECK(bio);
    return bio;
}

Result<KeyPtr> key_from_pem(std::string_view pem) {
    const BioPtr bio = read_from(pem);
    // An empty password keeps OpenSSL from asking the terminal for one.
    KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, const_cast<char*>("")));
    if (key) return key;
    ERR_clear_error();
    return Error{Code::kBadRequest, "there is no private key in it"};
}

Sha256 sha256_of(std::string_view bytes) {
    Sha256 digest;
    CHECK(EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr) == 1);
    return digest;
}

std::string random_uuid() {
    std::array<unsigned char, 16> bytes;
    CHECK(RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1);
    bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0f) | 0x40);
    bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3f) | 0x80);
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string uuid;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) uuid += '-';
        uuid += kDigits[bytes[i] >> 4];
        uuid += kDigits[bytes[i] & 15];
    }
    return uuid;
}

}  // namespace muster::server
