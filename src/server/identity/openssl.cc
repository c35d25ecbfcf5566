#include "server/identity/openssl.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

#include <vector>

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

Result<KeyPtr> make_rsa_key(const std::atomic<bool>& given_up) {
    const KeyContextPtr context(EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr));
    CHECK(context && EVP_PKEY_keygen_init(context.get()) == 1 &&
          EVP_PKEY_CTX_set_rsa_keygen_bits(context.get(), 2048) == 1);
    EVP_PKEY_CTX_set_app_data(context.get(), const_cast<std::atomic<bool>*>(&given_up));
    EVP_PKEY_CTX_set_cb(context.get(), [](EVP_PKEY_CTX* made) {
        return static_cast<const std::atomic<bool>*>(EVP_PKEY_CTX_get_app_data(made))->load() ? 0 : 1;
    });
    EVP_PKEY* key = nullptr;
    const bool made = EVP_PKEY_generate(context.get(), &key) == 1;
    if (made) return KeyPtr(key);
    ERR_clear_error();
    CHECK(given_up, "OpenSSL cannot make a key");
    return Error{Code::kCancelled, "the key is not wanted any more"};
}

std::string contents_of(BIO* bio) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    return std::string(data, static_cast<std::size_t>(size));
}

std::string key_to_pem(const EVP_PKEY* key) {
    const BioPtr bio(BIO_new(BIO_s_secmem()));
    const bool written =
        EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA
            ? PEM_write_bio_PrivateKey_traditional(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1
            : PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1;
    CHECK(written, "OpenSSL cannot write a key");
    return contents_of(bio.get());
}

BioPtr read_from(std::string_view text) {
    BioPtr bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
    CHECK(bio);
    return bio;
}

namespace {

// Whether the public part verifies what the private part signs: a damaged file may hold two that do not belong
// together.
bool is_whole(EVP_PKEY* key) {
    constexpr unsigned char kText[] = "muster";
    const int type = EVP_PKEY_get_base_id(key);
    const EVP_MD* digest = type == EVP_PKEY_RSA || type == EVP_PKEY_EC ? EVP_sha256() : nullptr;
    const DigestContextPtr sign(EVP_MD_CTX_new());
    const DigestContextPtr verify(EVP_MD_CTX_new());
    std::vector<unsigned char> signature(static_cast<std::size_t>(EVP_PKEY_get_size(key)));
    std::size_t size = signature.size();
    return EVP_DigestSignInit(sign.get(), nullptr, digest, nullptr, key) == 1 &&
           EVP_DigestSign(sign.get(), signature.data(), &size, kText, sizeof(kText)) == 1 &&
           EVP_DigestVerifyInit(verify.get(), nullptr, digest, nullptr, key) == 1 &&
           EVP_DigestVerify(verify.get(), signature.data(), size, kText, sizeof(kText)) == 1;
}

}  // namespace

Result<KeyPtr> key_from_pem(std::string_view pem) {
    const BioPtr bio = read_from(pem);
    // An empty password keeps OpenSSL from asking the terminal for one.
    KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, const_cast<char*>("")));
    if (key && is_whole(key.get())) return key;
    ERR_clear_error();
    return Error{Code::kBadRequest, key ? "the private key in it is damaged" : "there is no private key in it"};
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
