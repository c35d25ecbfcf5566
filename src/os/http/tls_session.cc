#include "os/http/tls_session.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstring>

namespace muster::os {

// What OpenSSL reads from and writes to: the input that was given, and whatever takes the output. It never refuses
// output, so that OpenSSL never has to be called again with the same bytes.
struct TlsSessionBio {
    static TlsSession& session_of(BIO* bio) { return *static_cast<TlsSession*>(BIO_get_data(bio)); }

    static int write(BIO* bio, const char* bytes, int size) {
        TlsSession& session = session_of(bio);
        CHECK(session.out_, "TLS has something to say outside of a call");
        session.out_->append(bytes, static_cast<std::size_t>(size));
        return size;
    }
    static int read(BIO* bio, char* bytes, int size) {
        TlsSession& session = session_of(bio);
        BIO_clear_retry_flags(bio);
        if (session.input_.empty()) {
            BIO_set_retry_read(bio);
            return -1;
        }
        const std::size_t taken = std::min(session.input_.size(), static_cast<std::size_t>(size));
        std::memcpy(bytes, session.input_.data(), taken);
        session.input_.remove_prefix(taken);
        return static_cast<int>(taken);
    }
    static long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

    static const BIO_METHOD* method() {
        static const BIO_METHOD* const kMethod = [] {
            BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "muster");
            CHECK(made);
            BIO_meth_set_write(made, write);
            BIO_meth_set_read(made, read);
            BIO_meth_set_ctrl(made, control);
            return made;
        }();
        return kMethod;
    }
};

namespace {

std::string text_of(const ASN1_STRING* string) {
    unsigned char* utf8 = nullptr;
    const int size = ASN1_STRING_to_UTF8(&utf8, string);
    if (size < 0) return {};
    std::string text(reinterpret_cast<char*>(utf8), static_cast<std::size_t>(size));
    OPENSSL_free(utf8);
    return text;
}

PeerCertificate describe(X509* certificate) {
    PeerCertificate described;
    X509_NAME* subject = X509_get_subject_name(certificate);
    const auto each = [subject](int kind, auto take) {
        for (int at = -1; (at = X509_NAME_get_index_by_NID(subject, kind, at)) >= 0;)
            take(text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at))));
    };
    each(NID_commonName, [&](std::string name) { described.common_name = std::move(name); });
    each(NID_organizationName, [&](std::string name) { described.organizations.push_back(std::move(name)); });

    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    CHECK(X509_digest(certificate, EVP_sha256(), digest, &size) == 1);
    for (unsigned i = 0; i < size; ++i) {
        constexpr char kHex[] = "0123456789abcdef";
        described.fingerprint += kHex[digest[i] >> 4];
        described.fingerprint += kHex[digest[i] & 15];
    }
    return described;
}

std::time_t time_of(const ASN1_TIME* time) {
    std::tm parts{};
    if (ASN1_TIME_to_tm(time, &parts) != 1) return 0;
    return ::timegm(&parts);
}

bool is_numeric(const std::string& host) {
    in6_addr ignored;
    return ::inet_pton(AF_INET, host.c_str(), &ignored) == 1 || ::inet_pton(AF_INET6, host.c_str(), &ignored) == 1;
}

}  // namespace

TlsSession::TlsSession(const TlsContext& context) : ssl_(SSL_new(context.get())) {
    CHECK(ssl_, take_openssl_error());
    BIO* bio = BIO_new(TlsSessionBio::method());
    CHECK(bio);
    BIO_set_data(bio, this);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl_, bio, bio);
}

TlsSession::~TlsSession() { SSL_free(ssl_); }

std::unique_ptr<TlsSession> TlsSession::of_server(const TlsContext& context) {
    std::unique_ptr<TlsSession> session(new TlsSession(context));
    SSL_set_accept_state(session->ssl_);
    return session;
}

std::unique_ptr<TlsSession> TlsSession::of_client(const TlsContext& context, const std::string& host) {
    std::unique_ptr<TlsSession> session(new TlsSession(context));
    SSL_set_connect_state(session->ssl_);
    X509_VERIFY_PARAM* wanted = SSL_get0_param(session->ssl_);
    if (is_numeric(host)) {
        CHECK(X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) == 1);
    } else {
        CHECK(X509_VERIFY_PARAM_set1_host(wanted, host.data(), host.size()) == 1);
        SSL_set_tlsext_host_name(session->ssl_, host.c_str());
    }
    return session;
}

void TlsSession::give(std::string_view ciphertext) {
    CHECK(input_.empty(), "TLS was given input before it had used up the last");
    input_ = ciphertext;
}

TlsSession::Read TlsSession::read(std::span<char> plaintext, std::string& out) {
    if (failed_) return {Outcome::kFailed};
    ERR_clear_error();
    out_ = &out;
    Read read{Outcome::kMore};
    if (!established_) read.outcome = shake_hands();
    if (established_) {
        const int size = SSL_read(ssl_, plaintext.data(), static_cast<int>(plaintext.size()));
        read = size > 0 ? Read{Outcome::kPlaintext, static_cast<std::size_t>(size)} : Read{outcome_of(size)};
    }
    out_ = nullptr;
    return read;
}

TlsSession::Outcome TlsSession::shake_hands() {
    const int result = SSL_do_handshake(ssl_);
    if (result == 1) {
        established_ = true;
        return Outcome::kMore;
    }
    return outcome_of(result);
}

TlsSession::Outcome TlsSession::outcome_of(int result) {
    const int kind = SSL_get_error(ssl_, result);
    if (kind == SSL_ERROR_WANT_READ) return Outcome::kMore;
    if (kind == SSL_ERROR_ZERO_RETURN) return Outcome::kEnded;
    failed_ = true;
    input_ = {};
    const long verdict = SSL_get_verify_result(ssl_);
    error_ = take_openssl_error();
    // The server's certificate: say what is wrong with it, not that something is.
    if (!established_ && !SSL_is_server(ssl_) && verdict != X509_V_OK)
        error_ = std::string("the server's certificate is not trusted: ") + X509_verify_cert_error_string(verdict);
    if (error_.empty()) error_ = "TLS failed";
    return Outcome::kFailed;
}

void TlsSession::write(std::string_view plaintext, std::string& out) {
    CHECK(established_);
    if (failed_ || plaintext.empty()) return;
    ERR_clear_error();
    out_ = &out;
    const int written = SSL_write(ssl_, plaintext.data(), static_cast<int>(plaintext.size()));
    out_ = nullptr;
    if (written == static_cast<int>(plaintext.size())) return;
    failed_ = true;  // after an alert of the peer's
    error_ = take_openssl_error();
}

void TlsSession::end(std::string& out) {
    if (!established_ || failed_) return;
    ERR_clear_error();
    out_ = &out;
    SSL_shutdown(ssl_);
    out_ = nullptr;
    ERR_clear_error();
}

TlsPeer TlsSession::peer() const {
    CHECK(established_);
    TlsPeer peer;
    X509* certificate = SSL_get0_peer_certificate(ssl_);
    if (!certificate) return peer;
    PeerCertificate described = describe(certificate);
    peer.not_before = time_of(X509_get0_notBefore(certificate));
    peer.not_after = time_of(X509_get0_notAfter(certificate));
    const long verdict = SSL_get_verify_result(ssl_);
    if (verdict == X509_V_OK) {
        peer.certificate = std::move(described);
    } else {
        peer.error = "verifying the certificate of \"" + described.common_name +
                     "\" failed: " + X509_verify_cert_error_string(verdict);
    }
    return peer;
}

}  // namespace muster::os
