#include "server/identity/certificate_authority.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <algorithm>

#include "api/selector/names.h"
#include "server/identity/openssl.h"

namespace muster::server {
namespace {

using AsnTimePtr = std::unique_ptr<ASN1_TIME, FreeWith<&ASN1_TIME_free>>;
using NamesPtr = std::unique_ptr<GENERAL_NAMES, FreeWith<&GENERAL_NAMES_free>>;

// Clocks of clients that are a little behind ours must not find the certificate from the future.
constexpr Duration kBackdate = 5min;

Result<X509Ptr> parse(std::string_view pem) {
    const BioPtr bio = read_from(pem);
    X509Ptr certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (certificate) return certificate;
    ERR_clear_error();
    return Error{Code::kBadRequest, "there is no certificate in it"};
}

std::string to_pem(const X509* certificate) {
    const BioPtr bio(BIO_new(BIO_s_mem()));
    CHECK(bio && PEM_write_bio_X509(bio.get(), const_cast<X509*>(certificate)) == 1);
    return contents_of(bio.get());
}

void set_times(X509* certificate, Instant now, Duration life) {
    const AsnTimePtr from(ASN1_TIME_set(nullptr, (now - kBackdate).unix_seconds()));
    const AsnTimePtr to(ASN1_TIME_set(nullptr, (now + life).unix_seconds()));
    CHECK(from && to && X509_set1_notBefore(certificate, from.get()) == 1 &&
          X509_set1_notAfter(certificate, to.get()) == 1);
}

void set_random_serial(X509* certificate) {
    std::array<unsigned char, 16> bytes;
    CHECK(RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1);
    bytes[0] = static_cast<unsigned char>((bytes[0] & 0x7f) | 0x40);  // positive, and always of the same length
    std::unique_ptr<BIGNUM, FreeWith<&BN_free>> number(BN_bin2bn(bytes.data(), bytes.size(), nullptr));
    CHECK(number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)));
}

bool add_name(X509_NAME* name, const char* field, std::string_view value) {
    return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(value.data()),
                                      static_cast<int>(value.size()), -1, 0) == 1;
}

bool add_extension(X509* certificate, X509* issuer, int nid, const char* value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    const std::unique_ptr<X509_EXTENSION, FreeWith<&X509_EXTENSION_free>> extension(
        X509V3_EXT_conf_nid(nullptr, &context, nid, value));
    return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

X509Ptr start_certificate(EVP_PKEY* key, Instant now, Duration life) {
    X509Ptr certificate(X509_new());
    CHECK(certificate && X509_set_version(certificate.get(), X509_VERSION_3) == 1 &&
          X509_set_pubkey(certificate.get(), key) == 1);
    set_random_serial(certificate.get());
    set_times(certificate.get(), now, life);
    return certificate;
}

std::string self_sign_authority(EVP_PKEY* key, const X509_NAME* subject, Instant now) {
    const X509Ptr certificate = start_certificate(key, now, kAuthorityLife);
    X509* const raw = certificate.get();
    CHECK(X509_set_subject_name(raw, subject) == 1 && X509_set_issuer_name(raw, subject) == 1);
    CHECK(add_extension(raw, raw, NID_basic_constraints, "critical,CA:TRUE"));
    CHECK(add_extension(raw, raw, NID_key_usage, "critical,digitalSignature,keyCertSign,cRLSign"));
    CHECK(add_extension(raw, raw, NID_subject_key_identifier, "hash"));
    CHECK(X509_sign(raw, key, EVP_sha256()) > 0);
    return to_pem(raw);
}

struct Issuer {
    X509Ptr certificate;
    KeyPtr key;
};
Result<Issuer> open_authority(const Certificate& authority) {
    TRY_ASSIGN(X509Ptr certificate, parse(authority.certificate));
    TRY_ASSIGN(KeyPtr key, key_from_pem(authority.key));
    if (X509_check_ca(certificate.get()) != 1) return Error{Code::kInvalid, "the certificate is not an authority's"};
    return Issuer{std::move(certificate), std::move(key)};
}

// Signs a certificate that has its subject already, for a use such as "serverAuth".
Result<std::string> finish_leaf(X509* leaf, const Issuer& issuer, const char* use, const std::string& alternative) {
    X509* const from = issuer.certificate.get();
    const bool made = X509_set_issuer_name(leaf, X509_get_subject_name(from)) == 1 &&
                      add_extension(leaf, from, NID_basic_constraints, "critical,CA:FALSE") &&
                      add_extension(leaf, from, NID_key_usage, "critical,digitalSignature") &&
                      add_extension(leaf, from, NID_ext_key_usage, use) &&
                      add_extension(leaf, from, NID_authority_key_identifier, "keyid:always") &&
                      (alternative.empty() || add_extension(leaf, from, NID_subject_alt_name, alternative.c_str())) &&
                      X509_sign(leaf, issuer.key.get(), EVP_sha256()) > 0;
    if (!made) return openssl_error("issue a certificate");
    return to_pem(leaf);
}

// "DNS:localhost,IP:127.0.0.1,…", each once. Only what is surely a name or an address: the text is read as a
// configuration, where a comma would begin another entry.
std::vector<std::string> serving_names(const ServingNames& names) {
    std::vector<std::string> all{"DNS:localhost", "IP:127.0.0.1", "IP:::1"};
    if (names.of_api_server)
        for (const char* name : {"DNS:kubernetes", "DNS:kubernetes.default", "DNS:kubernetes.default.svc",
                                 "DNS:kubernetes.default.svc.cluster.local"})
            all.emplace_back(name);
    for (std::string name : names.host_names) {
        std::transform(name.begin(), name.end(), name.begin(),
                       [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
        if (api::is_dns1123_subdomain(name).empty()) all.push_back("DNS:" + name);
    }
    for (const std::string& ip : names.ips)
        if (api::is_valid_ip(ip, true).empty()) all.push_back("IP:" + ip);
    std::vector<std::string> once;
    for (std::string& name : all)
        if (std::find(once.begin(), once.end(), name) == once.end()) once.push_back(std::move(name));
    return once;
}

std::string as_text(const ASN1_STRING* text) {
    return std::string(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                       static_cast<std::size_t>(ASN1_STRING_length(text)));
}

std::string ip_text(const ASN1_OCTET_STRING* octets) {
    const unsigned char* bytes = ASN1_STRING_get0_data(octets);
    const int size = ASN1_STRING_length(octets);
    std::string text;
    char hex[8];
    for (int i = 0; size == 4 && i < 4; ++i) text += (i ? "." : "") + std::to_string(bytes[i]);
    for (int i = 0; size == 16 && i < 16; i += 2) {
        std::snprintf(hex, sizeof(hex), "%s%x", i ? ":" : "", static_cast<unsigned>(bytes[i] << 8 | bytes[i + 1]));
        text += hex;
    }
    return text;
}

std::vector<std::string> alternative_names(X509* certificate) {
    const NamesPtr names(
        static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
    std::vector<std::string> all;
    for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
        const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
        if (name->type == GEN_DNS) all.push_back("DNS:" + as_text(name->d.dNSName));
        if (name->type == GEN_IPADD) all.push_back("IP:" + ip_text(name->d.iPAddress));
    }
    std::sort(all.begin(), all.end());
    return all;
}

std::vector<std::string> subject_fields(X509* certificate, int nid) {
    const X509_NAME* subject = X509_get_subject_name(certificate);
    std::vector<std::string> values;
    for (int at = X509_NAME_get_index_by_NID(subject, nid, -1); at >= 0;
         at = X509_NAME_get_index_by_NID(subject, nid, at))
        values.push_back(as_text(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at))));
    return values;
}

Result<Instant> as_instant(const ASN1_TIME* time) {
    const AsnTimePtr epoch(ASN1_TIME_set(nullptr, 0));
    int days = 0;
    int seconds = 0;
    if (ASN1_TIME_diff(&days, &seconds, epoch.get(), time) != 1) {
        ERR_clear_error();
        return Error{Code::kInvalid, "a time of the certificate cannot be read"};
    }
    return Instant::from_unix_seconds(std::int64_t{days} * 86400 + seconds);
}

}  // namespace

Certificate make_authority(std::string_view common_name, Instant now) {
    const KeyPtr key = make_key();
    const std::unique_ptr<X509_NAME, FreeWith<&X509_NAME_free>> subject(X509_NAME_new());
    CHECK(subject && add_name(subject.get(), "CN", common_name));
    return {self_sign_authority(key.get(), subject.get(), now), key_to_pem(key.get())};
}

Result<Certificate> renew_authority(const Certificate& authority, Instant now) {
    TRY_ASSIGN(const Issuer old, open_authority(authority));
    return Certificate{self_sign_authority(old.key.get(), X509_get_subject_name(old.certificate.get()), now),
                       authority.key};
}

Result<Certificate> issue_serving_certificate(const Certificate& authority, const ServingNames& names, Instant now) {
    TRY_ASSIGN(const Issuer issuer, open_authority(authority));
    const KeyPtr key = make_key();
    const X509Ptr leaf = start_certificate(key.get(), now, kCertificateLife);
    CHECK(add_name(X509_get_subject_name(leaf.get()), "CN", names.common_name));
    std::string alternative;
    for (const std::string& name : serving_names(names))
        alternative.append(alternative.empty() ? "" : ",").append(name);
    TRY_ASSIGN(std::string pem, finish_leaf(leaf.get(), issuer, "serverAuth", alternative));
    return Certificate{std::move(pem), key_to_pem(key.get())};
}

namespace {

Result<Certificate> issue_to_client(const Issuer& issuer, std::string_view user, std::span<const std::string> groups,
                                    Instant now, Duration life, const KeyPtr& key) {
    const X509Ptr leaf = start_certificate(key.get(), now, life);
    X509_NAME* subject = X509_get_subject_name(leaf.get());
    bool named = true;
    for (const std::string& group : groups) named = named && add_name(subject, "O", group);
    named = named && add_name(subject, "CN", user);
    if (!named) {
        ERR_clear_error();
        return Error{Code::kInvalid, "a user or group name is empty or too long for a certificate"};
    }
    TRY_ASSIGN(std::string pem, finish_leaf(leaf.get(), issuer, "clientAuth", ""));
    return Certificate{std::move(pem), key_to_pem(key.get())};
}

}  // namespace

Result<Certificate> issue_client_certificate(const Certificate& authority, std::string_view user,
                                             std::span<const std::string> groups, Instant now, Duration life) {
    TRY_ASSIGN(const Issuer issuer, open_authority(authority));
    return issue_to_client(issuer, user, groups, now, life, make_key());
}

Result<Certificate> issue_rsa_client_certificate(const Certificate& authority, std::string_view user,
                                                 std::span<const std::string> groups, Instant now,
                                                 const std::atomic<bool>& given_up) {
    TRY_ASSIGN(const Issuer issuer, open_authority(authority));
    TRY_ASSIGN(const KeyPtr key, make_rsa_key(given_up));
    return issue_to_client(issuer, user, groups, now, kCertificateLife, key);
}

std::string make_signing_key() { return key_to_pem(make_key().get()); }

Result<CertificateFacts> read_certificate(std::string_view pem) {
    TRY_ASSIGN(const X509Ptr certificate, parse(pem));
    CertificateFacts facts;
    const std::vector<std::string> names = subject_fields(certificate.get(), NID_commonName);
    if (!names.empty()) facts.common_name = names.back();
    facts.organizations = subject_fields(certificate.get(), NID_organizationName);
    facts.alternative_names = alternative_names(certificate.get());
    facts.is_authority = X509_check_ca(certificate.get()) == 1;
    TRY_ASSIGN(facts.not_before, as_instant(X509_get0_notBefore(certificate.get())));
    TRY_ASSIGN(facts.not_after, as_instant(X509_get0_notAfter(certificate.get())));
    return facts;
}

Instant renewal_time(const CertificateFacts& facts) {
    return facts.not_after - (facts.not_after - facts.not_before) / 3;
}

bool needs_renewal(std::string_view pem, Instant now) {
    const Result<CertificateFacts> facts = read_certificate(pem);
    return !facts.ok() || now < facts->not_before || now >= renewal_time(*facts);
}

bool is_signed_by(std::string_view pem, std::string_view authority_pem) {
    const Result<X509Ptr> certificate = parse(pem);
    const Result<X509Ptr> authority = parse(authority_pem);
    if (!certificate.ok() || !authority.ok()) return false;
    const bool is = X509_check_issued(authority->get(), certificate->get()) == X509_V_OK &&
                    X509_verify(certificate->get(), X509_get0_pubkey(authority->get())) == 1;
    ERR_clear_error();
    return is;
}

bool has_rsa_key(const Certificate& certificate) {
    const Result<KeyPtr> key = key_from_pem(certificate.key);
    return key.ok() && EVP_PKEY_get_base_id(key->get()) == EVP_PKEY_RSA;
}

bool is_pair(const Certificate& certificate) {
    const Result<X509Ptr> parsed = parse(certificate.certificate);
    const Result<KeyPtr> key = key_from_pem(certificate.key);
    const bool is = parsed.ok() && key.ok() && X509_check_private_key(parsed->get(), key->get()) == 1;
    ERR_clear_error();
    return is;
}

bool has_names(std::string_view pem, const ServingNames& names) {
    const Result<CertificateFacts> facts = read_certificate(pem);
    if (!facts.ok()) return false;
    const std::vector<std::string>& has = facts->alternative_names;
    const std::vector<std::string> wanted = serving_names(names);
    return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
        if (!name.starts_with("IP:")) return std::binary_search(has.begin(), has.end(), name);
        // Addresses have several spellings; OpenSSL's reading of one is the same as its reading of the other.
        const std::unique_ptr<ASN1_OCTET_STRING, FreeWith<&ASN1_OCTET_STRING_free>> octets(
            a2i_IPADDRESS(name.c_str() + 3));
        return octets && std::binary_search(has.begin(), has.end(), "IP:" + ip_text(octets.get()));
    });
}

}  // namespace muster::server
