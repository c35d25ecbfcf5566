// The certificates by which server and clients know each other: an authority of our own, the server's certificate and
// those of clients, whose subject is who they are (CN the user, O the groups). Pure but for OpenSSL's entropy; where
// they are kept is identity_files.h's.
// A renewed authority keeps its key, so what it signed before stays good and what trusts its old certificate goes on.
#pragma once

#include <atomic>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"

namespace muster::server {

inline constexpr Duration kAuthorityLife = 10 * 8760h;
inline constexpr Duration kCertificateLife = 8760h;

// Both PEM. The key is a secret.
struct Certificate {
    std::string certificate{};
    std::string key{};
    bool operator==(const Certificate&) const = default;
};

Certificate make_authority(std::string_view common_name, Instant now);
// kInvalid when it is not an authority.
Result<Certificate> renew_authority(const Certificate& authority, Instant now);

// What the server is called, beside localhost, 127.0.0.1 and ::1. Names and addresses that cannot be any are left out.
struct ServingNames {
    std::vector<std::string> host_names{};
    std::vector<std::string> ips{};
    std::string common_name = "kube-apiserver";
    bool of_api_server = true;  // with the names that pods know an API server by: kubernetes.default.svc …
};
Result<Certificate> issue_serving_certificate(const Certificate& authority, const ServingNames& names, Instant now);
// kInvalid for names that do not fit a certificate: 64 bytes are the limit. The key is EC.
Result<Certificate> issue_client_certificate(const Certificate& authority, std::string_view user,
                                             std::span<const std::string> groups, Instant now,
                                             Duration life = kCertificateLife);
// The same with an RSA key: clients in Java read no other key without more libraries. Making it takes a tenth of a
// second, or several. kCancelled when `given_up` becomes true meanwhile.
Result<Certificate> issue_rsa_client_certificate(const Certificate& authority, std::string_view user,
                                                 std::span<const std::string> groups, Instant now,
                                                 const std::atomic<bool>& given_up);
// The key that signs service accounts' tokens, PEM.
std::string make_signing_key();

struct CertificateFacts {
    std::string common_name{};
    std::vector<std::string> organizations{};
    std::vector<std::string> alternative_names{};  // "DNS:localhost", "IP:127.0.0.1", sorted
    bool is_authority = false;
    Instant not_before{};
    Instant not_after{};
};
// Of the first certificate in the PEM. kBadRequest.
Result<CertificateFacts> read_certificate(std::string_view pem);

// When a third of its life is left.
Instant renewal_time(const CertificateFacts& facts);
// Also when it is not valid yet, or cannot be read.
bool needs_renewal(std::string_view pem, Instant now);
// Whether the authority's key signed it. Its dates are not looked at.
bool is_signed_by(std::string_view pem, std::string_view authority_pem);
bool has_rsa_key(const Certificate& certificate);
// Whether the key belongs to the certificate.
bool is_pair(const Certificate& certificate);
// Whether a serving certificate has all of those names.
bool has_names(std::string_view pem, const ServingNames& names);

}  // namespace muster::server
