// Certificates for tests: authorities, servers and clients, good and bad, made in a millisecond each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/instant.h"
#include "os/http/tls_context.h"

extern "C" {
struct x509_st;
struct evp_pkey_st;
}

namespace muster::os {

struct CertificateWish {
    std::string common_name;
    std::vector<std::string> organizations{};
    std::string alternative_names{};  // "DNS:localhost,IP:127.0.0.1"
    std::string extended_usage{};     // "clientAuth"; empty: none
    Duration valid_from = -1h;        // from now
    Duration valid_until = 1h;
};

class TestAuthority {
public:
    explicit TestAuthority(const std::string& common_name);

    // Its own certificate, as PEM.
    const std::string& certificate() const { return certificate_; }
    TlsIdentity sign(const CertificateWish& wish) const;
    // For localhost and the loopback addresses.
    TlsIdentity sign_server() const;
    TlsIdentity sign_client(const std::string& user, const std::vector<std::string>& groups) const;

private:
    std::shared_ptr<evp_pkey_st> key_;
    std::shared_ptr<x509_st> signer_;
    std::string certificate_;
};

}  // namespace muster::os
