// The settings of one side of TLS: certificate, key and trusted authorities. One context serves many sessions
// (os/http/tls_session.h) on several threads. It never changes: a renewed certificate needs a new context.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"

extern "C" {
struct ssl_ctx_st;
}

namespace muster::os {

using TlsContext = std::shared_ptr<ssl_ctx_st>;

// Certificates and keys as PEM text.
struct TlsIdentity {
    std::string certificate_chain;  // the leaf first
    std::string key;
};

struct TlsServerSettings {
    TlsIdentity identity;
    std::string client_authorities{};  // who may sign clients' certificates; empty: none is asked for
};

// TLS 1.2 and later, http/1.1 only, sessions resumed by ticket. A client's certificate is asked for and never required:
// whether it counts is looked at after the handshake (TlsSession::peer). kBadRequest, with what is wrong, when a text
// cannot be read or the key does not belong to the certificate.
Result<TlsContext> make_server_context(const TlsServerSettings& settings);

struct TlsClientSettings {
    std::string server_authorities;         // empty: those that the system trusts
    std::optional<TlsIdentity> identity{};  // shown when the server asks
    bool verify_server = true;
    bool trusts_system = false;  // those that the system trusts beside the ones given
};
Result<TlsContext> make_client_context(const TlsClientSettings& settings);

// The oldest thing OpenSSL complained of on this thread, in words; forgets the rest.
std::string take_openssl_error();

}  // namespace muster::os
