#include "os/http/tls_context.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace muster::os {
namespace {

template <auto kFree>
struct FreeWith {
    template <class T>
    void operator()(T* held) const {
        kFree(held);
    }
};
using Bio = std::unique_ptr<BIO, FreeWith<BIO_free>>;
using Certificate = std::unique_ptr<X509, FreeWith<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>>;

Error refusal(const std::string& what) {
    const std::string reason = take_openssl_error();
    return {Code::kBadRequest, reason.empty() ? what : what + ": " + reason};
}

Bio bio_of(const std::string& text) { return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

// Without it OpenSSL would ask for a pass phrase on the terminal.
int no_passphrase(char*, int, int, void*) { return 0; }

Certificate next_certificate(BIO& pem) {
    Certificate certificate(PEM_read_bio_X509(&pem, nullptr, no_passphrase, nullptr));
    if (!certificate) ERR_clear_error();  // the end of the text is an error to it
    return certificate;
}

Result<> use_identity(SSL_CTX& context, const TlsIdentity& identity) {
    const Bio chain = bio_of(identity.certificate_chain);
    const Certificate leaf = next_certificate(*chain);
    if (!leaf) return refusal("there is no certificate in the chain's PEM text");
    if (SSL_CTX_use_certificate(&context, leaf.get()) != 1) return refusal("the certificate cannot be used");
    while (const Certificate signer = next_certificate(*chain))
        if (SSL_CTX_add1_chain_cert(&context, signer.get()) != 1) return refusal("the chain cannot be used");
    const Key key(PEM_read_bio_PrivateKey(bio_of(identity.key).get(), nullptr, no_passphrase, nullptr));
    if (!key) return refusal("there is no private key in the key's PEM text");
    if (SSL_CTX_use_PrivateKey(&context, key.get()) != 1 || SSL_CTX_check_private_key(&context) != 1)
        return refusal("the key does not belong to the certificate");
    return {};
}

Result<> trust(SSL_CTX& context, const std::string& authorities, bool name_them) {
    const Bio pem = bio_of(authorities);
    int count = 0;
    for (; const Certificate authority = next_certificate(*pem); ++count) {
        if (X509_STORE_add_cert(SSL_CTX_get_cert_store(&context), authority.get()) != 1)
            return refusal("an authority's certificate cannot be used");
        if (name_them) SSL_CTX_add_client_CA(&context, authority.get());
    }
    if (count == 0) return refusal("there is no certificate in the authorities' PEM text");
    return {};
}

int choose_http1(SSL*, const unsigned char** chosen, unsigned char* chosen_size, const unsigned char* offered,
                 unsigned offered_size, void*) {
    constexpr std::string_view kHttp1 = "http/1.1";
    for (unsigned at = 0; at < offered_size;) {
        const unsigned size = offered[at];
        if (at + 1 + size > offered_size) break;
        if (std::string_view(reinterpret_cast<const char*>(offered) + at + 1, size) == kHttp1) {
            *chosen = offered + at + 1;
            *chosen_size = static_cast<unsigned char>(size);
            return SSL_TLSEXT_ERR_OK;
        }
        at += 1 + size;
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

// The verdict is kept in the session (and in its ticket) and looked at later; the handshake goes on.
int judge_client(X509_STORE_CTX* judged, void*) {
    X509_verify_cert(judged);
    ERR_clear_error();
    return 1;
}

TlsContext make_context(const SSL_METHOD* method) {
    TlsContext context(SSL_CTX_new(method), SSL_CTX_free);
    CHECK(context, take_openssl_error());
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    // Buffers of 16 KB and more go when they are empty, which they are in an idle session.
    SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
    return context;
}

}  // namespace

Result<TlsContext> make_server_context(const TlsServerSettings& settings) {
    ERR_clear_error();
    TlsContext context = make_context(TLS_server_method());
    TRY(use_identity(*context, settings.identity));
    if (!settings.client_authorities.empty()) {
        TRY(trust(*context, settings.client_authorities, true));
        SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
        SSL_CTX_set_cert_verify_callback(context.get(), judge_client, nullptr);
    }
    SSL_CTX_set_options(context.get(), SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
    SSL_CTX_set_alpn_select_cb(context.get(), choose_http1, nullptr);
    // Tickets hold the session at the client; a cache would hold it here.
    SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context.get(), 1);
    constexpr std::string_view kName = "muster";
    SSL_CTX_set_session_id_context(context.get(), reinterpret_cast<const unsigned char*>(kName.data()), kName.size());
    return context;
}

Result<TlsContext> make_client_context(const TlsClientSettings& settings) {
    ERR_clear_error();
    TlsContext context = make_context(TLS_client_method());
    if (settings.identity) TRY(use_identity(*context, *settings.identity));
    if (!settings.server_authorities.empty()) TRY(trust(*context, settings.server_authorities, false));
    const bool system = settings.verify_server && (settings.server_authorities.empty() || settings.trusts_system);
    if (system && SSL_CTX_set_default_verify_paths(context.get()) != 1)
        return refusal("the system's authorities cannot be read");
    SSL_CTX_set_verify(context.get(), settings.verify_server ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
    constexpr std::string_view kHttp1 = "\x08http/1.1";
    SSL_CTX_set_alpn_protos(context.get(), reinterpret_cast<const unsigned char*>(kHttp1.data()), kHttp1.size());
    return context;
}

std::string take_openssl_error() {
    const unsigned long oldest = ERR_peek_error();
    ERR_clear_error();
    if (oldest == 0) return {};
    if (const char* reason = ERR_reason_error_string(oldest)) return reason;
    return "OpenSSL error " + std::to_string(oldest);
}

}  // namespace muster::os
