#include "os/machine/digest.h"

#include <openssl/evp.h>
#include <zlib.h>

#include <memory>

#include "base/check.h"

namespace muster::os {
namespace {

// Looked up by its name once: OpenSSL takes longer for that than for the digest of a few bytes.
const EVP_MD* sha256() {
    static const EVP_MD* const kind = ::EVP_MD_fetch(nullptr, "SHA256", nullptr);
    return kind;
}

struct FreeContext {
    void operator()(EVP_MD_CTX* context) const { ::EVP_MD_CTX_free(context); }
};

std::string digest_hex(const EVP_MD* kind, std::string_view bytes) {
    // Kept: to make a context takes longer than a short digest.
    thread_local const std::unique_ptr<EVP_MD_CTX, FreeContext> context(::EVP_MD_CTX_new());
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    CHECK(context != nullptr && ::EVP_DigestInit_ex(context.get(), kind, nullptr) == 1 &&
          ::EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == 1 &&
          ::EVP_DigestFinal_ex(context.get(), digest, &size) == 1);
    constexpr char kDigits[] = "0123456789abcdef";
    std::string hex;
    hex.reserve(2 * size);
    for (unsigned int i = 0; i < size; ++i) {
        hex += kDigits[digest[i] >> 4];
        hex += kDigits[digest[i] & 15];
    }
    return hex;
}

}  // namespace

std::string sha256_hex(std::string_view bytes) { return digest_hex(sha256(), bytes); }
std::string sha1_hex(std::string_view bytes) { return digest_hex(EVP_sha1(), bytes); }

std::uint32_t crc32(std::string_view bytes) {
    return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

}  // namespace muster::os
